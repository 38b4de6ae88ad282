package loop

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/afar-sh/afar/coordinator/internal/usage"
)

// looping returns a stack with one frame. change alters its options.
func looping(t testing.TB, task string, change func(*Options)) Stack {
	t.Helper()
	return nested(t, Stack{}, "a", task, change)
}

func nested(t testing.TB, s Stack, id, task string, change func(*Options)) Stack {
	t.Helper()
	o := Options{Max: 10, Task: task}
	if change != nil {
		change(&o)
	}
	out, err := Start(s, "ses1", id, o, epoch)
	if err != nil {
		t.Fatal(err)
	}
	return out.Stack
}

func TestStartRefuses(t *testing.T) {
	one := looping(t, "fix", nil)
	good := Options{Max: 3, Task: "fix"}
	tests := []struct {
		name    string
		stack   Stack
		session string
		id      string
		change  func(*Options)
		want    error // nil: some error
	}{
		{"no session", Stack{}, "", "b", nil, errSession},
		{"another session", one, "ses2", "b", nil, errSession},
		{"no id", Stack{}, "ses1", "", nil, ErrID},
		{"known id", one, "ses1", "a", nil, ErrID},
		{"no task", Stack{}, "ses1", "b", func(o *Options) { o.Task = " \n" }, ErrNoTask},
		{"interval", Stack{}, "ses1", "b", func(o *Options) { o.Every = "5m" }, errEvery},
		{"no max", Stack{}, "ses1", "b", func(o *Options) { o.Max = 0 }, nil},
		{"large max", Stack{}, "ses1", "b", func(o *Options) { o.Max = 1001 }, nil},
		{"negative time", Stack{}, "ses1", "b", func(o *Options) { o.For = -1 }, nil},
		{"negative budget", Stack{}, "ses1", "b", func(o *Options) { o.Budget = -1 }, nil},
		{"check without timeout", Stack{}, "ses1", "b", func(o *Options) { o.Check = "x" }, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			o := good
			if tt.change != nil {
				tt.change(&o)
			}
			out, err := Start(tt.stack, tt.session, tt.id, o, epoch)
			if err == nil || tt.want != nil && !errors.Is(err, tt.want) {
				t.Errorf("error = %v, want %v", err, tt.want)
			}
			if diff := cmp.Diff(Outcome{}, out); diff != "" {
				t.Errorf("a refused start has an outcome:\n%s", diff)
			}
		})
	}
	if _, err := Start(Stack{}, "ses1", "b", good, epoch); err != nil {
		t.Errorf("the base case is refused: %v", err)
	}
}

func TestDepth(t *testing.T) {
	s := Stack{}
	for i := range maxDepth {
		s = nested(t, s, fmt.Sprint(i), "fix", nil)
	}
	if _, err := Start(s, "ses1", "x", Options{Max: 1, Task: "fix"}, epoch); !errors.Is(err, ErrDepth) {
		t.Errorf("error = %v, want ErrDepth", err)
	}
}

// TestStepsWithoutALoop checks that without a loop a step returns an error, or does nothing if
// it only observes.
func TestStepsWithoutALoop(t *testing.T) {
	ended := mustFail(looping(t, "fix", nil), "broken", epoch).Stack
	for name, s := range map[string]Stack{"none": {}, "ended": ended} {
		t.Run(name, func(t *testing.T) {
			for step, do := range map[string]func() error{
				"stop":      func() error { _, err := Stop(s, Stopping{Message: markComplete}, epoch); return err },
				"fail":      func() error { _, err := Fail(s, "x", epoch); return err },
				"limit":     func() error { _, err := Limit(s, "x", epoch, epoch); return err },
				"spend":     func() error { _, err := Spend(s, usage.Sum{USD: 1}, AgentRead{}); return err },
				"cancel":    func() error { _, err := Cancel(s, "ana", epoch); return err },
				"interrupt": func() error { _, err := Interrupt(s, epoch); return err },
			} {
				if err := do(); !errors.Is(err, ErrNone) && !errors.Is(err, errNoCheck) {
					t.Errorf("%s: %v", step, err)
				}
			}
			for step, got := range map[string]Outcome{
				"expire": Expire(s, epoch.Add(99*time.Hour)), "touch": {Stack: Touch(s, epoch.Add(time.Hour))},
			} {
				if diff := cmp.Diff(Outcome{Stack: s}, got); diff != "" {
					t.Errorf("%s:\n%s", step, diff)
				}
			}
			if Intro(s)+Anchor(s, AnchorFacts{}, epoch) != "" || !s.Next().IsZero() {
				t.Error("a session without a loop has an intro, an anchor or a due time")
			}
			if _, ok := s.Top(); ok {
				t.Error("a session without a loop has a frame at work")
			}
		})
	}
}

