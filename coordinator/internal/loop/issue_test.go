package loop

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// anyResult returns any result, for an errand that runs or for one that is over.
func anyResult(t *rapid.T, s Stack, now time.Time) Outcome {
	var running []Frame
	for _, f := range s.Frames {
		if f.Issue != nil {
			running = append(running, f)
		}
	}
	if len(running) == 0 {
		return Outcome{Stack: s}
	}
	f := rapid.SampledFrom(running).Draw(t, "errand of")
	step := f.Issue.Step - rapid.SampledFrom([]int{0, 0, 0, 0, 0, 1}).Draw(t, "steps late")
	r := Result{
		Broken: rapid.SampledFrom([]string{"", "", "", "", "git hangs"}).Draw(t, "broken"),
		Place: Place{
			Path:   "/repo/.worktrees/afar/7",
			Branch: "afar/issue/7",
			Base:   "main",
			InTree: rapid.Bool().Draw(t, "in tree"),
		},
		Commit:   rapid.SampledFrom([]string{strings.Repeat("a", 40), strings.Repeat("b", 40)}).Draw(t, "commit"),
		Empty:    rapid.Bool().Draw(t, "empty"),
		Approved: rapid.Bool().Draw(t, "approved"),
		Nobody:   rapid.SampledFrom([]bool{false, false, false, true}).Draw(t, "nobody"),
		Refused:  rapid.SampledFrom([]Refusal{"", "", "", Diverged, Changed, Conflict, Blocked}).Draw(t, "refused"),
		Findings: "mend it", Why: "the base is dirty", By: "codex",
	}
	for i := range rapid.IntRange(0, 4).Draw(t, "ready") {
		r.Ready = append(r.Ready, Found{ID: fmt.Sprint(i), Title: "Mend", Body: "the gate"})
	}
	if rapid.Bool().Draw(t, "loose") {
		r.Loose = []string{"a.go"}
	}
	o, err := Advance(s, f.ID, step, r, now)
	wanted := s.Wanted(Errand{Frame: f.ID, Step: step, Phase: f.Issue.Phase})
	switch {
	case errors.Is(err, ErrStale) && !wanted:
		return Outcome{Stack: s}
	case err != nil || !wanted:
		t.Fatalf("advance %s: %v, wanted %t", f.Issue.Phase, err, wanted)
	}
	return o
}

// verifyIssues checks that every running phase has its errand, and that an issue is never
// lost: it stays current, it has landed, or it was released once.
func verifyIssues(t *rapid.T, before Stack, o Outcome) {
	if o.Wait != "" && (o.Block != "" || o.Check != nil || !o.Stack.Waits()) {
		t.Fatalf("waits and goes on: %+v", o)
	}
	if err := o.Stack.sound(); err != nil {
		t.Fatal(err)
	}
	released := map[string]int{}
	for _, e := range o.Errands {
		if e.Phase == Releasing {
			released[e.Frame]++
		} else if !o.Stack.Wanted(e) {
			t.Fatalf("an errand that nobody waits for: %+v", e)
		}
	}
	for _, f := range o.Stack.Frames {
		if f.Issue == nil || !o.Stack.Active() || !f.Issue.runs() || !entered(before, f) {
			continue
		}
		if !slices.ContainsFunc(o.Errands, func(e Errand) bool { return e.Frame == f.ID && e.Step == f.Issue.Step }) {
			t.Fatalf("%s has no errand: %+v", f.Issue.Phase, o.Errands)
		}
	}
	if !before.Active() {
		return
	}
	for _, f := range before.Frames {
		if !f.Issue.current() {
			continue
		}
		done := f.Issue.Phase == Cleaning
		i := o.Stack.index(f.ID)
		keeps := i >= 0 && o.Stack.Frames[i].Issue.ID == f.Issue.ID
		if n := released[f.ID]; !keeps && !done && n != 1 || keeps && n != 0 || n > 1 {
			t.Fatalf("issue %s of frame %s, %s: kept %t, released %d times", f.Issue.ID, f.ID, f.Issue.Phase, keeps, n)
		}
	}
}

// entered reports whether the last step changed the phase of the frame.
func entered(before Stack, f Frame) bool {
	i := before.index(f.ID)
	return i < 0 || before.Frames[i].Issue.Step != f.Issue.Step
}

