package loop

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/afar-sh/afar/coordinator/internal/usage"
)

// advance applies a result to the errand of the innermost issue frame.
func advance(t testing.TB, s Stack, r Result) Stack {
	t.Helper()
	at := -1
	for i, f := range s.Frames {
		if f.Issue != nil {
			at = i
		}
	}
	o, err := Advance(s, s.Frames[at].ID, s.Frames[at].Issue.Step, r, epoch)
	if err != nil {
		t.Fatal(err)
	}
	return o.Stack
}

// atWork returns an issue loop on s whose session works on issue 7.
func atWork(t testing.TB, s Stack, id string, change func(*Options)) Stack {
	t.Helper()
	o := Options{Max: 10, Repo: "/repo"}
	if change != nil {
		change(&o)
	}
	out, err := Start(s, "ses1", id, o, epoch)
	if err != nil {
		t.Fatal(err)
	}
	s = advance(t, out.Stack, Result{Ready: []Found{{ID: "7", Title: "Mend the gate"}}})
	s = advance(t, s, Result{Place: Place{Path: "/repo/.worktrees/afar/7", Branch: "afar/issue/7", Base: "main"}})
	return mustStop(s, Stopping{Tools: 1}, epoch).Stack
}

// atRecheck returns an issue loop whose work was rebased and must be checked again before the
// next review. The check must be green n times in a row.
func atRecheck(t testing.TB, n int) Stack {
	t.Helper()
	s := atWork(t, Stack{}, "run", func(o *Options) { o.Check, o.CheckTimeout, o.Greens = "make", time.Minute, n })
	in := Stopping{Message: markComplete}
	s = mustStop(s, in, epoch).Stack
	for range n {
		s = mustStop(s, Stopping{Check: &CheckResult{Frame: s.top().ID}}, epoch).Stack
	}
	for _, r := range []Result{
		{Commit: strings.Repeat("a", 40)}, {Approved: true}, {Refused: Diverged}, {Commit: strings.Repeat("b", 40)},
	} {
		s = advance(t, s, r)
	}
	return s
}

// TestProgress checks that a tool call or a known change of the tree counts as progress. An
// unknown tree does not.
func TestProgress(t *testing.T) {
	for name, tt := range map[string]struct {
		trees []string
		tools int
		idle  int // behind the last stop
	}{
		"nothing":              {[]string{"x", "x", "x"}, 0, 2},
		"a tool call":          {[]string{"x", "x", "x"}, 1, 0},
		"a change":             {[]string{"x", "x", "y"}, 0, 0},
		"a change before":      {[]string{"x", "y", "y"}, 0, 1},
		"never seen":           {[]string{"", "", ""}, 0, 2},
		"first seen":           {[]string{"", "", "x"}, 0, 2},
		"not seen meanwhile":   {[]string{"x", "", "x"}, 0, 2},
		"not seen any more":    {[]string{"x", "x", ""}, 0, 2},
		"changed while unseen": {[]string{"x", "", "y"}, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			s := looping(t, "fix", nil)
			for _, tree := range tt.trees {
				s = mustStop(s, Stopping{Tree: tree, Tools: tt.tools}, epoch).Stack
			}
			if got := s.top().Idle; got != tt.idle {
				t.Errorf("idle for %d iterations, want %d", got, tt.idle)
			}
		})
	}
}

// TestSaw checks that the next stop compares with a tree that was seen between two stops, in
// each frame.
func TestSaw(t *testing.T) {
	s := nested(t, looping(t, "outer", nil), "b", "inner", nil)
	s = mustStop(s, Stopping{Tree: "x"}, epoch).Stack
	seen := Saw(s, "y")
	for _, f := range seen.Frames {
		if f.Tree != "y" {
			t.Errorf("frame %s is at %q", f.ID, f.Tree)
		}
	}
	if s.top().Tree != "x" {
		t.Error("it wrote into its input")
	}
	if got := mustStop(seen, Stopping{Tree: "y"}, epoch).Stack.top().Idle; got != 1 {
		t.Errorf("what was seen already counts as progress: idle %d", got)
	}
	if diff := cmp.Diff(s, Saw(s, "")); diff != "" {
		t.Errorf("an unknown tree:\n%s", diff)
	}
	for name, s := range map[string]Stack{"none": {}, "ended": mustFail(s, "broken", epoch).Stack} {
		if diff := cmp.Diff(s, Saw(s, "z")); diff != "" {
			t.Errorf("a loop that is %s:\n%s", name, diff)
		}
	}
}

// TestHostsPatience checks that the loop ends at the eighth block in a row without a tool
// call. A tool call starts the count again.
func TestHostsPatience(t *testing.T) {
	s := looping(t, "fix", func(o *Options) { o.Max = 50 })
	blocked := func(tools int) bool {
		s = mustStop(s, Stopping{Tools: tools, Tree: strings.Repeat("x", s.top().N)}, epoch).Stack
		return s.Active()
	}
	for range 2 {
		for i := range hostPatience {
			if !blocked(max(0, 1-i)) {
				t.Fatalf("ended at block %d: %+v", i+1, *s.Ended)
			}
		}
	}
	if blocked(0) || s.Ended.Verdict != Capped || !strings.Contains(s.Ended.Note, "the host") {
		t.Errorf("ended: %+v", s.Ended)
	}
}

