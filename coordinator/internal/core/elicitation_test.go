package core_test

import (
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/session"
)

func elicitation(id string) ask.Ask {
	a := newAsk(id, "f")
	a.Kind, a.Tool, a.Form = ask.Elicitation, "MCP server lab",
		&ask.Form{Questions: []ask.Question{{Text: "one"}, {Text: "two"}}}
	return a
}

// TestElicitationAtTheTerminal checks that a form is left to the terminal at once if no phone
// can show it or the person does not want that, because the host's own form opens only when
// our hook ends.
func TestElicitationAtTheTerminal(t *testing.T) {
	for name, c := range map[string]struct {
		paired   bool
		mode     session.Mode
		attended bool
		want     ask.State
	}{
		"no phone":           {false, session.Auto, true, ask.Withdrawn},
		"away off":           {true, session.Off, true, ask.Withdrawn},
		"auto":               {true, session.Auto, true, ask.Open},
		"on":                 {true, session.On, true, ask.Open},
		"nobody is there":    {true, session.Off, false, ask.Open},
		"nobody, no phone":   {false, session.Auto, false, ask.Open},
		"away, but no phone": {false, session.On, true, ask.Withdrawn},
		"no channel rings":   {true, session.Auto, true, ask.Withdrawn},
		"away, none rings":   {true, session.On, true, ask.Open},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.silent = strings.Contains(name, "rings")
			if c.paired {
				r.pair()
			}
			r.see("s", "/p")
			r.ok(r.SetAway("", c.mode, 0))
			a := elicitation("ask_a")
			a.Attended = c.attended
			if got := r.openAsk(a); got.State != c.want {
				t.Errorf("have %s, want %s: %s", got.State, c.want, got.Ending())
			}
		})
	}
}

// TestElicitationHandedOver checks that typing hands a form to the terminal, unless the person
// said that they are away. The end of the turn ends the form.
func TestElicitationHandedOver(t *testing.T) {
	r := newRig(t)
	r.pair()
	r.see("s", "/p")
	r.openAsk(elicitation("ask_a"))
	r.ok(r.Typed("s", ""))
	if a := r.state("ask_a", ask.Withdrawn); a.Note != "handed to the terminal: somebody types there" {
		t.Errorf("have %q", a.Note)
	}
	r.ok(r.SetAway("", session.On, 0))
	r.openAsk(elicitation("ask_b"))
	r.ok(r.Typed("s", ""))
	r.state("ask_b", ask.Open)
	r.openAsk(newAsk("ask_c", "x"))
	agents := func(run bool) {
		_, err := r.See(session.Sighting{ID: "s", Agents: run, KnowAgents: true})
		r.ok(err)
	}
	agents(true)
	r.ok(r.Interrupted("s"))
	r.state("ask_b", ask.Open)
	agents(false)
	r.ok(r.Interrupted("s"))
	r.state("ask_b", ask.Cancelled)
	r.state("ask_c", ask.Open)
}

// TestElicitationGoesOn checks that a person who fills in a form gets more time.
func TestElicitationGoesOn(t *testing.T) {
	r := newRig(t)
	r.pair()
	r.see("s", "/p")
	r.openAsk(elicitation("ask_a"))
	r.pass(ask.SubagentFor - time.Second)
	_, err := r.Step("ask_a", ask.Say("1"), yes("Ada"))
	r.ok(err)
	r.pass(ask.AnsweringFor - time.Second)
	r.state("ask_a", ask.Open)
	_, err = r.Step("ask_a", ask.Say("2"), yes("Ada"))
	r.ok(err)
	r.state("ask_a", ask.Answered)
}
