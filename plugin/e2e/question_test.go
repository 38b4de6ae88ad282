//go:build unix

package e2e

import (
	"slices"
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/standin/botapi"
	"github.com/afar-sh/afar/coordinator/standin/host"
	"github.com/afar-sh/afar/coordinator/standin/model"
)

// asking returns the input of a call with two questions: one with one answer, and one with
// several.
func asking() map[string]any {
	options := func(labels ...string) (all []any) {
		for _, l := range labels {
			all = append(all, map[string]any{"label": l, "description": "about " + l})
		}
		return all
	}
	return map[string]any{"questions": []any{
		map[string]any{"question": "Which store?", "header": "Store", "multiSelect": false,
			"options": options("SQLite", "Postgres")},
		map[string]any{"question": "Which checks?", "header": "Checks", "multiSelect": true,
			"options": options("lint, strict", "fuzz", "bench")},
	}}
}

// questionDialog is the host's dialog for questions.
const questionDialog = `to navigate · Esc to cancel`

// TestRealQuestion: the phone answers the session's own questions. The model gets the
// answers in the same form as from the host's dialog.
func TestRealQuestion(t *testing.T) {
	t.Parallel()
	for name, version := range clients {
		t.Run(name, func(t *testing.T) {
			testQuestion(newSession(t, host.NeedLong(t, version), "--permission-mode", "default"))
		})
	}
}

func testQuestion(r *rig) {
	open := func(name string, input map[string]any) botapi.Message {
		r.t.Helper()
		r.ask(name, model.Call("AskUserQuestion", input))
		r.term.Await(questionDialog, within)
		return r.card("Which store?")
	}
	told := func(wanted ...string) {
		r.t.Helper()
		for _, want := range wanted {
			if !strings.Contains(r.refusal(), want) {
				r.t.Errorf("the model was told %q, not %s", r.refusal(), want)
			}
		}
	}
	// This part is first, while nothing else on the screen looks like the dialog.
	r.part("left at the dialog", func() {
		card := open("escape", asking())
		r.term.Settle("Which store", "1")
		r.term.Await("Which checks", within)
		r.term.Settle(questionDialog, "Escape")
		got := r.becomes(card, "at the terminal")
		if len(got.Keyboard) != 0 || strings.Contains(got.Text, "Answered by Ann") {
			r.t.Errorf("the settled card is\n%s %v", got.Text, got.Labels())
		}
	})
	r.part("taps", func() {
		card := open("taps", asking())
		r.tap(card, "SQLite")
		second := r.card("2/2 Which checks?")
		if second.ID != card.ID {
			r.t.Errorf("the second question is a message of its own")
		}
		r.tap(card, "bench")
		r.button(card, "bench ✅")
		r.tap(card, "lint, strict")
		r.button(card, "lint, strict ✅")
		r.tap(card, "Done")
		r.term.Gone(questionDialog, within)
		r.did("taps")
		got := r.becomes(card, "the session goes on")
		if len(got.Keyboard) != 0 || !strings.Contains(got.Text, "Which checks? → lint, strict, bench") {
			r.t.Errorf("the settled card is\n%s %v", got.Text, got.Labels())
		}
		told(`"Which store?"="SQLite"`, `"Which checks?"=""lint, strict", bench"`)
	})
	r.part("own words", func() {
		card := open("words", asking())
		r.reply(card, "a \"flat\" file, really")
		r.card("2/2 Which checks?")
		r.tap(card, "fuzz")
		r.button(card, "fuzz ✅")
		r.reply(card, "and vet")
		r.did("words")
		r.becomes(card, "the session goes on")
		told(`"Which store?"="a "flat" file, really"`, `"Which checks?"="fuzz, and vet"`)
	})
	r.part("refused", func() {
		open("refusal", asking())
		r.must("deny", r.openAsk().ID, "-m", "decide yourself")
		r.term.Gone(questionDialog, within)
		r.did("refusal")
		told("decide yourself")
	})
	// An answer at the dialog withdraws the card, which then says the outcome.
	r.part("answered at the dialog", func() {
		one := map[string]any{"questions": asking()["questions"].([]any)[:1]}
		card := open("dialog", one)
		r.term.Settle("Enter to select", "2")
		got := r.becomes(card, "Answered at the terminal · the session goes on")
		if len(got.Keyboard) != 0 {
			r.t.Errorf("a settled card has buttons: %v", got.Labels())
		}
		r.did("dialog")
		told(`"Which store?"="Postgres"`)
	})
}

// button waits until a card has a button.
func (r *rig) button(card botapi.Message, label string) {
	r.t.Helper()
	r.seen(func(m botapi.Message) bool { return m.ID == card.ID && slices.Contains(m.Labels(), label) }, label)
}
