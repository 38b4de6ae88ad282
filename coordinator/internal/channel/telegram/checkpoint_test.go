package telegram

import (
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/session"
)

// TestCheckpointCard: the card shows the question of the task first, what it says below, and a button for each
// option. One that is settled has no buttons.
func TestCheckpointCard(t *testing.T) {
	q := ask.Question{
		Text: "Send <both>?", Header: "Awaiting validation",
		Options: []ask.Option{{Label: "Send both", Description: "by mail"}, {Label: "Modify"}},
	}
	a, err := ask.NewCheckpoint("invoices", "c", "/w/tasks/invoices", "file", "What I did: 2 invoices.", q)
	if err != nil {
		t.Fatal(err)
	}
	a.Nonce = "0123456789abcdef"
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	a = ask.Start(a, session.On, now)
	at := place{name: "Invoices", token: "invoices-1a2b", project: "/w/tasks/invoices", machine: "laptop"}
	r := render(ask.Card{a}, at)
	for _, want := range []string{
		"🚩 <b>Invoices</b>: Send &lt;both&gt;?\n" +
			"1. Send both: by mail\n2. Modify\n<i>Tap one, or reply in your own words.</i>\n" +
			"<blockquote>What I did: 2 invoices.</blockquote>",
	} {
		if !strings.Contains(r.html, want) {
			t.Errorf("no %q in\n%s", want, r.html)
		}
	}
	if len(r.rows) != 2 || r.rows[0][0].label != "Send both" || r.cut {
		t.Errorf("buttons %+v", r.rows)
	}
	a, err = ask.Choose([]int{1})(a, ask.Decision{By: "Ann", At: now})
	if err != nil {
		t.Fatal(err)
	}
	r = render(ask.Card{a}, at)
	if len(r.rows) != 0 || !strings.Contains(r.html, "→ <b>Modify</b>") ||
		!strings.Contains(r.html, "✅ Answered by Ann") {
		t.Errorf("after the answer: %+v\n%s", r.rows, r.html)
	}
	a.Text, a.State, a.Decision = strings.Repeat("long words ", 2000), ask.Open, nil
	if r = render(ask.Card{a}, at); units(plain(r.html)) > maxText || !r.cut {
		t.Errorf("%d units, cut %v", units(plain(r.html)), r.cut)
	}
}
