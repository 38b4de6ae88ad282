package plugin_test

import (
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/standin/host"
	"github.com/afar-sh/afar/coordinator/standin/model"
)

// wanted is what the server of these tests asks for.
func wanted() map[string]any {
	return map[string]any{"message": "Who deploys?", "requestedSchema": map[string]any{"type": "object",
		"properties": map[string]any{
			"age":  map[string]any{"type": "integer", "minimum": 3, "maximum": 99},
			"dry":  map[string]any{"type": "boolean", "title": "Dry run?"},
			"env":  map[string]any{"type": "string", "enum": []string{"staging", "live"}, "enumNames": []string{"The stage", "Live!"}},
			"name": map[string]any{"type": "string", "description": "of the deployer", "minLength": 2},
			"note": map[string]any{"type": "string"},
		}, "required": []string{"age", "dry", "env", "name"}}}
}

func elicits(params map[string]any) string {
	return "go " + model.Play(model.Call("mcp__lab__ask", map[string]any{"params": params}), model.Say("all done now"))
}

// filledIn answers every field: by words, by a tap, wrongly first.
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

// TestRealElicitation: what an MCP server asks is answered from the phone, field
// by field, in each kind of session.
func TestRealElicitation(t *testing.T) {
	for name, version := range map[string]string{"current": host.Current, "oldest": host.Oldest} {
		t.Run("print/"+name, func(t *testing.T) {
			r := newRig(t, host.Need(t, version), "mcp__lab__ask")
			done := r.printing(elicits(wanted()), withServer(t, r)...)
			r.filledIn()
			<-done
			if got := r.refusal(); !strings.Contains(got, `"action":"accept"`) || !strings.Contains(got, content) {
				t.Errorf("the server was told %s", got)
			}
		})
		t.Run("print declined/"+name, func(t *testing.T) {
			r := newRig(t, host.Need(t, version), "mcp__lab__ask")
			done := r.printing(elicits(wanted()), withServer(t, r)...)
			card := r.card("Who deploys?")
			r.tap(card, "Decline")
			r.becomes(card, "Declined by Ann")
			<-done
			if got := r.refusal(); !strings.Contains(got, `{"action":"decline"}`) {
				t.Errorf("the server was told %s", got)
			}
		})
		t.Run("terminal/"+name, func(t *testing.T) {
			r := newRig(t, host.Need(t, version), "mcp__lab__ask")
			r.must("away", "on")
			term := r.lab.Terminal(withServer(t, r)...)
			term.Submit(elicits(wanted()))
			r.filledIn()
			term.Await("all done now", within)
			if got := r.refusal(); !strings.Contains(got, content) {
				t.Errorf("the server was told %s", got)
			}
		})
		t.Run("escape/"+name, func(t *testing.T) {
			r := newRig(t, host.Need(t, version), "mcp__lab__ask")
			r.must("away", "on")
			term := r.lab.Terminal(withServer(t, r)...)
			term.Submit(elicits(wanted()))
			card := r.card("Who deploys?")
			term.Keys("Escape")
			got := r.becomes(card, "ended at the terminal")
			if len(got.Keyboard) != 0 {
				t.Errorf("a settled card has buttons: %v", got.Labels())
			}
		})
	}
	t.Run("subagent", func(t *testing.T) { // its main agent stops while the form is open
		r := newRig(t, host.Need(t, host.Current), "mcp__lab__ask")
		r.must("away", "on")
		term := r.lab.Terminal(withServer(t, r)...)
		r.model.Script(func(q model.Request) model.Turn {
			sub := strings.Contains(q.Prompt(), "be the sub")
			switch {
			case sub && q.Turns() == 0:
				return model.Call("mcp__lab__ask", map[string]any{"params": wanted()})
			case !sub && q.Turns() == 0 && strings.Contains(q.Prompt(), "go on"):
				return model.Call("Agent", map[string]any{"description": "d", "prompt": "be the sub", "subagent_type": "general-purpose"})
			}
			return model.Say("first end")
		})
		term.Submit("go on")
		r.card("1/5 age")
		term.Await("first end", within)
		r.filledIn()
		r.asked(content)
	})
	t.Run("away off", func(t *testing.T) {
		r := newRig(t, host.Need(t, host.Current), "mcp__lab__ask")
		r.must("away", "off")
		term := r.lab.Terminal(withServer(t, r)...)
		begun := time.Now()
		term.Submit(elicits(wanted()))
		term.Await(formDialog, within)
		if took := time.Since(begun); took > 10*time.Second {
			t.Errorf("the dialog came after %v", took)
		}
		if strings.Contains(r.phone(), "deploys") {
			t.Errorf("the phone shows\n%s", r.phone())
		}
	})
	t.Run("typing hands it over", func(t *testing.T) {
		r := newRig(t, host.Need(t, host.Current), "mcp__lab__ask")
		term := r.lab.Terminal(withServer(t, r)...)
		term.Submit(elicits(wanted()))
		card := r.card("Who deploys?")
		term.Submit("I am here")
		term.Await(formDialog, within)
		r.becomes(card, "handed to the terminal")
	})
	t.Run("a page", func(t *testing.T) {
		r := newRig(t, host.Need(t, host.Current), "mcp__lab__ask")
		done := r.printing(elicits(map[string]any{"mode": "url", "message": "Sign in", "url": "https://id.example/x?a=1&b=2", "elicitationId": "e1"}), withServer(t, r)...)
		card := r.card("https://id.example/x?a=1&b=2")
		r.tap(card, "Accept")
		r.becomes(card, "Accepted by Ann")
		<-done
		if got := r.refusal(); !strings.Contains(got, `{"action":"accept"}`) {
			t.Errorf("the server was told %s", got)
		}
	})
}
