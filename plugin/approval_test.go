package plugin_test

import (
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/standin/host"
	"github.com/afar-sh/afar/coordinator/standin/model"
)

// TestRealPrint is proof a: in a print session a call raises an ask; Allow
// lets it run, Deny stops it and the model reads why.
func TestRealPrint(t *testing.T) {
	t.Run("allow", func(t *testing.T) {
		r := newRig(t, host.Need(t, host.Current))
		done := r.printing("go " + model.Play(model.Bash("touch made"), model.Say("fin")))
		card := r.card("touch made")
		r.tap(card, "Allow")
		if res := <-done; res.Exit != 0 {
			t.Errorf("exit %d: %s", res.Exit, res.Stderr)
		}
		if !r.exists("made") {
			t.Errorf("the tool did not run\n%s", r.trail())
		}
		got := r.becomes(card, "ran ok")
		if len(got.Keyboard) != 0 || !strings.Contains(got.Text, "Allowed by Ann") {
			t.Errorf("the settled card is\n%s %v", got.Text, got.Labels())
		}
	})
	t.Run("deny", func(t *testing.T) {
		r := newRig(t, host.Need(t, host.Current))
		done := r.printing("go " + model.Play(model.Bash("touch made"), model.Say("fin")))
		card := r.card("touch made")
		r.tap(card, "Deny")
		<-done
		if r.exists("made") {
			t.Error("the tool ran")
		}
		if got := r.refusal(); !strings.Contains(got, "Denied by Ann") {
			t.Errorf("the model was told %q", got)
		}
		r.becomes(card, "Denied by Ann")
	})
}

// TestRealPrintGuard is the guard's part of proof a, on the old client too: a
// risky call waits for the phone, in PreToolUse itself.
func TestRealPrintGuard(t *testing.T) {
	risky := "bash -c \"$(cat recipe.txt)\""
	for name, version := range map[string]string{"current": host.Current, "oldest": host.Oldest} {
		for _, button := range []string{"Allow", "Deny"} {
			t.Run(name+"/"+button, func(t *testing.T) {
				r := newRig(t, host.Need(t, version))
				write(t, r.lab.Project, "recipe.txt", "touch made\n")
				done := r.printing("go " + model.Play(model.Bash(risky), model.Say("fin")))
				card := r.card("recipe.txt")
				r.tap(card, button)
				<-done
				if r.exists("made") != (button == "Allow") {
					t.Errorf("after %s the file exists: %v\n%s", button, r.exists("made"), r.trail())
				}
				if button == "Deny" && !strings.Contains(r.refusal(), "Denied by Ann") {
					t.Errorf("the model was told %q", r.refusal())
				}
			})
		}
	}
}

// TestRealTerminal is proof b: the card appears while the dialog is open, and
// the first answer wins, wherever it comes from.
func TestRealTerminal(t *testing.T) {
	for name, version := range map[string]string{"current": host.Current, "oldest": host.Oldest} {
		t.Run(name, func(t *testing.T) { testTerminal(t, version) })
	}
}

// dialog is the host's permission dialog.
const dialog = `Do you want to proceed`

func testTerminal(t *testing.T, version string) {
	open := func(t *testing.T, command string) (*rig, *host.Terminal) {
		r := newRig(t, host.Need(t, version))
		r.must("away", "on")
		term := r.lab.Terminal("--permission-mode", "default")
		term.Submit("go " + model.Play(model.Bash(command), model.Say("all done now")))
		term.Await(dialog, within)
		return r, term
	}
	t.Run("phone first", func(t *testing.T) {
		r, term := open(t, "echo run >> made")
		card := r.card("echo run")
		r.tap(card, "Allow")
		term.Gone(dialog, within)
		r.becomes(card, "ran ok")
		if n := r.lines("made"); n != 1 {
			t.Errorf("the tool ran %d times", n)
		}
	})
	t.Run("terminal first", func(t *testing.T) {
		r, term := open(t, "sleep 6; echo run >> made")
		card := r.card("sleep 6")
		term.Settle(dialog, "1")
		start := time.Now()
		got := r.becomes(card, "at the terminal")
		if took := time.Since(start); took > 2*time.Second {
			t.Errorf("the card said so after %v", took)
		}
		if len(got.Keyboard) != 0 {
			t.Errorf("a settled card has buttons: %v", got.Labels())
		}
		r.becomes(card, "ran ok")
	})
	t.Run("escape", func(t *testing.T) {
		r, term := open(t, "echo run >> made")
		card := r.card("echo run")
		term.Settle(dialog, "Escape")
		r.becomes(card, "at the terminal")
		if r.exists("made") {
			t.Error("the tool ran")
		}
	})
	t.Run("coordinator killed", func(t *testing.T) {
		r, term := open(t, "echo run >> made")
		card := r.card("echo run")
		r.kill()
		r.must("start")
		r.tap(card, "Allow")
		term.Gone(dialog, within)
		r.becomes(card, "ran ok")
		if n := r.lines("made"); n != 1 {
			t.Errorf("the tool ran %d times", n)
		}
	})
}

// TestRealAuto is proof c: in the client's default mode, where ordinary calls
// raise no question, a call that our guard marks reaches the phone.
func TestRealAuto(t *testing.T) {
	r := newRig(t, host.Need(t, host.Current))
	write(t, r.lab.Project, "recipe.txt", "touch made\n")
	r.must("away", "on")
	term := r.lab.Terminal()
	term.Submit("go " + model.Play(model.Bash("bash -c \"$(cat recipe.txt)\""), model.Say("all done now")))
	card := r.card("recipe.txt")
	r.tap(card, "Allow")
	r.becomes(card, "ran ok")
	if !r.exists("made") {
		t.Error("the tool did not run")
	}
	term.Await("all done now", within)
}
