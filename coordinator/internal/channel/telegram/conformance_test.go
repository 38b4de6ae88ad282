package telegram

import (
	"context"
	"log/slog"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/channel/conformance"
	"github.com/afar-sh/afar/coordinator/internal/channel/loopback"
	"github.com/afar-sh/afar/coordinator/internal/feature"
	ops "github.com/afar-sh/afar/coordinator/internal/server"
	"github.com/afar-sh/afar/coordinator/standin/botapi"
)

func TestConformance(t *testing.T) {
	conformance.Run(t, func(t testing.TB) conformance.Subject { return newSubject(t) })
}

// TestTwoChannels runs this channel and another one in one coordinator.
func TestTwoChannels(t *testing.T) {
	conformance.RunTogether(t, func(t testing.TB) (one, two conformance.Subject) {
		return newSubject(t), loopback.NewSubject(t)
	})
}

// A subject is Ann with her phone, and the stand-in for Telegram.
type subject struct {
	ctx context.Context
	dir string
	api *botapi.Server
	ann *botapi.User
	ch  *Channel
}

func newSubject(t testing.TB) *subject {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	s := &subject{ctx: ctx, dir: t.TempDir(), api: botapi.New(t)}
	s.ann = s.api.User(11, "Ann")
	return s
}

func (s *subject) Name() string { return Name }

func (s *subject) Open(_ testing.TB, c *feature.Core) conformance.Channel {
	s.ch = New(Config{
		Core:       c,
		Log:        slog.New(slog.DiscardHandler),
		TokenFile:  filepath.Join(s.dir, "telegram.token"),
		ConfigFile: filepath.Join(s.dir, "config.toml"),
		Machine:    "lab",
		Home:       "/home/ann",
		Now:        time.Now,
		Code:       func() string { return code },
		Act:        ops.New(ops.Config{Core: c, Log: slog.New(slog.DiscardHandler)}).Act,
	})
	s.ch.pace.first = 10 * time.Millisecond
	return s.ch
}

func (s *subject) Pair(t testing.TB) {
	t.Helper()
	if !s.ch.Status().Connected {
		if _, err := s.ch.Connect(s.ctx, s.api.Token(), s.api.URL()); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := s.ch.StartPairing(); err != nil {
		t.Fatal(err)
	}
	asked := s.ann.Say(s.ann.ID, "/start "+code)
	_, err := s.api.Await(s.ctx, func(m botapi.Message) bool {
		return m.ID > asked && strings.Contains(m.Text, "Paired with Ann")
	})
	if err != nil {
		t.Fatal(err)
	}
}

func (s *subject) Cards(_ testing.TB, text string) (found []conformance.Card) {
	for _, m := range s.api.Messages(s.ann.ID) {
		if strings.Contains(m.Text, text) {
			found = append(found, conformance.Card{ID: strconv.Itoa(m.ID), Text: m.Text, Buttons: m.Labels()})
		}
	}
	return found
}

func (s *subject) Tap(t testing.TB, card conformance.Card, button string) string {
	return s.tap(t, s.ann, card, button)
}

func (s *subject) tap(t testing.TB, by *botapi.User, card conformance.Card, button string) string {
	t.Helper()
	query, err := by.TapLate(messageOf(t, card), button)
	if err != nil {
		t.Error(err)
		return ""
	}
	a, err := s.api.AwaitAnswer(s.ctx, func(a botapi.CallbackAnswer) bool { return a.QueryID == query })
	if err != nil {
		t.Error(err)
	}
	return a.Text
}

func (s *subject) Reply(t testing.TB, card conformance.Card, text string) {
	if _, err := s.ann.Reply(messageOf(t, card), text); err != nil {
		t.Error(err)
	}
}

func (s *subject) Intrude(t testing.TB, card conformance.Card, button string) {
	told := s.tap(t, s.api.User(66, "Eve"), card, button)
	if !strings.Contains(told, "belongs to somebody") {
		t.Errorf("a stranger was told %q", told)
	}
}

func messageOf(t testing.TB, card conformance.Card) int {
	id, err := strconv.Atoi(card.ID)
	if err != nil {
		t.Fatal(err)
	}
	return id
}
