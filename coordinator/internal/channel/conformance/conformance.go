// Package conformance tests what every channel must do. Each implementation runs it with a
// real core and a real database, and with a person at its other end.
package conformance

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/feature"
	"github.com/afar-sh/afar/coordinator/internal/grant"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/store"
)

// A Channel is the part of a channel that runs in a coordinator.
type Channel interface {
	Run(ctx context.Context)
	Say(ctx context.Context, text string) error
}

// A Subject is one implementation, with the person at its other end. It outlives the
// channels that it opens, as a phone outlives a coordinator.
type Subject interface {
	// Name is the channel's name.
	Name() string
	// Open makes a channel over c. It does not run yet.
	Open(t testing.TB, c *feature.Core) Channel
	// Pair pairs the person with the channel that was opened last, which runs.
	Pair(t testing.TB)
	// Cards returns the messages that hold a text, oldest first.
	Cards(t testing.TB, text string) []Card
	// Tap taps a button that a card has or had, and returns what the person is told.
	Tap(t testing.TB, card Card, button string) (told string)
	// Reply answers a card with a text.
	Reply(t testing.TB, card Card, text string)
	// Intrude taps a button of a card as somebody else.
	Intrude(t testing.TB, card Card, button string)
}

// A Card is one message as the person sees it now.
type Card struct {
	ID      string
	Text    string
	Buttons []string
	Key     string // what the subject needs to tap a button of it
}

// The buttons that the card of a permission has on every channel.
const (
	Allow = "Allow"
	Deny  = "Deny"
)

// patience is how long a test waits for something that must happen.
const patience = 20 * time.Second

// Run runs the suite, each test on a new subject from made.
func Run(t *testing.T, made func(t testing.TB) Subject) {
	for name, test := range map[string]func(*testing.T, *setup, Subject){
		"allowed":             testAllowed,
		"denied":              testDenied,
		"denied with words":   testWords,
		"settled elsewhere":   testElsewhere,
		"paired late":         testPairedLate,
		"restarted":           testRestarted,
		"notices":             testNotices,
		"the end of a turn":   testRunEnded,
		"said at once":        testSaid,
		"not its person":      testIntruder,
		"another's button":    testOtherButton,
		"nobody is paired":    testUnpaired,
		"a question unshown":  testUnshown,
		"identical questions": testTogether,
	} {
		t.Run(name, func(t *testing.T) {
			s := made(t)
			test(t, newSetup(t, s), s)
		})
	}
}

// A setup is a core that runs channels, over a database that a restart keeps.
type setup struct {
	testing.TB
	path     string
	subjects []Subject

	core     *feature.Core
	channels []Channel
	stop     func()
}

func newSetup(t testing.TB, subjects ...Subject) *setup {
	h := &setup{TB: t, path: filepath.Join(t.TempDir(), "afar.db"), subjects: subjects}
	h.start()
	t.Cleanup(func() { h.stop() })
	return h
}

// start starts the parts that a coordinator would run.
func (h *setup) start() {
	h.Helper()
	db, err := store.Open(h.path)
	h.ok(err)
	var names []string
	for _, s := range h.subjects {
		names = append(names, s.Name())
	}
	h.core, err = feature.New(core.Config{
		Store:    db,
		Log:      slog.New(slog.DiscardHandler),
		Now:      time.Now,
		Secret:   secret,
		Channels: names,
	})
	h.ok(err)
	ctx, cancel := context.WithCancel(context.Background())
	var parts sync.WaitGroup
	h.channels = nil
	for _, s := range h.subjects {
		ch := s.Open(h, h.core)
		h.channels = append(h.channels, ch)
		parts.Go(func() { ch.Run(ctx) })
	}
	h.stop = sync.OnceFunc(func() {
		cancel()
		parts.Wait()
		h.ok(db.Close())
	})
}

func (h *setup) restart() { h.stop(); h.start() }

func (h *setup) ok(err error) {
	h.Helper()
	if err != nil {
		h.Fatal(err)
	}
}

func secret() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails, by its contract
	return hex.EncodeToString(b[:])
}

// pair pairs the person on every channel. They are away, so questions come at once.
func (h *setup) pair() {
	h.Helper()
	for _, s := range h.subjects {
		s.Pair(h)
	}
	h.ok(h.core.SetAway("", session.On, 0))
}

// ask opens a question about a command.
func (h *setup) ask(id ask.ID, command string) ask.Ask {
	h.Helper()
	_, err := h.core.See(session.Sighting{ID: "s1", Cwd: "/home/ann/shop", Hooked: true, Attended: true, KnowAtt: true})
	h.ok(err)
	a, err := h.core.OpenCovered(ask.Ask{
		ID:       id,
		Kind:     ask.Permission,
		Session:  "s1",
		Tool:     "Bash",
		Text:     command,
		Hash:     fmt.Sprintf("%x", command),
		Cwd:      "/home/ann/shop",
		Attended: true,
	}, grant.Need{})
	h.ok(err)
	return a
}

func (h *setup) state(id ask.ID) ask.Ask {
	h.Helper()
	a, err := h.core.Ask(id)
	h.ok(err)
	return a
}

// wantState checks the state of an ask.
func (h *setup) wantState(id ask.ID, want ask.State) {
	h.Helper()
	if a := h.state(id); a.State != want {
		h.Errorf("ask %s is %s, want %s: %+v", id, a.State, want, a.Decision)
	}
}

// wantAnswer checks that an ask was answered once: by this answer, on this channel.
func (h *setup) wantAnswer(id ask.ID, allow bool, on Subject) {
	h.Helper()
	if n := h.answers(id); n != 1 {
		h.Errorf("ask %s was answered %d times", id, n)
	}
	if d := h.state(id).Decision; d.Allow != allow || d.Channel != on.Name() {
		h.Errorf("ask %s: have %+v, want allow %t on %s", id, d, allow, on.Name())
	}
}

// card waits for the first message that contains a text, until it fulfils a condition.
func (h *setup) card(s Subject, text string, fulfils func(Card) bool) (found Card) {
	h.Helper()
	h.eventually(s.Name()+" shows "+text, func() bool {
		cards := s.Cards(h, text)
		if len(cards) == 0 || !fulfils(cards[0]) {
			return false
		}
		found = cards[0]
		return true
	})
	return found
}

func answerable(c Card) bool { return len(c.Buttons) > 0 }

func settled(c Card) bool { return len(c.Buttons) == 0 }

// eventually calls cond until it returns true. It is for conditions that send no signal.
func (h *setup) eventually(what string, cond func() bool) {
	h.Helper()
	for deadline := time.Now().Add(patience); !cond(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			h.Fatalf("never: %s", what)
		}
	}
}

// answers returns how often an ask was answered, by the journal.
func (h *setup) answers(id ask.ID) (n int) {
	h.Helper()
	events, err := h.core.Journal(context.Background(), 0, 1000, "", false)
	h.ok(err)
	for _, e := range events {
		if e.Kind == event.AskAnswered && e.Subject == string(id) {
			n++
		}
	}
	return n
}

func wants(t testing.TB, text, part string) {
	t.Helper()
	if !strings.Contains(text, part) {
		t.Errorf("%q does not say %q", text, part)
	}
}