func TestStopLeavesItsInputAlone(t *testing.T) {
	s := nested(t, looping(t, "outer", nil), "b", "inner", func(o *Options) { o.Max = 1 })
	before := roundTrip(t, s)
	next := mustStop(s, Stopping{Tools: 1, Tree: "t", Spent: usage.Sum{USD: 1}}, epoch).Stack
	mustStop(next, Stopping{Tools: 1}, epoch)
	mustLimit(s, "x", epoch.Add(time.Hour), epoch)
	Expire(s, epoch.Add(3*time.Hour))
	if diff := cmp.Diff(before, s); diff != "" {
		t.Errorf("a step wrote into its input:\n%s", diff)
	}
}

func TestExactlyMaxBlocks(t *testing.T) {
	for _, max := range []int{1, 2, 3, 10, 50} {
		s := looping(t, "fix", func(o *Options) { o.Max = max })
		blocks := 0
		for s.Active() {
			o := mustStop(s, Stopping{Tools: 1}, epoch)
			if s = o.Stack; o.Block != "" {
				blocks++
			}
			if blocks > max {
				t.Fatalf("max %d: blocked %d times", max, blocks)
			}
		}
		if blocks != max || s.Ended.Verdict != Capped {
			t.Errorf("max %d: blocked %d times, then %s", max, blocks, s.Ended.Verdict)
		}
	}
}

func TestProvenOnlyByTheCheck(t *testing.T) {
	for _, tt := range []struct {
		check string
		want  bool
	}{{"make", true}, {"", false}} {
		s := looping(t, "fix", func(o *Options) { o.Check, o.CheckTimeout = tt.check, time.Minute })
		o := mustStop(s, Stopping{Message: markComplete}, epoch)
		if o.Check != nil {
			o = mustStop(o.Stack, Stopping{Check: &CheckResult{Frame: o.Check.Frame}}, epoch)
		}
		if e := o.Stack.Ended; e.Verdict != Done || e.Proven != tt.want || o.Stack.Frames[0].Proven != tt.want {
			t.Errorf("check %q: ended %+v, frame proven %v", tt.check, *e, o.Stack.Frames[0].Proven)
		}
	}
}

// A monotonic clock stops while the machine is suspended, so a stored time must not have a
// monotonic part.
func TestStoredTimesAreOfTheWall(t *testing.T) {
	now := time.Now()
	s := looping(t, "fix", nil)
	s.UpdatedAt = now
	s = Touch(s, now)
	out, err := Start(Stack{}, "ses1", "a", Options{Max: 1, Task: "fix", For: time.Hour}, now)
	if err != nil {
		t.Fatal(err)
	}
	rested, _ := Rest(out.Stack, now, now)
	for _, s := range []Stack{
		out.Stack, rested, mustLimit(out.Stack, "429", now, now).Stack, Expire(out.Stack, now.Add(time.Hour)).Stack,
		mustFail(out.Stack, "x", now).Stack, must(Cancel(out.Stack, "ann", now)).Stack,
	} {
		roundTrip(t, s)
	}
	for _, at := range []time.Time{s.UpdatedAt, out.Stack.UpdatedAt, out.Stack.Frames[0].Deadline} {
		if strings.Contains(at.String(), "m=") || at.Location() != time.UTC {
			t.Errorf("%v is not a plain wall time in UTC", at)
		}
	}
}

