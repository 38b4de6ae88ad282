package wording_test

import (
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/wire"
	"github.com/afar-sh/afar/coordinator/wording"
)

// TestSessionNote: a session whose mode nobody knows begins with what is known. The default mode has
// the name that its client shows.
func TestSessionNote(t *testing.T) {
	for want, s := range map[string]wire.Session{
		"auto":                                  {Mode: "auto", Attended: true},
		"manual":                                {Mode: "default", Attended: true},
		"unattended":                            {},
		"auto, unattended, away off":            {Mode: "auto", Away: "off"},
		"auto, sandbox on":                      {Mode: "auto", Attended: true, Sandbox: true},
		"auto, in the background (claude --bg)": {Mode: "auto", Background: true},
	} {
		if got := wording.SessionNote(s); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestSpan(t *testing.T) {
	for want, d := range map[string]time.Duration{
		"0s":  0,
		"59s": 59*time.Second + 999*time.Millisecond,
		"1m":  time.Minute,
		"47h": 48*time.Hour - 1,
		"2d":  48 * time.Hour,
	} {
		if got := wording.Span(d); got != want {
			t.Errorf("%v: got %q, want %q", d, got, want)
		}
	}
}

// TestTokens: a number of tokens has three digits or less before its unit.
func TestTokens(t *testing.T) {
	for want, n := range map[string]int64{
		"999 tokens": 999, "1k tokens": 1000, "999k tokens": 999_499, "1.0M tokens": 999_500,
	} {
		if got := wording.Tokens(n); got != want {
			t.Errorf("%d: got %q, want %q", n, got, want)
		}
	}
}

// TestOn: the channel is said once.
func TestOn(t *testing.T) {
	for _, c := range []struct{ by, channel, want string }{
		{"ann", "telegram", " on telegram"}, {"root at the page", "web", ""}, {"root at the terminal", "terminal", ""},
		{"trigger night", "trigger", ""}, {"ann", "", ""},
	} {
		if got := wording.On(c.by, c.channel); got != c.want {
			t.Errorf("%s on %s: %q, want %q", c.by, c.channel, got, c.want)
		}
	}
}

func TestCards(t *testing.T) {
	cards := wording.Cards([]wire.Ask{{ID: "a", Card: "a"}, {ID: "b"}, {ID: "c", Card: "a"}})
	if len(cards) != 2 || len(cards[0]) != 2 || cards[0][1].ID != "c" || cards[1][0].ID != "b" {
		t.Errorf("have %+v", cards)
	}
}
