package watch

import (
	"io"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/afar-sh/afar/coordinator/terminal"
	"github.com/afar-sh/afar/coordinator/wire"
)

// A watching is a watcher whose answers are caught, at a time of its own.
type watching struct {
	*watcher
	t    *testing.T
	now  time.Time
	sent []wire.AnswerRequest
}

func newWatching(t *testing.T, asks ...wire.Ask) *watching {
	w := &watching{t: t, now: time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)}
	w.watcher = newWatcher(Source{
		Page: func(out io.Writer) *terminal.Page { return &terminal.Page{W: out, Now: w.now} },
		Do: func(_ string, in any) (any, error) {
			w.sent = append(w.sent, in.(wire.AnswerRequest))
			return wire.Ask{Allow: true, State: "answered"}, nil
		},
	})
	w.finds(asks...)
	w.now = w.now.Add(restFor)
	return w
}

// finds is a look that finds these questions. Those that are not there any more were answered elsewhere.
func (w *watching) finds(asks ...wire.Ask) {
	m := looked{Found: Found{Status: wire.StatusReply{Asks: asks}}, gone: map[string]wire.AskReply{}}
	for _, q := range w.questions {
		if q.ended.IsZero() && !isAmong(asks, q) {
			ended := q.Asks[0]
			ended.State, ended.By, ended.Allow = "delivered", "Ann", true
			m.gone[q.ID] = wire.AskReply{Ask: ended}
		}
	}
	w.take(m)
}

// press presses keys and returns what they sent.
func (w *watching) press(keys ...tea.KeyPressMsg) (sent []wire.AnswerRequest) {
	w.sent = nil
	for _, k := range keys {
		if _, do := w.Update(k); do != nil {
			do()
		}
	}
	return w.sent
}

func key(r rune) tea.KeyPressMsg { return tea.KeyPressMsg{Code: r, Text: string(r)} }

func (w *watching) shows() string { return ansi.Strip(w.View().Content) }

func opened(id, request string) wire.Ask {
	return wire.Ask{ID: id, State: "open", Kind: "permission", Tool: "Bash", Token: "api-1a2b", Request: request,
		Input: request, Hash: "hash of " + request}
}

// TestWatchRests checks that Allow answers the chosen question with the hash that was shown, also when other questions
// arrive or go. After the chosen question has changed by itself, it answers nothing for half a second.
func TestWatchRests(t *testing.T) {
	one, two, three := opened("ask_1", "npm test"), opened("ask_2", "npm publish"), opened("ask_3", "make")
	other := two
	other.Hash, other.Request = "another", "npm publish --tag next"
	for _, c := range []struct {
		what    string
		changes func(*watching)
		rests   bool
		allows  string // the hash, after the rest
	}{
		{"nothing", func(*watching) {}, false, two.Hash},
		{"one more", func(w *watching) { w.finds(one, two, three) }, false, two.Hash},
		{"the one above goes", func(w *watching) { w.finds(two, three) }, false, two.Hash},
		{"it is about another call", func(w *watching) { w.finds(one, other, three) }, true, other.Hash},
		{"it is answered elsewhere", func(w *watching) { w.finds(one, three) }, true, ""},
		{"it is gone from the list", func(w *watching) {
			w.finds(one, three)
			w.now = w.now.Add(keptFor)
			w.finds(one, three)
		}, true, three.Hash},
	} {
		w := newWatching(t, one, two)
		w.press(key('j'))
		c.changes(w)
		if got := w.press(key('a')); len(got) > 0 == c.rests {
			t.Errorf("%s: at once it sent %+v", c.what, got)
		}
		if says := strings.Contains(w.shows(), "keys rest"); says != c.rests {
			t.Errorf("%s: it says that keys rest: %v", c.what, says)
		}
		w.now = w.now.Add(restFor)
		var got string
		if sent := w.press(key('a')); len(sent) > 0 {
			got = sent[0].Hash
		}
		if got != c.allows {
			t.Errorf("%s: later it allowed %q, want %q", c.what, got, c.allows)
		}
	}
}

// TestWatchKeepsItsPlace: a question that was answered stays in its place with what became of it for a minute.
func TestWatchKeepsItsPlace(t *testing.T) {
	one, two := opened("ask_1", "npm test"), opened("ask_2", "npm publish")
	w := newWatching(t, one, two)
	w.finds(two)
	line := func(i int) string { return strings.Split(w.shows(), "\n")[i] }
	if !strings.Contains(line(1), "npm test") || !strings.Contains(line(1), "allowed") || !strings.Contains(line(2), "npm publish") {
		t.Errorf("it shows\n%s", w.shows())
	}
	if !strings.HasPrefix(w.shows(), "Waiting for you 1") {
		t.Errorf("it counts %q", line(0))
	}
	w.now = w.now.Add(keptFor)
	if w.finds(two); strings.Contains(w.shows(), "npm test") {
		t.Errorf("after a minute it shows\n%s", w.shows())
	}
}

// TestWatchWords checks that words answer the question for which the writing began, also if another one is chosen now.
func TestWatchWords(t *testing.T) {
	one := opened("ask_1", "npm test")
	w := newWatching(t, one)
	w.press(key('/'), key('n'), key('o'))
	other := one
	other.Hash = "another"
	w.finds(other)
	got := w.press(tea.KeyPressMsg{Code: tea.KeyEnter})
	if len(got) != 1 || got[0].ID != "ask_1" || got[0].Hash != one.Hash || got[0].Message != "no" || got[0].Allow {
		t.Errorf("it sent %+v", got)
	}
}

// TestWatchFits: no line is wider than the terminal, no screen is higher, and no text steers it.
func TestWatchFits(t *testing.T) {
	hostile := opened("ask_1", "echo \x1b[2J\u202e"+strings.Repeat("日本 long ", 400))
	hostile.Input += "\n" + strings.Repeat("line\n", 200)
	for _, size := range [][2]int{{80, 24}, {200, 50}, {20, 6}, {1, 1}} {
		w := newWatching(t, hostile, opened("ask_2", "make"))
		w.Update(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
		lines := strings.Split(w.View().Content, "\n")
		if size[1] > 5 && len(lines) > size[1] {
			t.Errorf("%v: %d lines", size, len(lines))
		}
		for _, l := range lines {
			if ansi.StringWidth(l) > size[0] && size[0] > 10 || strings.Contains(l, "\x1b[2J") || strings.Contains(l, "\u202e") {
				t.Errorf("%v: %q", size, l)
			}
		}
	}
}