// TestLimitsAreReached checks that a limit counts as reached when it is spent exactly.
func TestLimitsAreReached(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(*Options)
		spent  usage.Sum
		want   Verdict
	}{
		"money":                {func(o *Options) { o.Budget = 2.5 }, usage.Sum{USD: 2.5}, OverBudget},
		"money left":           {func(o *Options) { o.Budget = 2.5 }, usage.Sum{USD: 2.25}, ""},
		"tokens":               {func(o *Options) { o.Tokens = 1000 }, usage.Sum{Tokens: 1000}, OverBudget},
		"tokens left":          {func(o *Options) { o.Tokens = 1000 }, usage.Sum{Tokens: 999}, ""},
		"a single token":       {func(o *Options) { o.Tokens = 1 }, usage.Sum{Tokens: 1}, OverBudget},
		"no limits":            {nil, usage.Sum{USD: 1e6, Tokens: 1e12}, ""},
		"the last of its time": {func(o *Options) { o.For = time.Minute }, usage.Sum{}, Timeout},
	} {
		t.Run(name, func(t *testing.T) {
			o := mustStop(looping(t, "fix", tt.change), Stopping{Tools: 1, Spent: tt.spent}, epoch.Add(time.Minute))
			if o.Verdict != tt.want {
				t.Errorf("verdict %q, want %q", o.Verdict, tt.want)
			}
		})
	}
}

// TestStopIsAnsweredAgain checks that a hook that repeats its stop gets the same answer, and
// that nothing counts twice. While an errand runs, the hook asks until it is over.
func TestStopIsAnsweredAgain(t *testing.T) {
	in := Stopping{ID: "s1", Tools: 1, Spent: usage.Sum{Tokens: 7}}
	first := mustStop(looping(t, "fix", nil), in, epoch)
	again := mustStop(first.Stack, in, epoch)
	if first.Block == "" || again.Block != first.Block || !cmp.Equal(again.Stack, first.Stack) {
		t.Errorf("first %q, again %q:\n%s", first.Block, again.Block, cmp.Diff(first.Stack, again.Stack))
	}
	s := inPhase(t, Reviewing)
	waiting := mustStop(s, in, epoch)
	if waiting.Wait == "" {
		t.Fatalf("it does not wait: %+v", waiting)
	}
	s = advance(t, waiting.Stack, Result{Findings: "too grey", By: "codex"})
	if o := mustStop(s, in, epoch); !strings.Contains(o.Block, "too grey") {
		t.Errorf("the stop that waited is answered %q", o.Block)
	}
}

// TestStopWhileAnErrandRuns checks that costs and tool calls are recorded while an errand
// runs, and that the session gets the news when the errand is over.
func TestStopWhileAnErrandRuns(t *testing.T) {
	s := inPhase(t, Reviewing)
	s.Quiet, s.top().Idle, s.top().Tell = 2, 2, "mind the gap"
	late := &CheckResult{Frame: s.top().ID} // of a check that nobody waits for any more
	o := mustStop(s, Stopping{Spent: usage.Sum{Tokens: 7}, Read: 512, Check: late}, epoch.Add(time.Minute))
	if o.Wait == "" || o.Stack.top().Tell != "mind the gap" {
		t.Fatalf("answered %+v", o)
	}
	for _, f := range o.Stack.Frames {
		if f.Spent.Tokens != 7 {
			t.Errorf("frame %s has spent %+v", f.ID, f.Spent)
		}
	}
	if o.Stack.Read != 512 || !o.Stack.UpdatedAt.Equal(epoch.Add(time.Minute)) || o.Stack.Quiet != 2 ||
		o.Stack.top().Idle != 2 {
		t.Errorf("left as %+v", o.Stack)
	}
	if s = mustStop(o.Stack, Stopping{Tools: 1}, epoch).Stack; s.Quiet != 0 || s.top().Idle != 0 {
		t.Errorf("a tool call leaves it quiet for %d and idle for %d", s.Quiet, s.top().Idle)
	}
	if o := mustStop(s, Stopping{}, epoch.Add(idleLimit)); o.Verdict != Expired {
		t.Errorf("after two hours: %q", o.Verdict)
	}
}

// TestRead checks that the next reading of the transcript begins where the last one ended.
func TestRead(t *testing.T) {
	if s := mustStop(looping(t, "fix", nil), Stopping{Read: 4096}, epoch).Stack; s.Read != 4096 {
		t.Errorf("read to %d", s.Read)
	}
}

// TestHeardIsAStop checks that a stop that only delivers news is recorded as a stop.
func TestHeardIsAStop(t *testing.T) {
	s := inPhase(t, Reviewing)
	s = advance(t, s, Result{Findings: "too grey", By: "codex"})
	at := epoch.Add(time.Hour)
	if s = mustStop(s, Stopping{}, at).Stack; !s.top().LastStopAt.Equal(at) {
		t.Errorf("last stop at %v", s.top().LastStopAt)
	}
}

