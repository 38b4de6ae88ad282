package plugin_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/standin/botapi"
	"github.com/afar-sh/afar/coordinator/standin/host"
	"github.com/afar-sh/afar/coordinator/standin/model"
)

// planPath finds the file that the client tells the model to write its plan to.
var planPath = regexp.MustCompile(`/[^\s"\\]*/\.claude/plans/[\w-]+\.md`)

// planning lets the model write a plan and leave plan mode with it: once more
// for each time it is sent back.
func planning(plan string) func(model.Request) model.Turn {
	return func(r model.Request) model.Turn {
		results := r.ToolResults()
		switch last := strings.Join(results[max(0, len(results)-1):], ""); {
		case len(results) == 0:
			return model.Call("Write", map[string]any{"file_path": planPath.FindString(string(r.Raw)), "content": plan})
		case len(results) == 1, strings.Contains(last, "smaller steps"):
			return model.Call("ExitPlanMode", map[string]any{})
		}
		return model.Say("all done now")
	}
}

// TestRealPlan: a plan is read, approved and sent back from the phone.
func TestRealPlan(t *testing.T) {
	for name, version := range map[string]string{"current": host.Current, "oldest": host.Oldest} {
		t.Run(name, func(t *testing.T) { testPlan(t, version) })
	}
}

// planDialog is what the host asks under a plan.
const planDialog = `(?i)would you like to proceed|ready to (execute|code)`

func testPlan(t *testing.T, version string) {
	open := func(t *testing.T, plan string) (*rig, *host.Terminal) {
		r := newRig(t, host.Need(t, version))
		r.must("away", "on")
		r.model.Script(planning(plan))
		term := r.lab.Terminal("--permission-mode", "plan")
		term.Submit("make a plan")
		return r, term
	}
	const short = "# The plan\n1. write the tests first\n"
	t.Run("approved", func(t *testing.T) {
		r, term := open(t, short)
		card := r.card("write the tests first")
		if want := []string{"Approve ✅", "Approve and accept edits ✏️"}; !slices.Equal(card.Labels(), want) {
			t.Errorf("the buttons are %q", card.Labels())
		}
		term.Await(planDialog, within)
		r.tap(card, "Approve ✅")
		term.Await("all done now", within)
		r.becomes(card, "Approved by Ann")
		r.becomes(card, "the session goes on")
		r.mode("default")
	})
	t.Run("edits accepted", func(t *testing.T) {
		r, term := open(t, short)
		card := r.card("write the tests first")
		r.tap(card, "Approve and accept edits")
		term.Await("all done now", within)
		r.becomes(card, "edits accepted, by Ann")
		r.mode("acceptEdits")
	})
	t.Run("sent back", func(t *testing.T) {
		r, term := open(t, short)
		card := r.card("write the tests first")
		r.reply(card, "smaller steps, please")
		r.becomes(card, "Sent back by Ann")
		second := r.another(card, "write the tests first")
		r.mode("plan")
		r.tap(second, "Approve ✅")
		term.Await("all done now", within)
		if !strings.Contains(r.refusal(), "smaller steps, please") {
			t.Errorf("the model was told %q", r.refusal())
		}
		r.becomes(second, "the session goes on")
	})
	t.Run("long", func(t *testing.T) {
		r, term := open(t, "# The plan\n"+strings.Repeat("1. a step that is like the one before\n", 300)+"the last line\n")
		card := r.card("left out")
		file := r.seen(func(m botapi.Message) bool { return m.Document != nil }, "a file")
		if text := string(file.Document.Data); !strings.HasSuffix(strings.TrimSpace(text), "the last line") || strings.Count(text, "a step") != 300 {
			t.Errorf("the file has %d bytes and is not the whole plan", len(text))
		}
		r.reply(file, "smaller steps, please")
		r.becomes(card, "Sent back by Ann")
		term.Await("(?i)plan", within)
	})
}

// mode waits until the session's permission mode is known to be this one.
func (r *rig) mode(want string) {
	r.t.Helper()
	for deadline := time.Now().Add(within); ; time.Sleep(50 * time.Millisecond) { // no signal tells
		got := r.status().Sessions[0].Mode
		if got == want {
			return
		}
		if time.Now().After(deadline) {
			r.t.Fatalf("the session's mode is %q, not %q\n%s", got, want, r.trail())
		}
	}
}

// another waits for an open card that is not this one.
func (r *rig) another(card botapi.Message, text string) botapi.Message {
	r.t.Helper()
	return r.seen(func(m botapi.Message) bool {
		return m.ID != card.ID && len(m.Keyboard) > 0 && strings.Contains(m.Text, text)
	}, text)
}