// wayOfAnIssue lists the results of the errands of one issue, with nil where the session says
// that it is done. The base moves once; everything else succeeds.
var wayOfAnIssue = []*Result{
	{Ready: []Found{{ID: "7", Title: "Mend the gate"}}},
	{Place: Place{Path: "/repo/.worktrees/afar/7", Branch: "afar/issue/7", Base: "main"}},
	nil,
	{Commit: strings.Repeat("a", 40)},
	{Approved: true, By: "codex"},
	{Refused: Diverged},
	{Commit: strings.Repeat("b", 40)},
	{Approved: true, By: "codex"},
	{Commit: strings.Repeat("b", 40)},
	{},
}

// inPhase returns an issue loop that has just reached a phase for the first time.
func inPhase(t testing.TB, p Phase) Stack {
	t.Helper()
	out, err := Start(Stack{}, "ses1", "run", Options{Max: 10, Repo: "/repo"}, epoch)
	if err != nil {
		t.Fatal(err)
	}
	s := out.Stack
	for _, r := range wayOfAnIssue {
		if s.Frames[0].Issue.Phase == p {
			return s
		}
		if r == nil {
			s = mustStop(s, Stopping{Tools: 1}, epoch).Stack // hears of it
			s = mustStop(s, Stopping{Message: markComplete}, epoch).Stack
			continue
		}
		s = advance(t, s, *r)
	}
	if s.Frames[0].Issue.Phase != p {
		t.Fatalf("it never comes to %s", p)
	}
	return s
}

