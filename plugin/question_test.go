package plugin_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/standin/botapi"
	"github.com/afar-sh/afar/coordinator/standin/host"
	"github.com/afar-sh/afar/coordinator/standin/model"
)

// asking is the input of a call that asks: one question with one answer, and
// one with several.
func asking() map[string]any {
	options := func(labels ...string) (all []any) {
		for _, l := range labels {
			all = append(all, map[string]any{"label": l, "description": "about " + l})
		}
		return all
	}
	return map[string]any{"questions": []any{
		map[string]any{"question": "Which store?", "header": "Store", "multiSelect": false, "options": options("SQLite", "Postgres")},
		map[string]any{"question": "Which checks?", "header": "Checks", "multiSelect": true, "options": options("lint, strict", "fuzz", "bench")},
	}}
}

// questionDialog is the host's dialog for questions.
const questionDialog = `to navigate · Esc to cancel`

// TestRealQuestion: the session's own questions are answered by the phone, in
// the form that the host makes of answers at its dialog.
func TestRealQuestion(t *testing.T) {
	for name, version := range map[string]string{"current": host.Current, "oldest": host.Oldest} {
		t.Run(name, func(t *testing.T) { testQuestion(t, version) })
	}
}

func testQuestion(t *testing.T, version string) {
	open := func(t *testing.T) (*rig, *host.Terminal) {
		r := newRig(t, host.Need(t, version))
		r.must("away", "on")
		term := r.lab.Terminal("--permission-mode", "default")
		term.Submit("go " + model.Play(model.Call("AskUserQuestion", asking()), model.Say("all done now")))
		term.Await(questionDialog, within)
		return r, term
	}
	t.Run("taps", func(t *testing.T) {
		r, term := open(t)
		card := r.card("Which store?")
		r.tap(card, "SQLite")
		second := r.card("2/2 Which checks?")
		if second.ID != card.ID {
			t.Errorf("the second question is a message of its own")
		}
		r.tap(card, "bench")
		r.button(card, "bench ✅")
		r.tap(card, "lint, strict")
		r.button(card, "lint, strict ✅")
		r.tap(card, "Done")
		term.Gone(questionDialog, within)
		term.Await("all done now", within)
		got := r.becomes(card, "the session goes on")
		if len(got.Keyboard) != 0 || !strings.Contains(got.Text, "Which checks? → lint, strict, bench") {
			t.Errorf("the settled card is\n%s %v", got.Text, got.Labels())
		}
		for _, want := range []string{`"Which store?"="SQLite"`, `"Which checks?"=""lint, strict", bench"`} {
			if !strings.Contains(r.refusal(), want) {
				t.Errorf("the model was told %q, not %s", r.refusal(), want)
			}
		}
	})
	t.Run("own words", func(t *testing.T) {
		r, term := open(t)
		card := r.card("Which store?")
		r.reply(card, "a \"flat\" file, really")
		r.card("2/2 Which checks?")
		r.tap(card, "fuzz")
		r.button(card, "fuzz ✅")
		r.reply(card, "and vet")
		term.Await("all done now", within)
		r.becomes(card, "the session goes on")
		for _, want := range []string{`"Which store?"="a "flat" file, really"`, `"Which checks?"="fuzz, and vet"`} {
			if !strings.Contains(r.refusal(), want) {
				t.Errorf("the model was told %q, not %s", r.refusal(), want)
			}
		}
	})
	t.Run("terminal first", func(t *testing.T) {
		r, term := open(t)
		card := r.card("Which store?")
		term.Settle("Which store", "1")
		term.Await("Which checks", within)
		term.Settle(questionDialog, "Escape")
		got := r.becomes(card, "at the terminal")
		if len(got.Keyboard) != 0 || strings.Contains(got.Text, "Answered by Ann") {
			t.Errorf("the settled card is\n%s %v", got.Text, got.Labels())
		}
	})
	t.Run("refused", func(t *testing.T) {
		r, term := open(t)
		r.card("Which store?")
		r.must("deny", r.status().Asks[0].ID, "-m", "decide yourself")
		term.Gone(questionDialog, within)
		term.Await("all done now", within)
		if !strings.Contains(r.refusal(), "decide yourself") {
			t.Errorf("the model was told %q", r.refusal())
		}
	})
}

// TestRealQuestionAtTheDialog: a question that is answered at the dialog
// withdraws its card, and its outcome is known.
func TestRealQuestionAtTheDialog(t *testing.T) {
	r := newRig(t, host.Need(t, host.Current))
	r.must("away", "on")
	one := map[string]any{"questions": asking()["questions"].([]any)[:1]}
	term := r.lab.Terminal()
	term.Submit("go " + model.Play(model.Call("AskUserQuestion", one), model.Say("all done now")))
	card := r.card("Which store?")
	term.Settle("Enter to select", "2")
	got := r.becomes(card, "Answered at the terminal · the session goes on")
	if len(got.Keyboard) != 0 {
		t.Errorf("a settled card has buttons: %v", got.Labels())
	}
	term.Await("all done now", within)
	if !strings.Contains(r.refusal(), `"Which store?"="Postgres"`) {
		t.Errorf("the model was told %q", r.refusal())
	}
}

// button waits until a card has a button.
func (r *rig) button(card botapi.Message, label string) {
	r.t.Helper()
	r.seen(func(m botapi.Message) bool { return m.ID == card.ID && slices.Contains(m.Labels(), label) }, label)
}
