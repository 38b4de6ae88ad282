//go:build unix

package e2e

import (
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/standin/botapi"
	"github.com/afar-sh/afar/coordinator/standin/host"
	"github.com/afar-sh/afar/coordinator/standin/long"
	"github.com/afar-sh/afar/coordinator/standin/model"
)

// TestRealPrint is proof a: in a print session a call raises an ask. Allow lets it run;
// Deny stops it, and the model reads why.
func TestRealPrint(t *testing.T) {
	r := newRig(t, host.Need(t, host.Current))
	done := r.printing(play(model.Bash("touch refused"), model.Bash("touch made"), model.Say("fin")))
	r.part("deny", func() {
		card := r.open("touch refused")
		r.tap(card, "Deny")
		r.becomes(card, "Denied by Ann")
		r.asked("Denied by Ann")
		if r.exists("refused") {
			r.t.Error("the tool ran")
		}
	})
	r.part("allow", func() {
		card := r.open("touch made")
		r.tap(card, "Allow")
		got := r.becomes(card, "ran ok")
		if len(got.Keyboard) != 0 || !strings.Contains(got.Text, "Allowed by Ann") {
			r.t.Errorf("the settled card is\n%s %v", got.Text, got.Labels())
		}
		if !r.exists("made") {
			r.t.Errorf("the tool did not run\n%s", r.trail())
		}
	})
	if res := <-done; res.Exit != 0 {
		t.Errorf("exit %d: %s", res.Exit, res.Stderr)
	}
}

// TestRealPrintGuard is the guard's part of proof a, also on the oldest client: the
// PreToolUse hook of a risky call waits for the phone.
func TestRealPrintGuard(t *testing.T) {
	t.Parallel()
	const risky = "bash -c \"$(awk 1 recipe.txt)\""
	for name, version := range clients {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, host.NeedLong(t, version))
			write(t, r.lab.Project, "recipe.txt", "echo run >> made\n")
			done := r.printing(play(model.Bash(risky), model.Bash(risky), model.Say("fin")))
			first := r.card("recipe.txt")
			r.tap(first, "Deny")
			isSecond := func(m botapi.Message) bool { return m.ID != first.ID && len(m.Keyboard) > 0 }
			second := r.seen(isSecond, "a second card")
			if r.exists("made") || !strings.Contains(r.refusal(), "Denied by Ann") {
				t.Errorf("made: %v, the model was told %q", r.exists("made"), r.refusal())
			}
			r.tap(second, "Allow")
			<-done
			if n := r.lines("made"); n != 1 {
				t.Errorf("after Allow the tool ran %d times\n%s", n, r.trail())
			}
		})
	}
}

// TestRealTerminal is proof b: the card appears while the dialog is open, and the first
// answer wins, from the phone or the terminal.
func TestRealTerminal(t *testing.T) {
	t.Parallel()
	for name, version := range clients {
		t.Run(name, func(t *testing.T) {
			testTerminal(newSession(t, host.NeedLong(t, version), "--permission-mode", "default"))
		})
	}
}

// dialog is the host's permission dialog.
const dialog = `Do you want to proceed`

// opens makes the session ask for a command that writes one line into the file name. It
// returns the card while the dialog is open.
func (r *rig) opens(name, command string) botapi.Message {
	r.t.Helper()
	r.ask(name, model.Bash(command+"echo run >> "+name))
	r.term.Await(dialog, within)
	return r.card("run >> " + name)
}

func testTerminal(r *rig) {
	once := func(name string) {
		r.t.Helper()
		if n := r.lines(name); n != 1 {
			r.t.Errorf("the tool ran %d times\n%s", n, r.trail())
		}
	}
	// This part is first, while the project has no other untracked files.
	r.part("undo, allowed on the phone", func() {
		r.cleans("phone", func(card botapi.Message) { r.tap(card, "Allow") })
	})
	r.part("undo, allowed at the terminal", func() {
		r.cleans("terminal", func(botapi.Message) { r.term.Settle(dialog, "1") })
	})
	r.part("phone first", func() {
		card := r.opens("phone", "")
		r.tap(card, "Allow")
		r.term.Gone(dialog, within)
		r.becomes(card, "ran ok")
		once("phone")
		r.did("phone")
	})
	r.part("terminal first", func() {
		card := r.opens("terminal", "sleep 6; ")
		r.term.Settle(dialog, "1")
		got := r.becomes(card, "at the terminal")
		if r.exists("terminal") {
			r.t.Error("the card said so no sooner than the tool had run")
		}
		if len(got.Keyboard) != 0 {
			r.t.Errorf("a settled card has buttons: %v", got.Labels())
		}
		r.becomes(card, "ran ok")
		r.did("terminal")
	})
	r.part("escape", func() {
		card := r.opens("escape", "")
		r.term.Settle(dialog, "Escape")
		r.becomes(card, "at the terminal")
		if r.exists("escape") {
			r.t.Error("the tool ran")
		}
	})
	r.part("coordinator killed", func() {
		card := r.opens("killed", "")
		r.kill()
		r.must("start")
		r.tap(card, "Allow")
		r.term.Gone(dialog, within)
		r.becomes(card, "ran ok")
		once("killed")
		r.did("killed")
	})
	// A late answer counts as the phone's if it comes before the tool runs: the host does not
	// count the wait as time of the tool.
	r.part("slow yes", func() {
		card := r.opens("slow", "")
		time.Sleep(6 * time.Second) // as long as no run may be thought to have begun before
		r.tap(card, "Allow")
		if got := r.becomes(card, "ran ok"); !strings.Contains(got.Text, "Allowed by Ann") {
			r.t.Errorf("the card ends as\n%s", got.Text)
		}
		r.did("slow")
	})
	r.part("grant", r.grants)
	r.part("always", r.always)
}

// TestRealAuto is proof c: in the client's default mode ordinary calls raise no question,
// but a call that the guard marks reaches the phone.
func TestRealAuto(t *testing.T) {
	long.Only(t)
	r := newRig(t, host.Need(t, host.Current))
	write(t, r.lab.Project, "recipe.txt", "touch made\n")
	r.must("away", "on")
	term := r.lab.Terminal()
	term.Submit(play(model.Bash("bash -c \"$(awk 1 recipe.txt)\""), model.Say("all done now")))
	card := r.card("recipe.txt")
	r.tap(card, "Allow")
	r.becomes(card, "ran ok")
	if !r.exists("made") {
		t.Error("the tool did not run")
	}
	term.Await("all done now", within)
}
