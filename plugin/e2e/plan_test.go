//go:build unix

package e2e

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

// planPath matches the file into which the client tells the model to write its plan.
var planPath = regexp.MustCompile(`/[^\s"\\]*/\.claude/plans/[\w-]+\.md`)

const (
	shortPlan = "# The plan\n1. write the tests first\n"
	lastLine  = "the last line\n"
)

// planning is a model that writes a plan and leaves plan mode with it. The plan is long, or
// short if the person sent the first one back or asked for a short one.
func planning(r model.Request) model.Turn {
	results := r.ToolResults()
	last := strings.Join(results[max(0, len(results)-1):], "")
	plan := func(text string) model.Turn {
		return model.Call("Write", map[string]any{"file_path": planPath.FindString(string(r.Raw)), "content": text})
	}
	switch {
	case strings.Contains(last, "smaller steps"):
		return plan(shortPlan)
	case r.Turns() == 0 && strings.Contains(r.Prompt(), "a short plan"):
		return plan(shortPlan)
	case r.Turns() == 0:
		return plan("# The plan\n" + strings.Repeat("1. a step that is like the one before\n", 300) + lastLine)
	case r.Turns() == 1, r.Turns() == 3 && r.Has("smaller steps") && !strings.Contains(r.Prompt(), "a short plan"):
		return model.Call("ExitPlanMode", map[string]any{})
	}
	return model.Say("all done with " + r.Prompt())
}

// TestRealPlan: a plan is read, approved and sent back from the phone.
func TestRealPlan(t *testing.T) {
	t.Parallel()
	for name, version := range clients {
		t.Run(name, func(t *testing.T) {
			testPlan(newSession(t, host.NeedLong(t, version), "--permission-mode", "plan"))
		})
	}
}

// planDialog is the host's question under a plan.
const planDialog = `(?i)would you like to proceed|ready to (execute|code)`

func testPlan(r *rig) {
	r.model.Script(planning)
	r.part("approved", func() {
		r.term.Submit("a short plan")
		card := r.card("write the tests first")
		if want := []string{"Approve (it asks before edits) ✅", "Approve and accept edits ✏️", "Deny ⛔"}; !slices.Equal(card.Labels(), want) {
			r.t.Errorf("the buttons are %q", card.Labels())
		}
		r.term.Await(planDialog, within)
		r.tap(card, "Approve (it asks")
		r.did("a short plan")
		r.becomes(card, "Approved by Ann")
		r.becomes(card, "the session goes on")
		r.mode("default")
	})
	r.part("long, sent back, edits accepted", func() {
		for _, next := range []string{"accept edits on", "plan mode on"} {
			r.term.Keys("BTab")
			r.term.Await(next, within)
		}
		r.term.Submit("a long plan")
		long := r.card("left out")
		r.term.Await(planDialog, within)
		file := r.seen(func(m botapi.Message) bool { return m.Document != nil }, "a file")
		text := strings.TrimSpace(string(file.Document.Data))
		if !strings.HasSuffix(text, strings.TrimSpace(lastLine)) || strings.Count(text, "a step") != 300 {
			r.t.Errorf("the file has %d bytes and is not the whole plan", len(text))
		}
		r.reply(file, "smaller steps, please")
		r.becomes(long, "Sent back by Ann")
		second := r.card("write the tests first")
		r.mode("plan")
		if !strings.Contains(r.refusal(), "smaller steps, please") {
			r.t.Errorf("the model was told %q", r.refusal())
		}
		r.tap(second, "Approve and accept edits")
		r.did("a long plan")
		r.becomes(second, "edits accepted, by Ann")
		r.mode("acceptEdits")
	})
}

// mode waits until the coordinator knows that the session has a permission mode.
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