// TestAdvance checks the phase that follows from each result of each errand.
func TestAdvance(t *testing.T) {
	commit := strings.Repeat("c", 40)
	ready := func(ids ...string) (r Result) {
		for _, id := range ids {
			r.Ready = append(r.Ready, Found{ID: id, Title: "Mend " + id})
		}
		return r
	}
	held := ready("7", "8")
	held.Held = []string{"7"}
	tests := []struct {
		from   Phase
		name   string
		result Result
		to     Phase   // "": the loop ends
		end    Verdict // as this
		tell   string  // that the session hears, in part
		said   string  // actions
		notify string  // that the person reads, in part
	}{
		{Picking, "one is ready", ready("7"), Preparing, "", "", "", ""},
		{Picking, "one without an id", ready(""), "", Stuck, "", "", "no issue is ready"},
		{Picking, "another loop has the first", held, Preparing, "", "", "", ""},
		{Picking, "none", Result{}, "", Stuck, "", "", "no issue is ready"},
		{Picking, "broken", Result{Broken: "no tracker", Ready: ready("7").Ready}, "", Failed, "", "", "no tracker"},
		{
			Preparing,
			"made",
			Result{Place: Place{Path: "/w", Branch: "b"}},
			Working,
			"",
			"Issue 7 is yours",
			"PICKED",
			"",
		},
		{Preparing, "over", Result{Over: true, Place: Place{Path: "/w", Branch: "b"}}, Cleaning, "", "", "", ""},
		{Preparing, "broken", Result{Broken: "no space", Over: true}, "", Failed, "", "PAUSED", "no space"},
		{Sealing, "committed", Result{Commit: commit}, Reviewing, "", "", "", ""},
		{Sealing, "loose", Result{Commit: commit, Loose: []string{"a.go"}}, Working, "", "- a.go", "", ""},
		{Sealing, "empty", Result{Commit: commit, Empty: true}, Working, "", emptyNews, "", ""},
		{
			Sealing,
			"broken",
			Result{Commit: commit, Broken: "index.lock", Empty: true},
			Working,
			"",
			"index.lock",
			"",
			"",
		},
		{Reviewing, "approved", Result{Approved: true}, Landing, "", "", "APPROVED", ""},
		{Reviewing, "rejected", Result{Findings: "too grey"}, Working, "", "too grey", "REJECTED", ""},
		{Reviewing, "of another commit", Result{Refused: Changed, Approved: true}, Sealing, "", "", "", ""},
		{
			Reviewing,
			"nobody",
			Result{Nobody: true, Broken: "no codex", Approved: true},
			"",
			Stuck,
			"",
			"PAUSED",
			"no codex",
		},
		{Reviewing, "broken", Result{Broken: "it hung", Approved: true}, Picking, "", "", "PAUSED", "it hung"},
		{Landing, "landed", Result{Commit: commit}, Closing, "", "", "LANDED", "LANDED: issue 7"},
		{Landing, "diverged", Result{Refused: Diverged}, Rebasing, "", "", "", ""},
		{Landing, "changed", Result{Refused: Changed}, Sealing, "", "", "", ""},
		{Landing, "blocked", Result{Refused: Blocked, Why: "dirty"}, Landing, "", "dirty", "BLOCKED", "dirty"},
		{Landing, "broken", Result{Broken: "git hangs"}, Landing, "", "git hangs", "BLOCKED", "git hangs"},
		{Rebasing, "done", Result{Commit: commit}, Reviewing, "", "", "", ""},
		{Rebasing, "conflict", Result{Refused: Conflict, Why: "a.go"}, Working, "", "a.go", "BLOCKED", ""},
		{Rebasing, "changed", Result{Refused: Changed}, Sealing, "", "", "", ""},
		{Rebasing, "broken", Result{Broken: "git hangs"}, Picking, "", "", "PAUSED", "git hangs"},
		{Rebasing, "blocked", Result{Refused: Blocked, Why: "dirty"}, Picking, "", "", "PAUSED", "dirty"},
		{Closing, "closed", Result{}, Cleaning, "", "", "", ""},
		{Closing, "broken", Result{Broken: "no network"}, Cleaning, "", "", "", "could not be closed: no network"},
		{Cleaning, "clean", Result{}, Picking, "", "is removed", "", ""},
		{Cleaning, "broken", Result{Broken: "it is not clean"}, Picking, "", "", "", "stays: it is not clean"},
	}
	for _, tt := range tests {
		t.Run(string(tt.from)+"/"+tt.name, func(t *testing.T) {
			s := inPhase(t, tt.from)
			o, err := Advance(s, "run", s.Frames[0].Issue.Step, tt.result, epoch)
			if err != nil {
				t.Fatal(err)
			}
			var said []string
			for _, word := range o.IssueLines {
				said = append(said, word.Action)
			}
			if got := strings.Join(said, " "); got != tt.said {
				t.Errorf("said %q, want %q", got, tt.said)
			}
			if !strings.Contains(o.Notify, tt.notify) || tt.notify == "" && o.Notify != "" {
				t.Errorf("the person is told %q, not %q", o.Notify, tt.notify)
			}
			if tt.to == "" {
				if o.Stack.Active() || o.Verdict != tt.end {
					t.Fatalf("ended: %t, as %q, want %q", !o.Stack.Active(), o.Verdict, tt.end)
				}
				return
			}
			is := o.Stack.Frames[0].Issue
			if is.Phase != tt.to || o.Verdict != "" {
				t.Errorf("in phase %s, verdict %q", is.Phase, o.Verdict)
			}
			if tell := o.Stack.top().Tell; !strings.Contains(tell, tt.tell) || tt.tell == "" && tell != "" {
				t.Errorf("the session hears %q, not %q", tell, tt.tell)
			}
			if works := len(o.Stack.Frames) == 2; works != is.needsTask() {
				t.Errorf("a frame works on it: %t", works)
			}
		})
	}
}

// TestPickedOnce checks that an issue is not taken again, and not taken from another loop.
func TestPickedOnce(t *testing.T) {
	s := advance(t, inPhase(t, Cleaning), Result{})
	ready := []Found{{ID: "7"}, {ID: "8"}, {ID: "9"}}
	for held, want := range map[string]string{"": "8", "8": "9"} {
		if next := advance(t, s, Result{Ready: ready, Held: []string{held}}); next.Frames[0].Issue.ID != want {
			t.Errorf("took issue %q", next.Frames[0].Issue.ID)
		}
	}
}

