package telegram

import (
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
)

// TestRenderSuggestion: a card says who suggests what, in any state, and no text looks like ours.
func TestRenderSuggestion(t *testing.T) {
	a := ask.NewSuggestion(ask.Suggested{Name: "tax", Source: "triage of mail", Urgency: "urgent"},
		"Answer the <b>tax</b> office", "2026-03-01", "The office wants a form.")
	a.State, a.Nonce = ask.Open, "0123456789abcdef"
	at := place{name: "A suggested task", machine: "laptop", link: "http://127.0.0.1/q"}
	got := render(ask.Card{a}, at)
	want := "❗️ 💡 <b>A suggested task</b>: Answer the &lt;b&gt;tax&lt;/b&gt; office\nTriage of mail suggests this task.\n" +
		"<blockquote>The office wants a form.</blockquote>\n" +
		"Accept makes a task of it and starts it. A reply accepts it, with your words.\n" +
		"<blockquote expandable>http://127.0.0.1/q\nlaptop</blockquote>"
	if got.html != want {
		t.Errorf("%s\nwant\n%s", got.html, want)
	}
	if len(got.rows) != 1 || len(got.rows[0]) != 2 || got.rows[0][1].label != "Dismiss ✖️" {
		t.Errorf("buttons %+v", got.rows)
	}
	a.State, a.Text = ask.Delivered, strings.Repeat("x", 5000)
	a.Decision = &ask.Decision{By: "Ann", Channel: Name, At: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	got = render(ask.Card{a}, at)
	if len(got.rows) != 0 || !got.cut ||
		!strings.Contains(got.html, "ismissed by Ann at 12:00:00 · does not come back") {
		t.Errorf("%+v: %s", got.rows, got.html[len(got.html)-200:])
	}
}

// TestSuggestionsRingOnce: the cards of suggestions that come at once ring once.
func TestSuggestionsRingOnce(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.pair()
	for _, name := range []string{"one", "two", "three"} {
		a := ask.NewSuggestion(ask.Suggested{Name: name, Source: "triage"}, "Pay "+name, "2026-03-01", "It is late.")
		if err := r.core.Suggest(a); err != nil {
			t.Fatal(err)
		}
	}
	for name, silent := range map[string]bool{"one": false, "two": true, "three": true} {
		if m := r.await("Pay " + name); m.Silent != silent {
			t.Errorf("%s comes silently: %t", name, m.Silent)
		}
	}
}
