package loop

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestInFewWords checks the state of a loop in a list and on a line of its own.
func TestInFewWords(t *testing.T) {
	task := mustStop(looping(t, "Fix it", nil), Stopping{Tools: 1}, epoch).Stack
	for name, tt := range map[string]struct {
		stack       Stack
		brief, step string
	}{
		"none":      {Stack{}, "no loop", "none"},
		"a task":    {task, "running, 1/10: Fix it", "1/10"},
		"an issue":  {atWork(t, Stack{}, "run", nil), "", "1/10, issue 7"},
		"a review":  {inPhase(t, Reviewing), "", "has issue 7 reviewed"},
		"ended":     {mustFail(task, "broken", epoch).Stack, "", "none"},
		"cancelled": {must(Cancel(task, "ann", epoch)).Stack, "", "none"},
	} {
		if got := Step(tt.stack); got != tt.step {
			t.Errorf("%s: step %q, want %q", name, got, tt.step)
		}
		if got := Brief(tt.stack); tt.brief != "" && got != tt.brief {
			t.Errorf("%s: brief %q, want %q", name, got, tt.brief)
		}
	}
}

// TestCurrent checks that loop:current says how a loop ended, and names the issue in the issue
// frame and in its task frame.
func TestCurrent(t *testing.T) {
	if got := Current(looping(t, "fix", nil)); got.Verdict != "" || got.Proven {
		t.Errorf("a running loop: %+v", got)
	}
	s := looping(t, "fix", func(o *Options) { o.Check, o.CheckTimeout = "make", time.Minute })
	s = mustStop(s, Stopping{Message: markComplete}, epoch).Stack
	s = mustStop(s, Stopping{Check: &CheckResult{Frame: "a"}}, epoch).Stack
	if got := Current(s); got.Verdict != Done || !got.Proven {
		t.Errorf("one that has ended: %+v", got)
	}
	at := Level{Issue: "7", Worktree: "/repo/.worktrees/afar/7", Branch: "afar/issue/7", Base: "main"}
	levels := Current(atWork(t, Stack{}, "run", nil)).Stack
	for i, mode := range []Mode{Issues, Task} {
		got := levels[i]
		got.ID, got.Iter, got.Max, got.Digest, got.Phase = "", 0, 0, "", ""
		want := at
		want.Mode = mode
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", mode, diff)
		}
	}
	if levels[0].Phase != Working || levels[1].Phase != "" {
		t.Errorf("phases %q and %q", levels[0].Phase, levels[1].Phase)
	}
}