// TestCommitInHand checks that the commit of the last errand is reviewed, landed and reported.
func TestCommitInHand(t *testing.T) {
	commit := strings.Repeat("c", 40)
	checked := atWork(t, Stack{}, "run", func(o *Options) { o.Check, o.CheckTimeout = "make", time.Minute })
	checked = mustStop(checked, Stopping{Message: markComplete}, epoch).Stack
	checked = mustStop(checked, Stopping{Check: &CheckResult{Frame: checked.top().ID}}, epoch).Stack
	for _, r := range []Result{{Commit: strings.Repeat("a", 40)}, {Approved: true}, {Refused: Diverged}} {
		checked = advance(t, checked, r)
	}
	for name, s := range map[string]Stack{
		"sealed": inPhase(t, Sealing), "rebased": inPhase(t, Rebasing), "rebased, to be checked": checked,
		"landed": inPhase(t, Landing),
	} {
		if got := advance(t, s, Result{Commit: commit}).Frames[0].Issue.Commit; got != commit {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// TestIssueOfTheTree checks that an issue that is a file of the tree is not closed again after
// it landed.
func TestIssueOfTheTree(t *testing.T) {
	s := inPhase(t, Landing)
	s.Frames[0].Issue.Place.InTree = true
	if got := advance(t, s, Result{Commit: strings.Repeat("b", 40)}).Frames[0].Issue.Phase; got != Cleaning {
		t.Errorf("landed, and is %s", got)
	}
}

// TestLetGoBehindTheLanding checks that an issue that has landed is only cleaned up, and is
// not reported as paused.
func TestLetGoBehindTheLanding(t *testing.T) {
	for _, p := range phases {
		if p == Checking {
			continue // as Working
		}
		s := inPhase(t, p)
		o := must(Cancel(s, "ann", epoch))
		inHand, paused := s.Frames[0].Issue.ID != "", p != Picking && p != Closing && p != Cleaning
		if (releasedIn(o)["run"] == 1) != inHand || (len(o.IssueLines) == 1) != paused ||
			strings.Contains(o.Notify, "PAUSED") != paused {
			t.Errorf("%s: let go of %v, said %v, told %q", p, releasedIn(o), o.IssueLines, o.Notify)
		}
	}
}

// TestNoNextIssue checks that a loop that has reached a limit takes no further issue and says
// what it achieved.
func TestNoNextIssue(t *testing.T) {
	s := inPhase(t, Cleaning)
	s.Frames[0].Budget, s.Frames[0].Spent.USD = 1, 1
	s = advance(t, s, Result{})
	if s.Active() || s.Ended.Verdict != OverBudget || !strings.Contains(s.Ending(), "1 landed") {
		t.Errorf("ended: %+v", s.Ended)
	}
}

// TestPatienceWithAnIssue checks after how many refusals, rejections and rebases in a row an
// issue is given up.
func TestPatienceWithAnIssue(t *testing.T) {
	s := inPhase(t, Landing)
	for i := range mostRebases {
		for _, r := range []Result{{Refused: Diverged}, {Commit: strings.Repeat("c", 40)}, {Approved: true}} {
			s = advance(t, s, r)
		}
		if got := s.Frames[0].Issue.Phase; got != Landing {
			t.Fatalf("after %d rebases: %s", i+1, got)
		}
	}
	for i := range mostRefused {
		if !s.Active() {
			t.Fatalf("ended after %d refusals", i)
		}
		s = advance(t, s, Result{Refused: Diverged, Why: "it moves"})
		if s.Active() {
			s = mustStop(s, Stopping{Tools: 1}, epoch).Stack // is told
			s = mustStop(s, Stopping{Tools: 1}, epoch).Stack // has it tried again
		}
	}
	if s.Active() || s.Ended.Verdict != Stuck {
		t.Errorf("ended: %+v", s.Ended)
	}
}

// TestInHand checks the current issues of a loop, where it works, and which errands are still
// wanted.
func TestInHand(t *testing.T) {
	s := inPhase(t, Working)
	ended := mustFail(s, "broken", epoch).Stack
	for name, tt := range map[string]struct {
		got, want []string
	}{
		"in hand":          {s.HasInHand("/repo"), []string{"7"}},
		"elsewhere":        {s.HasInHand("/other"), nil},
		"between two":      {inPhase(t, Picking).HasInHand("/repo"), nil},
		"ended":            {ended.HasInHand("/repo"), nil},
		"works in":         {[]string{s.WorksIn("/cwd")}, []string{"/repo/.worktrees/afar/7"}},
		"a task works in":  {[]string{looping(t, "fix", nil).WorksIn("/cwd")}, []string{"/cwd"}},
		"none works in":    {[]string{ended.WorksIn("/cwd")}, []string{"/cwd"}},
		"another's on top": {[]string{nested(t, s, "top", "fix", nil).WorksIn("/cwd")}, []string{"/cwd"}},
	} {
		if !slices.Equal(tt.got, tt.want) {
			t.Errorf("%s: %q, want %q", name, tt.got, tt.want)
		}
	}
	s = inPhase(t, Reviewing)
	step := s.Frames[0].Issue.Step
	for name, tt := range map[string]struct {
		stack  Stack
		errand Errand
		want   bool
	}{
		"that runs":        {s, Errand{Frame: "run", Step: step, Phase: Reviewing}, true},
		"of a step before": {s, Errand{Frame: "run", Step: step - 1, Phase: Sealing}, false},
		"of another frame": {s, Errand{Frame: "other", Step: step, Phase: Reviewing}, false},
		"of the task":      {s, Errand{Frame: s.top().ID, Step: step, Phase: Reviewing}, false},
		"a release":        {ended, Errand{Frame: "gone", Phase: Releasing}, true},
		"when it ended":    {ended, Errand{Frame: "run", Step: step, Phase: Reviewing}, false},
		"at work": {
			inPhase(t, Working), Errand{
				Frame: "run", Step: inPhase(t, Working).Frames[0].Issue.Step, Phase: Working,
			}, false,
		},
	} {
		if got := tt.stack.Wanted(tt.errand); got != tt.want {
			t.Errorf("an errand %s: wanted %t", name, got)
		}
	}
	if _, err := Advance(s, s.top().ID, step, Result{}, epoch); !errors.Is(err, ErrStale) {
		t.Errorf("the result of a task's frame: %v", err)
	}
	if ended.Waits() || !s.Waits() || inPhase(t, Working).Waits() {
		t.Error("it does not say when the session waits")
	}
}

// TestOnTopOfPicking checks that a loop that the person starts while an issue is picked does
// not wait for that.
func TestOnTopOfPicking(t *testing.T) {
	s := nested(t, inPhase(t, Picking), "top", "Paint it", nil)
	if o := mustStop(s, Stopping{Tools: 1}, epoch); o.Wait != "" || !strings.Contains(o.Block, "Paint it") {
		t.Errorf("waits for %q, blocks with\n%s", o.Wait, o.Block)
	}
}

// TestIntroduce checks that the session gets the introduction once.
func TestIntroduce(t *testing.T) {
	s := inPhase(t, Working)
	next, text := Introduce(s)
	if !strings.Contains(text, "Issue 7 is yours") || next.top().Tell != "" || s.top().Tell == "" {
		t.Errorf("told %q; is left with %q, before it %q", text, next.top().Tell, s.top().Tell)
	}
	if o := mustStop(next, Stopping{Tools: 1}, epoch); strings.Contains(o.Block, "Issue 7 is yours") {
		t.Errorf("told twice:\n%s", o.Block)
	}
	if _, text := Introduce(Stack{}); text != "" {
		t.Errorf("without a loop: %q", text)
	}
}

// TestToldAgain checks that news is repeated if the turn began after the block that had it: the
// person may have interrupted that block. The news is not repeated once the session has it.
func TestToldAgain(t *testing.T) {
	const news = "Issue 7 is yours"
	heard := Stopping{Message: "on", Tools: 1}
	interrupted := Stopping{Message: "late", Tools: 1, FirstOfTurn: true}
	s := inPhase(t, Working)
	for i, step := range []struct {
		in   Stopping
		told bool
	}{{heard, true}, {interrupted, true}, {interrupted, true}, {heard, false}, {interrupted, false}} {
		o := mustStop(s, step.in, epoch)
		if told := strings.Contains(o.Block, news); told != step.told {
			t.Errorf("stop %d: told %t, want %t:\n%s", i, told, step.told, o.Block)
		}
		s = o.Stack
	}
}

// TestHeldBack checks that the news of an outer issue loop is told once, with the news of the
// next issue.
func TestHeldBack(t *testing.T) {
	s := inPhase(t, Preparing)
	s.top().Tell = "The inner loop ended."
	s = advance(t, s, Result{Place: Place{Path: "/w", Branch: "b"}})
	if s.Frames[0].Tell != "" || strings.Count(s.top().Tell, "The inner loop ended.") != 1 {
		t.Errorf("below %q, on top %q", s.Frames[0].Tell, s.top().Tell)
	}
}

// TestDamagedStack checks that a stack that no step can make is refused with a reason.
func TestDamagedStack(t *testing.T) {
	for name, text := range map[string]string{
		"not JSON":           `{"schema":2`,
		"other types":        `{"schema":2,"stack":"none"}`,
		"a newer program":    `{"schema":3,"session":"s","stack":[]}`,
		"no id":              `{"schema":2,"stack":[{"mode":"task"}]}`,
		"an id twice":        `{"schema":2,"stack":[{"id":"a","mode":"task"},{"id":"a","mode":"task"}]}`,
		"unknown mode":       `{"schema":2,"stack":[{"id":"a","mode":"dance"}]}`,
		"no issue":           `{"schema":2,"stack":[{"id":"a","mode":"issue"}]}`,
		"unknown phase":      `{"schema":2,"stack":[{"id":"a","mode":"issue","issue":{"phase":"flying"}}]}`,
		"nobody works on it": `{"schema":2,"stack":[{"id":"a","mode":"issue","issue":{"phase":"working","task":"b"}}]}`,
	} {
		if err := json.Unmarshal([]byte(text), new(Stack)); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
	for name, text := range map[string]string{
		"of before":      `{"schema":1,"session":"s","stack":[{"id":"a","mode":"task","iter":1,"max":3}]}`,
		"unknown fields": `{"schema":2,"session":"s","later":1,"stack":[{"id":"a","mode":"task","max":3,"later":{}}]}`,
	} {
		if err := json.Unmarshal([]byte(text), new(Stack)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// FuzzStack checks that every stored row is refused or accepted by every step.
func FuzzStack(f *testing.F) {
	f.Add(
		[]byte(
			`{"schema":2,"session":"s","run_id":"a","updated_at":"2026-03-01T09:00:00Z","stack":[{"id":"a",` +
				`"mode":"issue","max":3,"issue":{"repo":"/r","phase":"reviewing","step":4,"id":"7","task":"a.2",` +
				`"commit":"aa"}},{"id":"a.2","mode":"task","max":3,"issue_id":"7","check":"make"}]}`,
		),
	)
	f.Add(
		[]byte(
			`{"schema":2,"session":"s","stack":[{"id":"a","mode":"issue","issue":{"phase":"landing","held":true,` +
				`"task":"a"}}],"paused":{},"last":{}}`,
		),
	)
	f.Add(
		[]byte(`{"schema":1,"stack":[{"id":"a","mode":"task","iter":-1,"max":9999999999,"checking":true}],"quiet":9}`),
	)
	f.Add([]byte(`{"schema":2,"paused":{"over":true,"shell":true}}`))
	f.Fuzz(func(t *testing.T, row []byte) {
		var s Stack
		if json.Unmarshal(row, &s) != nil {
			return
		}
		now := epoch
		for _, message := range []string{"", markComplete, "<loop-done>STUCK</loop-done>"} {
			_, _ = Stop(s, Stopping{Message: message, Tools: 1, Tree: "x"}, now)
		}
		for _, fr := range s.Frames {
			if fr.Issue == nil {
				continue
			}
			for _, r := range []Result{
				{}, {Broken: "x"}, {Ready: []Found{{ID: "9"}}}, {Refused: Conflict}, {Refused: Diverged},
				{Refused: Blocked}, {Approved: true}, {Nobody: true}, {Loose: []string{"x"}},
			} {
				_, _ = Advance(s, fr.ID, fr.Issue.Step, r, now)
			}
		}
		_, _ = Cancel(s, "ann", now)
		_, _ = Start(s, s.Session, "new", Options{Task: "t", Max: 1}, now)
		_ = Expire(s, now)
		_, _ = Limit(s, "429", now, now)
		_, _ = Rest(s, now, now)
		_, _ = Leave(s)
		_, _ = Edit(s, Render(s), now)
		if s.Rests() || s.Waking() != "" || s.Waits() || len(s.HasInHand("/r")) > 0 {
			_ = s.Next()
		}
		_, _ = Introduce(s)
		_ = Render(s) + Anchor(s, AnchorFacts{}, now) + Brief(s) + Step(s)
		_ = Current(s)
	})
}