// TestRecheck checks that after a rebase the check runs until it has a result, whatever the
// session says, and that its green results count from the first.
func TestRecheck(t *testing.T) {
	s := atRecheck(t, 2)
	for range 2 { // Esc ends a check, and the stop behind it brings no result
		o := mustStop(s, Stopping{Message: markComplete, Tools: 1}, epoch)
		if o.Check == nil || o.Block != "" {
			t.Fatalf("answered %+v", o)
		}
		s = o.Stack
	}
	green := Stopping{Check: &CheckResult{Frame: s.top().ID}}
	o := mustStop(s, green, epoch)
	if o.Check == nil {
		t.Fatalf("one green is enough: %+v", o)
	}
	if o = mustStop(o.Stack, green, epoch); o.Wait == "" || o.Stack.Frames[0].Issue.Phase != Sealing {
		t.Errorf("two greens: %+v", o)
	}
	other := Stopping{Check: &CheckResult{Frame: "another"}}
	if o := mustStop(s, other, epoch); o.Check == nil {
		t.Errorf("the result of another check: %+v", o)
	}
}

// TestRedIsNoRebase checks that the first red check sends the session back with the output,
// and does not mention a rebase.
func TestRedIsNoRebase(t *testing.T) {
	s := atWork(t, Stack{}, "run", func(o *Options) { o.Check, o.CheckTimeout = "make", time.Minute })
	s = mustStop(s, Stopping{Message: markComplete}, epoch).Stack
	red := Stopping{Check: &CheckResult{Frame: s.top().ID, ExitCode: 1, Tail: "boom"}}
	if o := mustStop(s, red, epoch); !strings.Contains(o.Block, "boom") || strings.Contains(o.Block, rebasedNews) {
		t.Errorf("told\n%s", o.Block)
	}
	s = atRecheck(t, 1)
	s = mustStop(s, Stopping{}, epoch).Stack
	red.Check.Frame = s.top().ID
	if o := mustStop(s, red, epoch); !strings.Contains(o.Block, rebasedNews) ||
		o.Stack.Frames[0].Issue.Phase != Working {
		t.Errorf("behind a rebase: %s, told\n%s", o.Stack.Frames[0].Issue.Phase, o.Block)
	}
}

// TestOverdrawn checks that an issue loop that has spent its budget ends with all its inner
// loops, and that their current issues are released.
func TestOverdrawn(t *testing.T) {
	s := atWork(t, Stack{}, "below", func(o *Options) { o.Budget = 1 })
	s = atWork(t, s, "above", func(o *Options) { o.Repo = "/other" })
	o := mustStop(s, Stopping{Tools: 1, Spent: usage.Sum{USD: 1}}, epoch)
	if o.Verdict != OverBudget || o.Stack.Active() {
		t.Fatalf("%q, active %t", o.Verdict, o.Stack.Active())
	}
	if diff := cmp.Diff(map[string]int{"below": 1, "above": 1}, releasedIn(o)); diff != "" {
		t.Errorf("let go of (-want +got):\n%s", diff)
	}

	between, err := Start(Stack{}, "ses1", "below", Options{Max: 10, Repo: "/repo", Budget: 1}, epoch)
	if err != nil {
		t.Fatal(err)
	}
	s = atWork(t, between.Stack, "above", func(o *Options) { o.Repo = "/other" })
	o = mustStop(s, Stopping{Tools: 1, Spent: usage.Sum{USD: 1}}, epoch)
	if diff := cmp.Diff(map[string]int{"above": 1}, releasedIn(o)); diff != "" {
		t.Errorf("between two issues, let go of (-want +got):\n%s", diff)
	}
}

// releasedIn counts the issues that an outcome releases, by frame.
func releasedIn(o Outcome) map[string]int {
	n := map[string]int{}
	for _, e := range o.Errands {
		if e.Phase == Releasing {
			n[e.Frame]++
		}
	}
	return n
}

// TestPopped checks that the work of an inner loop counts as progress of the outer one, and
// that an inner issue loop that ends releases only its own issue.
func TestPopped(t *testing.T) {
	s := looping(t, "outer", nil)
	s.top().Idle = 2
	s = nested(t, s, "inner", "paint", nil)
	if o := mustStop(s, Stopping{Message: markComplete}, epoch); o.Stack.top().ID != "a" || o.Stack.top().Idle != 0 {
		t.Errorf("below is %+v", o.Stack.top())
	}
}

// TestIssueFramesHaveNoTurns checks that --max counts for each issue, so that many turns on
// one issue do not end the whole loop.
func TestIssueFramesHaveNoTurns(t *testing.T) {
	s := atWork(t, Stack{}, "run", func(o *Options) { o.Max = 2 })
	at := s.Frames[0]
	at.N = at.Max
	if end := at.limits(epoch); end.verdict != "" {
		t.Errorf("ended as %q", end.verdict)
	}
}
