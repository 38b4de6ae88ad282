package loopback

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/channel/conformance"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/feature"
)

// A Subject is Ann, with the folder and a client for HTTP.
type Subject struct {
	folder string
	ch     *Channel // that was opened last
}

const secret = "0123456789abcdef"

// NewSubject returns Ann, who is paired with nothing yet.
func NewSubject(t testing.TB) *Subject { return &Subject{folder: t.TempDir()} }

// Name returns the name of the channel.
func (s *Subject) Name() string { return Name }

// Open makes a channel over c.
func (s *Subject) Open(t testing.TB, c *feature.Core) conformance.Channel {
	ch, err := New(Config{
		Core: c.Core, Log: slog.New(slog.DiscardHandler), Folder: s.folder, Secret: secret,
		Act: pressing(c.Core),
	})
	if err != nil {
		t.Fatal(err)
	}
	s.ch = ch
	return ch
}

// pressing returns what carries out a press, as Act of a server does.
func pressing(c *core.Core) func(context.Context, channel.Act, string, any) error {
	return func(_ context.Context, act channel.Act, _ string, in any) error {
		return c.Act(act, func(one *core.Core) (out channel.Settlement, err error) {
			told, err := one.Press(in.(core.Press))
			if err == nil {
				out.Text = told.Words()
			}
			return out, err
		})
	}
}

// Pair makes Ann the person of the channel.
func (s *Subject) Pair(t testing.TB) {
	if err := s.ch.Pair("Ann"); err != nil {
		t.Fatal(err)
	}
}

// Cards returns the files that hold a text, by name.
func (s *Subject) Cards(t testing.TB, text string) (found []conformance.Card) {
	files, err := filepath.Glob(filepath.Join(s.folder, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(files)
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var c Card
		if err := json.Unmarshal(raw, &c); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(c.Text, text) {
			found = append(found, conformance.Card{ID: c.ID, Text: c.Text, Buttons: c.Buttons, Key: c.Nonce})
		}
	}
	return found
}

// Tap posts a button of a card.
func (s *Subject) Tap(t testing.TB, card conformance.Card, button string) string {
	code, text := s.post(t, secret, Act{Card: card.ID, Nonce: card.Key, Button: button})
	if code != http.StatusOK {
		t.Errorf("the tap got %d: %s", code, text)
	}
	return text
}

// Reply posts a text that answers a card.
func (s *Subject) Reply(t testing.TB, card conformance.Card, text string) {
	if code, told := s.post(t, secret, Act{Card: card.ID, Nonce: card.Key, Text: text}); code != http.StatusOK {
		t.Errorf("the reply got %d: %s", code, told)
	}
}

// Intrude posts a button without the secret.
func (s *Subject) Intrude(t testing.TB, card conformance.Card, button string) {
	code, _ := s.post(t, "guessed", Act{Card: card.ID, Nonce: card.Key, Button: button})
	if code != http.StatusForbidden {
		t.Errorf("a stranger got %d", code)
	}
}

func (s *Subject) post(t testing.TB, secret string, act Act) (code int, text string) {
	raw, err := json.Marshal(act)
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.ch.URL(), bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", secret)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Error(err)
		return 0, ""
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Error(err)
	}
	return resp.StatusCode, string(body)
}
