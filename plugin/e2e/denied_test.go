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

// scripted is a call that auto mode refuses here. The guard has no opinion on it.
const scripted = "sh step.sh"

// strict makes the client's auto mode refuse that script, like its classifier might.
func (r *rig) strict() {
	write(r.t, r.lab.Project, "step.sh", "echo run >> made\n")
	r.model.Judge(func(q model.Request) string {
		lines := strings.Split(strings.TrimSpace(q.Judged()), "\n")
		for _, line := range lines[max(0, len(lines)-12):] {
			if strings.Contains(line, "sh step.sh") {
				return "Code from External"
			}
		}
		return ""
	})
}

// TestRealDenied: a call that auto mode refuses becomes a card with the reason. Retry once
// lets exactly that call run once, in each kind of session.
func TestRealDenied(t *testing.T) {
	t.Parallel()
	for name, version := range clients {
		t.Run("print/"+name, func(t *testing.T) {
			r := newRig(t, host.NeedLong(t, version))
			r.strict()
			call := model.Bash(scripted)
			done := r.printing(play(call, model.Say("first end"), model.Bash(scripted+" -r"), call, call,
				model.Say("second end")), "--permission-mode", "auto")
			card := r.card("auto mode refused it")
			if !strings.Contains(card.Text, "Code from External") ||
				strings.Join(card.Labels(), " ") != "Retry once 🔁" {
				t.Errorf("the card is\n%s %v", card.Text, card.Labels())
			}
			if r.exists("made") {
				t.Fatal("the refused call ran")
			}
			r.tap(card, "Retry once")
			r.becomes(card, "ran ok")
			changed := r.card("sh step.sh -r")
			again := r.seen(func(m botapi.Message) bool {
				return len(m.Keyboard) > 0 && m.ID != card.ID && m.ID != changed.ID &&
					strings.Contains(m.Text, "sh step.sh")
			}, "a second refusal of the same call")
			r.reply(changed, "leave that")
			r.reply(again, "that is enough now")
			if res := <-done; res.Exit != 0 {
				t.Errorf("exit %d: %s", res.Exit, res.Stderr)
			}
			if n := r.lines("made"); n != 1 {
				t.Errorf("the call ran %d times\n%s", n, r.trail())
			}
			r.asked("that is enough now")
		})
	}
	t.Run("terminal", func(t *testing.T) {
		long.Only(t)
		r := newRig(t, host.Need(t, host.Current))
		r.strict()
		r.must("away", "on")
		call := model.Bash(scripted)
		r.model.Script(func(q model.Request) model.Turn {
			if q.Has("may run once until") && len(q.ToolResults()) < 2 {
				return call
			}
			return q.Scripted()
		})
		term := r.lab.Terminal("--permission-mode", "auto")
		term.Submit(play(call, model.Say("first end")))
		card := r.card("auto mode refused it")
		term.Await("first end", within) // nobody has answered yet: the terminal is not held
		r.tap(card, "Retry once")
		r.becomes(card, "ran ok")
		if n := r.lines("made"); n != 1 {
			t.Errorf("the call ran %d times\n%s", n, r.trail())
		}
	})
}
