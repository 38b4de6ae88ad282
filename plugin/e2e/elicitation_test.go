//go:build unix

package e2e

import (
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/standin/botapi"
	"github.com/afar-sh/afar/coordinator/standin/host"
	"github.com/afar-sh/afar/coordinator/standin/long"
	"github.com/afar-sh/afar/coordinator/standin/model"
)

// wanted returns the form of the server in these tests.
func wanted() map[string]any {
	return map[string]any{"message": "Who deploys?", "requestedSchema": map[string]any{"type": "object",
		"properties": map[string]any{
			"age": map[string]any{"type": "integer", "minimum": 3, "maximum": 99},
			"dry": map[string]any{"type": "boolean", "title": "Dry run?"},
			"env": map[string]any{"type": "string", "enum": []string{"staging", "live"},
				"enumNames": []string{"The stage", "Live!"}},
			"name": map[string]any{"type": "string", "description": "of the deployer", "minLength": 2},
			"note": map[string]any{"type": "string"},
		}, "required": []string{"age", "dry", "env", "name"}}}
}

func elicit(params map[string]any) model.Turn {
	return model.Call("mcp__lab__ask", map[string]any{"params": params})
}

// filledIn answers every field, by text or by a tap. Its first answers are wrong.
func (r *rig) filledIn() {
	r.t.Helper()
	card := r.card("1/5 age")
	r.reply(card, "two")
	r.said("it takes a whole number of 3 to 99")
	r.reply(card, "42")
	r.card("2/5 Dry run?")
	r.tap(card, "No")
	r.card("3/5 env")
	r.tap(card, "Live!")
	r.card("4/5 name")
	r.reply(card, `Ann "the" O'Hara`)
	r.card("5/5 note")
	r.tap(card, "Leave it out")
	got := r.becomes(card, "Answered by Ann")
	if len(got.Keyboard) != 0 || !strings.Contains(got.Text, "the server has it") {
		r.becomes(card, "the server has it")
	}
}

const content = `"content":{"age":42,"dry":false,"env":"live","name":"Ann \"the\" O'Hara"}`

// formDialog is the host's own dialog for a form.
const formDialog = `requests your input`

// TestRealElicitation: the phone answers the question of an MCP server, field by field, in
// each kind of session.
func TestRealElicitation(t *testing.T) {
	t.Parallel()
	for name, version := range clients {
		t.Run("print/"+name, func(t *testing.T) {
			long.Only(t)
			testElicitationPrint(t, version)
		})
		t.Run("terminal/"+name, func(t *testing.T) { testElicitationTerminal(t, version) })
	}
}

// testElicitationPrint checks three questions in one session: a form that is filled in, one
// that is declined, and a page.
func testElicitationPrint(t *testing.T, version string) {
	r := newRig(t, host.NeedLong(t, version), "mcp__lab__ask")
	page := map[string]any{"mode": "url", "message": "Sign in", "url": "https://id.example/x?a=1&b=2",
		"elicitationId": "e1"}
	calls := []model.Turn{elicit(wanted()), elicit(wanted())}
	if version == host.Current {
		calls = append(calls, elicit(page))
	}
	done := r.printing(play(append(calls, model.Say("fin"))...), withServer(t, r)...)
	r.part("filled in", func() {
		r.filledIn()
		r.asked(content)
		if got := r.refusal(); !strings.Contains(got, `"action":"accept"`) {
			r.t.Errorf("the server was told %s", got)
		}
	})
	r.part("declined", func() {
		card := r.open("1/5 age")
		r.tap(card, "Decline")
		r.becomes(card, "Declined by Ann")
		r.asked(`{"action":"decline"}`)
	})
	if version == host.Current {
		r.part("a page", func() {
			card := r.open("https://id.example/x?a=1&b=2")
			r.tap(card, "Accept")
			r.becomes(card, "Accepted by Ann")
			r.asked(`{"action":"accept"}`)
		})
	}
	<-done
}

// open waits for an open question that contains text, even one of an earlier part.
func (r *rig) open(text string) botapi.Message {
	r.t.Helper()
	r.since = 0
	return r.card(text)
}

func testElicitationTerminal(t *testing.T, version string) {
	r := newRig(t, host.NeedLong(t, version), "mcp__lab__ask")
	r.configure("[checkin]\nhold = \"0s\"")
	r.must("away", "on")
	r.term = r.lab.Terminal(withServer(t, r)...)
	r.served()
	r.part("filled in", func() {
		r.ask("form", elicit(wanted()))
		r.filledIn()
		r.did("form")
		if got := r.refusal(); !strings.Contains(got, content) {
			r.t.Errorf("the server was told %s", got)
		}
	})
	if version == host.Current {
		r.attended()
	}
	// This part is last, because the host may open its dialog.
	r.part("escape", func() {
		r.model.Script(nil)
		r.ask("escape", elicit(wanted()))
		card := r.card("Who deploys?")
		r.term.Keys("Escape")
		got := r.becomes(card, "ended at the terminal")
		if len(got.Keyboard) != 0 {
			r.t.Errorf("a settled card has buttons: %v", got.Labels())
		}
	})
}

// attended checks the other ways in which a form at a terminal can end.
func (r *rig) attended() {
	r.part("away off", func() {
		r.must("away", "off")
		before := r.phone()
		r.ask("off", elicit(wanted()))
		r.term.Await(formDialog, within)
		if after := r.phone(); strings.Count(after, "deploys") > strings.Count(before, "deploys") {
			r.t.Errorf("the phone shows\n%s", after)
		}
		r.term.Settle(formDialog, "Escape")
		r.did("off")
		r.must("away", "auto")
	})
	r.part("typing hands it over", func() {
		r.ask("typed", elicit(wanted()))
		card := r.card("Who deploys?")
		r.term.Submit("I am here")
		r.term.Await(formDialog, within)
		r.becomes(card, "handed to the terminal")
		r.term.Settle(formDialog, "Escape")
		r.did("typed")
	})
	r.part("subagent", func() { // its main agent stops while the form is open
		r.model.Script(func(q model.Request) model.Turn {
			sub := strings.Contains(q.Prompt(), "be the sub")
			switch {
			case sub && q.Turns() == 0:
				return elicit(wanted())
			case !sub && q.Turns() == 0 && strings.Contains(q.Prompt(), "go on"):
				return model.Call("Agent", map[string]any{"description": "d", "prompt": "be the sub",
					"subagent_type": "general-purpose"})
			}
			return model.Say("first end")
		})
		r.term.Submit("go on")
		r.card("1/5 age")
		r.term.Await("first end", within)
		r.filledIn()
		r.heard(content, func(q model.Request) bool {
			return strings.Contains(q.Prompt(), "be the sub") &&
				q.Has(content)
		})
	})
}
