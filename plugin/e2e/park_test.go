//go:build unix

package e2e

import (
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/standin/host"
	"github.com/afar-sh/afar/coordinator/standin/long"
	"github.com/afar-sh/afar/coordinator/standin/model"
)

// late is the text that tells a session of an Allow that came after the refusal.
const late = "has meanwhile allowed a call that was refused before"

// endWait ends a print session that waits for the answers to its parked calls. The kill
// switch ends every wait.
func (r *rig) endWait(done <-chan host.Result) {
	r.t.Helper()
	r.must("pause")
	<-done
	r.must("resume")
}

// TestRealParkedStop: a print session with a parked call does not end before the call is
// answered. It is told the answer and continues. Clients that fail open park calls at once,
// so this test runs on the oldest client.
func TestRealParkedStop(t *testing.T) {
	long.Only(t)
	t.Parallel()
	risky := "bash -c \"$(awk 1 recipe.txt)\""
	again := func(answered string) func(model.Request) model.Turn {
		return func(q model.Request) model.Turn {
			switch {
			case q.Turns() == 0, q.Turns() == 2 && q.Has(late):
				return model.Bash(risky)
			case q.Turns() == 1:
				return model.Say("fin")
			}
			return model.Say(answered)
		}
	}
	t.Run("yes", func(t *testing.T) {
		r := newRig(t, host.Need(t, host.Oldest))
		write(t, r.lab.Project, "recipe.txt", "echo run >> made\n")
		r.model.Script(again("all done now"))
		done := r.printing("go", "--permission-mode", "bypassPermissions")
		card := r.card("recipe.txt")
		r.kill() // the wait outlives the coordinator
		r.must("start")
		r.tap(card, "Allow")
		res := <-done
		if n := r.lines("made"); n != 1 || !strings.Contains(res.Text, "all done now") {
			t.Errorf("the tool ran %d times; the client said %q\n%s", n, res.Text, r.trail())
		}
		r.becomes(card, "ran ok")
	})
	t.Run("no, with words", func(t *testing.T) {
		r := newRig(t, host.Need(t, host.Oldest))
		r.model.Script(again("all done now"))
		done := r.printing("go", "--permission-mode", "bypassPermissions")
		r.reply(r.card("recipe.txt"), "write it down instead")
		<-done
		r.asked("write it down instead")
		if r.exists("made") {
			t.Error("a refused call ran")
		}
	})
	t.Run("the session ended meanwhile", func(t *testing.T) {
		r := newRig(t, host.Need(t, host.Oldest))
		write(t, r.lab.Project, "recipe.txt", "echo run >> made\n")
		id := "0a1b2c3d-0000-4000-8000-0000000000aa"
		r.model.Script(again("all done now"))
		done := r.printing("go", "--permission-mode", "bypassPermissions", "--session-id", id)
		card := r.card("recipe.txt")
		r.endWait(done)
		r.tap(card, "Allow")
		r.becomes(card, "for one try")
		r.print("go on", "--permission-mode", "bypassPermissions", "--resume", id)
		q := r.asked(late)
		if n := strings.Count(strings.Join(q.Texts(), "\n"), late); n != 1 {
			t.Errorf("told %d times:\n%s", n, strings.Join(q.Texts(), "\n---\n"))
		}
		if n := r.lines("made"); n != 1 {
			t.Errorf("the tool ran %d times\n%s", n, r.trail())
		}
		r.becomes(card, "ran ok")
	})
}