func TestGoalIsKeptInPart(t *testing.T) {
	task := strings.Repeat("é", 100_000)
	f, _ := looping(t, task, nil).Top()
	if len(f.Goal) > goalBytes || !utf8.ValidString(f.Goal) || !strings.HasPrefix(task, f.Goal) ||
		len(f.Goal) < goalBytes-3 {
		t.Errorf("kept %d bytes, valid %v", len(f.Goal), utf8.ValidString(f.Goal))
	}
	if f.GoalSize != len(task) || len(f.Digest) != 64 {
		t.Errorf("size %d, digest %q", f.GoalSize, f.Digest)
	}
	same := "don't\n`x` $1 \"q\""
	if f, _ := looping(t, same, nil).Top(); f.Goal != same {
		t.Errorf("goal = %q, want it verbatim", f.Goal)
	}
	if f, _ := looping(t, "a\xffb", nil).Top(); !utf8.ValidString(f.Goal) {
		t.Errorf("goal %q is not text", f.Goal)
	}
}

func TestLine(t *testing.T) {
	tests := []struct{ in, want string }{
		{"a", "a"},
		{" a \n\n b\t\u2028c\u00a0d ", "a b c d"},
		{"a\x00\x1b[31mb\x7f\u0085c", "a[31mb c"},
		{"\u202ea\u2066b\u2069\u200e\u200b\ufeff\U000e0041c", "abc"},
		{"👩\u200d💻", "👩\u200d💻"},
		{"0123456789", "0123456789"},
		{"0123456789x", "012345678…"},
		{"ééééééééééé", "ééééééééé…"},
		{"a\xffb", "a\ufffdb"},
	}
	for _, tt := range tests {
		if got := line(tt.in, 10); got != tt.want {
			t.Errorf("line(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

// The block stays small, whatever the goal and the shells are called, and keeps all its parts.
func TestBlockIsBounded(t *testing.T) {
	wide := strings.Repeat("😀", 5000)
	shells := strings.Split(strings.Repeat(wide+"|", 300), "|")
	s := looping(t, wide, func(o *Options) { o.Check, o.CheckTimeout = "x", time.Minute })
	s = nested(t, s, "b", wide, nil)
	in := Stopping{Message: markComplete, Tools: 1, Background: shells}
	for i := range 2 {
		o := mustStop(s, in, epoch)
		if s = o.Stack; o.Check != nil {
			in.Check = &CheckResult{Frame: o.Check.Frame, ExitCode: 1, Tail: strings.Repeat("é", 9000)}
			o = mustStop(s, in, epoch)
		}
		text, output, _ := strings.Cut(o.Block, "\nOutput of the check:\n")
		if len(text) > reasonBytes || len(output) > tailBytes || !utf8.ValidString(o.Block) {
			t.Errorf(
				"block %d: %d bytes and %d of output, valid %v",
				i,
				len(text),
				len(output),
				utf8.ValidString(o.Block),
			)
		}
		head := fmt.Sprintf("[loop %d/10] Goal: ", i+1)
		for _, part := range []string{
			head, "<loop-done>COMPLETE</loop-done>", "/afar:cancel", "`afar loop cancel`", "background (301)", "more",
		} {
			if !strings.Contains(text, part) {
				t.Errorf("block %d lacks %q:\n%s", i, part, text)
			}
		}
		goal, _, _ := strings.Cut(strings.TrimPrefix(text, head), "\n")
		if n := utf8.RuneCountInString(goal); n != goalRunes || !strings.HasSuffix(goal, "…") {
			t.Errorf("block %d: the goal has %d characters: %s", i, n, goal)
		}
	}
}

func TestAnchorIsBounded(t *testing.T) {
	many := make([]string, 50)
	for i := range many {
		many[i] = strings.Repeat("😀", 500)
	}
	facts := AnchorFacts{Commits: many, Files: many, Said: many[0]}
	for name, task := range map[string]string{
		"one long line": strings.Repeat("é", 9000), "short lines": strings.Repeat("\n", 4000) + "x",
		"line breaks then one long line": "a\n\nb" + strings.Repeat("\n", 300) + strings.Repeat("é", 1800),
		"lines":                          strings.Repeat("do this\nand that\n", 400),
	} {
		t.Run(name, func(t *testing.T) {
			s := Stack{}
			for i := range maxDepth {
				s = nested(t, s, fmt.Sprint(i), task+many[0], nil)
			}
			text := Anchor(s, facts, epoch)
			if len(text) > anchorBytes || !utf8.ValidString(text) {
				t.Errorf("%d bytes, valid %v", len(text), utf8.ValidString(text))
			}
			for _, part := range []string{
				"left out", "/afar:cancel", "iteration: 0/10", "next step: 😀", "## Goal\n\n> ",
			} {
				if !strings.Contains(text, part) {
					t.Errorf("no %q in\n%s", part, text)
				}
			}
		})
	}
}

func TestAnchorSaysHowMuchOfTheGoalIsMissing(t *testing.T) {
	s := looping(t, strings.Repeat("x", 10_000), nil)
	if text := Anchor(s, AnchorFacts{}, epoch); !strings.Contains(
		text,
		"the goal has 10000 bytes; only the first 4096 were kept",
	) {
		t.Errorf("nothing about the cut in\n%s", text)
	}
}

func TestCutLines(t *testing.T) {
	text := strings.Repeat("0123456789\n", 100)
	got := cutLines(text, 500, "x")
	kept, note, _ := strings.Cut(got, "\n(")
	if len(got) > 500 || len(kept)%11 != 10 || note != fmt.Sprintf("%d bytes of x left out)", len(text)-len(kept)) {
		t.Errorf("%d bytes, kept %d, %q", len(got), len(kept), note)
	}
	if got := cutLines("short", 5, "x"); got != "short" {
		t.Errorf("cut %q although it fits", got)
	}
}

func TestTail(t *testing.T) {
	if got := tail("aéb", 2); got != "b" {
		t.Errorf("tail = %q", got)
	}
	if got := tail("x\x1b[0m\xff\r\ny", 100); got != "x[0m? \ny" {
		t.Errorf("tail = %q", got)
	}
	if got := tail(strings.Repeat("\x80", 9000), 10); len(got) > 10 {
		t.Errorf("tail = %q", got)
	}
}

// Any sequence of events keeps the promises: there is no block without a loop, no frame has
// more iterations than allowed, every message contains the word of its verdict, something
// happens at every due time, and the state can be stored.
func TestAnySequence(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, now := Stack{}, epoch
		for i := range rapid.IntRange(1, 60).Draw(t, "steps") {
			now = now.Add(
				time.Duration(rapid.SampledFrom([]int{0, 1, 60, 3600, 7200}).Draw(t, "seconds")) * time.Second,
			)
			before := s
			o := anyStep(t, s, fmt.Sprint(i), now)
			verifyStep(t, before, o, now)
			s = roundTrip(t, o.Stack)
		}
	})
}

func anyStep(t *rapid.T, s Stack, id string, now time.Time) Outcome {
	switch rapid.SampledFrom([]string{"stop", "stop", "stop", "stop", "start", "start", "issues", "result", "result",
		"result", "result", "introduce", "touch", "interrupt", "limit", "rest", "due", "expire", "cancel",
		"fail"}).Draw(t, "step") {
	case "start":
		o := Options{Max: rapid.IntRange(1, 4).Draw(t, "max"), Task: rapid.StringN(1, 300, -1).Draw(t, "task"),
			For: time.Duration(
				rapid.SampledFrom([]int{0, 60, 9000}).Draw(t, "for"),
			) * time.Second, Budget: rapid.SampledFrom([]float64{0, 1}).Draw(t, "budget")}
		if rapid.Bool().Draw(t, "checked") {
			o.Check, o.CheckTimeout, o.Greens = "make", time.Hour, rapid.IntRange(0, 3).Draw(t, "greens")
		}
		if out, err := Start(s, "ses1", id, o, now); err == nil {
			return out
		}
	case "issues":
		o := Options{
			Max:    rapid.IntRange(1, 4).Draw(t, "max"),
			Repo:   "/repo",
			For:    time.Duration(rapid.SampledFrom([]int{0, 60, 9000}).Draw(t, "for")) * time.Second,
			Budget: rapid.SampledFrom([]float64{0, 1}).Draw(t, "budget"),
		}
		if rapid.Bool().Draw(t, "checked") {
			o.Check, o.CheckTimeout = "make", time.Hour
		}
		if out, err := Start(s, "ses1", id, o, now); err == nil {
			return out
		}
	case "result":
		return anyResult(t, s, now)
	case "introduce":
		next, _ := Introduce(s)
		return Outcome{Stack: next}
	case "stop":
		return ifAny(s)(Stop(s, anyStopping(t, s), now))
	case "touch":
		return Outcome{Stack: Touch(s, now)}
	case "interrupt":
		next, err := Interrupt(s, now)
		return ifAny(s)(Outcome{Stack: next}, err)
	case "limit":
		until := now.Add(time.Duration(rapid.IntRange(-1, 5).Draw(t, "hours")) * time.Hour)
		return ifAny(s)(Limit(s, "429", until, now))
	case "rest":
		s, _ = Rest(s, now.Add(2*time.Minute), now)
		return Outcome{Stack: s}
	case "due":
		return due(t, s, now)
	case "expire":
		return Expire(s, now)
	case "fail":
		return ifAny(s)(Fail(s, "broken", now))
	case "cancel":
		if out, err := Cancel(s, "ana", now); err == nil {
			return out
		}
	}
	return Outcome{Stack: s}
}

// due advances the clock to the next due time and checks that something happens.
func due(t *rapid.T, s Stack, now time.Time) Outcome {
	at := s.Next()
	if at.IsZero() || at.Before(now) {
		return Outcome{Stack: s}
	}
	if early := Expire(s, at.Add(-1)); !cmp.Equal(early, Outcome{Stack: s}) {
		t.Fatalf("something happened before it was due: %+v", early)
	}
	o := Expire(s, at)
	if o.Stack.Active() && !o.Stack.Next().After(at) {
		t.Fatalf("due at %v, then due again at %v", at, o.Stack.Next())
	}
	if o.Notify == "" && o.Stack.Waking() == "" && !s.Waits() {
		t.Fatalf("nothing happened when it was due at %v", at)
	}
	return o
}

func anyStopping(t *rapid.T, s Stack) Stopping {
	in := Stopping{
		ID: rapid.SampledFrom([]string{"", "s1", "s2"}).Draw(t, "stop"),
		Message: rapid.SampledFrom([]string{
			"", "", "", markComplete, "<loop-done>STUCK</loop-done>", "<loop-done>MAX_ITERATIONS</loop-done>",
		}).
			Draw(t, "message"),
		Tools: rapid.IntRange(0, 2).Draw(t, "tools"),
		Tree:  rapid.SampledFrom([]string{"", "1", "2"}).Draw(t, "tree"),
		Spent: usage.Sum{USD: rapid.SampledFrom([]float64{0, 0.4}).Draw(t, "spent")},
	}
	if rapid.Bool().Draw(t, "with a result") {
		in.Check = &CheckResult{ExitCode: rapid.IntRange(0, 1).Draw(t, "exit"), Tail: "boom"}
		if f, ok := s.Top(); ok && rapid.Bool().Draw(t, "of this frame") {
			in.Check.Frame = f.ID
		}
	}
	return in
}

func verifyStep(t *rapid.T, before Stack, o Outcome, now time.Time) {
	if !o.Stack.Active() && o.Block+o.Stack.Waking() != "" || o.Check != nil && !o.Stack.Active() {
		t.Fatalf("goes on without a loop: %+v", o)
	}
	if o.Block != "" && o.Check != nil {
		t.Fatal("blocks and asks for a check")
	}
	if o.Notify != "" &&
		(!strings.Contains(o.Notify, string(o.Verdict)) || o.Verdict == "" && len(o.IssueLines)+len(o.Errands) == 0) {
		t.Fatalf("the message lacks the verdict %q: %s", o.Verdict, o.Notify)
	}
	verifyIssues(t, before, o)
	if before.Active() && !o.Stack.Active() && (o.Notify == "" || o.Verdict != o.Stack.Ended.Verdict) {
		t.Fatalf("a loop ended without a word: %+v", o)
	}
	if proven := o.Stack.Ended != nil && o.Stack.Ended.Proven; proven && o.Stack.Ended.Verdict != Done {
		t.Fatalf("proven but %s", o.Stack.Ended.Verdict)
	}
	for _, f := range o.Stack.Frames {
		if f.N < 0 || f.N > f.Max && f.Issue == nil {
			t.Fatalf("iteration %d of %d", f.N, f.Max)
		}
	}
	if len(o.Stack.Frames) > 0 && o.Stack.nested() >= maxDepth ||
		len(Anchor(o.Stack, AnchorFacts{}, now)) > anchorBytes {
		t.Fatal("too deep, or an anchor too long")
	}
}

// Repeated stops alone always end a loop: after the allowed blocks of each frame, plus one,
// with a check between them.
func TestStopsEnd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, most := Stack{}, 0
		for i := range rapid.IntRange(1, maxDepth).Draw(t, "frames") {
			o := Options{
				Max:          rapid.IntRange(1, 5).Draw(t, "max"),
				Task:         "fix",
				Check:        "make",
				CheckTimeout: time.Minute,
			}
			out, err := Start(s, "ses1", fmt.Sprint(i), o, epoch)
			if err != nil {
				t.Fatal(err)
			}
			s, most = out.Stack, most+o.Max+1
		}
		for stops := 0; s.Active(); stops++ {
			if stops >= most {
				t.Fatalf("still going on after %d stops", stops)
			}
			in := Stopping{
				Message: rapid.SampledFrom([]string{"", markComplete}).Draw(t, "message"),
				Tools:   rapid.IntRange(0, 1).Draw(t, "tools"),
			}
			o := mustStop(s, in, epoch)
			if o.Check != nil {
				in.Check = &CheckResult{
					Frame:    o.Check.Frame,
					ExitCode: 1,
					Tail:     rapid.SampledFrom([]string{"a", "b"}).Draw(t, "output"),
				}
				o = mustStop(o.Stack, in, epoch)
			}
			s = o.Stack
		}
	})
}

// TestAgentsRead checks that the read position is kept for the newest 64 subagents, once for
// each.
func TestAgentsRead(t *testing.T) {
	s := looping(t, "fix", nil)
	for i := range mostAgents + 1 {
		s = mustSpend(s, usage.Sum{Tokens: 1}, AgentRead{fmt.Sprint(i), int64(i)})
	}
	s = mustSpend(s, usage.Sum{Tokens: 1}, AgentRead{"5", 500})
	if len(s.Agents) != mostAgents || s.ReadOf("0") != 0 || s.ReadOf("1") != 1 || s.ReadOf("5") != 500 ||
		s.ReadOf("64") != 64 {
		t.Errorf("kept of %d: %v", len(s.Agents), s.Agents)
	}
	if got := s.top().Spent.Tokens; got != mostAgents+2 {
		t.Errorf("spent %d tokens", got)
	}
}
