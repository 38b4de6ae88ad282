//go:build unix

package e2e

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/standin/host"
	"github.com/afar-sh/afar/coordinator/standin/long"
	"github.com/afar-sh/afar/coordinator/standin/model"
)

// first lets the model answer the prompt "go" with tools, and every other prompt with the
// script in it.
func (r *rig) first(tools ...model.Tool) {
	r.model.Script(func(q model.Request) model.Turn {
		if q.Prompt() == "go" && q.Turns() == 0 {
			return model.Turn{Tools: tools}
		}
		return q.Scripted()
	})
}

func bash(command string) model.Tool {
	return model.Tool{Name: "Bash", Input: map[string]any{"command": command, "description": "scripted step"}}
}

// TestRealTwins: identical calls of parallel subagents are one card, and one tap lets each
// of them run once. Another call has its own card. The outcome of a call is known even if
// the session has continued with another prompt, which the end of an agent causes.
func TestRealTwins(t *testing.T) {
	long.Only(t)
	r := newRig(t, host.Need(t, host.Current))
	r.must("away", "on")
	term := r.lab.Terminal("--permission-mode", "default")
	var tools []model.Tool
	for _, command := range []string{"echo run >> made", "echo run >> made", "echo run >> made",
		"echo other >> other", "echo late >> late"} {
		tools = append(tools, model.Tool{Name: "Agent", Input: map[string]any{
			"description": "sub", "subagent_type": "general-purpose", "prompt": "do " +
				model.Play(model.Bash(command), model.Say("sub done")),
		}})
	}
	r.first(tools...)
	term.Submit("go")
	card := r.card("×3")
	if !strings.Contains(card.Text, "3 subagents (general-purpose ×3)") {
		t.Errorf("the card does not say who asks:\n%s", card.Text)
	}
	other, late := r.card("echo other"), r.card("echo late")
	if out := r.must("asks"); !strings.Contains(out, "wants to run a command ×3") || strings.Count(out, "echo run") != 1 {
		t.Errorf("afar asks says\n%s", out)
	}
	r.tap(card, "Allow")
	for end := time.Now().Add(within); r.lines("made") < 3 && time.Now().Before(end); {
		time.Sleep(20 * time.Millisecond) // nothing tells of a line
	}
	if n := r.lines("made"); n != 3 {
		t.Fatalf("the call ran %d times\n%s", n, r.trail())
	}
	r.becomes(card, "all 3 ran ok")
	term.Await(`Agent "sub" finished`, within)
	r.tap(late, "Allow")
	r.becomes(late, "ran ok")
	r.tap(other, "Deny")
	r.becomes(other, "not run")
	if r.exists("other") {
		t.Error("the other call ran")
	}
}

// TestRealPerhaps: the host shows the dialogs of parallel calls one after the other, in any
// order, and does not report a yes while others wait. A card that may be settled says so,
// until the outcome is certain. (The oldest client does not ask about such calls.)
func TestRealPerhaps(t *testing.T) {
	long.Only(t)
	r := newRig(t, host.Need(t, host.Current))
	r.must("away", "on")
	term := r.lab.Terminal("--permission-mode", "default")
	const slow = "sleep 12; cat /etc/hostname"
	calls := []string{slow, "cat /etc/hosts", "cat /etc/os-release", "cat /etc/passwd", "cat /etc/group"}
	var tools []model.Tool
	for _, command := range calls {
		tools = append(tools, bash(command))
	}
	r.first(tools...)
	term.Submit("go")
	term.Await(dialog, within)
	left := map[string]bool{}
	for _, command := range calls {
		r.card("\n" + command)
		left[command] = true
	}
	for left[slow] || len(left) > 3 { // at least one other ran by then
		delete(left, settle(t, term, calls))
		if len(left) == 1 {
			t.Skip("the host showed the slow call last: there is no doubt to see")
		}
	}
	card := r.card("\n" + slow)
	if len(left) > 1 {
		card = r.becomes(card, "Perhaps settled")
	}
	r.tap(card, "Deny") // too late, and in the end the card does not say otherwise
	done := r.becomes(card, "ran ok")
	if !strings.Contains(done.Text, "Answered at the terminal") || strings.Contains(done.Text, "Denied") {
		t.Errorf("the card ends as\n%s", done.Text)
	}
	for command := range left {
		last := r.card("\n" + command)
		r.tap(last, "Allow")
		if done := r.becomes(last, "ran ok"); !strings.Contains(done.Text, "Allowed by Ann") {
			t.Errorf("the card of %s ends as\n%s", command, done.Text)
		}
	}
}

// settle answers yes at the open dialog and returns the call that it was about.
func settle(t *testing.T, term *host.Terminal, calls []string) string {
	t.Helper()
	of := func(command string) string { return `\n ` + regexp.QuoteMeta(command) + `[\n ]` }
	for end := time.Now().Add(within); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		screen := term.Screen()
		for _, command := range calls {
			if regexp.MustCompile(of(command)).MatchString(screen) {
				term.Settle(of(command), "1")
				return command
			}
		}
	}
	t.Fatalf("no dialog is shown:\n%s", term.Screen())
	return ""
}
