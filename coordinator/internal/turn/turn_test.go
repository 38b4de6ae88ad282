package turn

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/loop"
	"github.com/afar-sh/afar/coordinator/internal/session"
)

var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// rows is the order of product.md. Each row names its rule, the fact that makes it apply, and
// the result for the hook.
var rows = []struct {
	rule  Rule
	apply func(*Facts)
	want  string
}{
	{KillSwitch, func(f *Facts) { f.Off = true }, "stops, idle"},
	{Cancelled, func(f *Facts) { f.Session.Halt = &session.Halt{By: "Ada"} }, "stops, idle"},
	{Background, func(f *Facts) { f.Shells = []string{"new"} }, "stops, idle"},
	{Loop, func(f *Facts) { f.Loop = running("") }, "goes on: loop 1/3, working"},
	{Text, func(f *Facts) { f.Texts = 2 }, "takes 2 texts, working"},
	{Review, func(f *Facts) { f.Session.Review = session.Review{On: true} }, "goes on: Afar's review gate, working"},
	{News, func(f *Facts) { f.Answers = "Allowed late." }, "goes on: Allowed late., working"},
	{Parked, func(f *Facts) { f.Parked, f.Session.Attended = time.Minute, false }, "waits 1m0s for answers, waiting"},
	{CheckIn, func(f *Facts) {
		f.Away, f.Terminal, f.Hold, f.Session.Attended = true, true, time.Minute, true
	}, "held 1m0s, waiting"},
	{Nothing, func(*Facts) {}, "stops, idle"},
}

// TestOrder checks that a rule decides when it applies together with all later rules.
func TestOrder(t *testing.T) {
	if len(order) != len(rows)-1 {
		t.Fatalf("%d rules and %d rows", len(order), len(rows))
	}
	for i, row := range rows {
		t.Run(string(row.rule), func(t *testing.T) {
			f := Facts{Session: session.Session{State: session.Working}, Room: 1000}
			for _, below := range backwards(i) {
				rows[below].apply(&f)
			}
			out := Decide(f, now)
			if out.Rule != row.rule || told(out) != row.want {
				t.Errorf("decided by %s: %s\nwant %s: %s", out.Rule, told(out), row.rule, row.want)
			}
			if i < len(order) && order[i].rule != row.rule {
				t.Errorf("rule %d is %s, want %s", i, order[i].rule, row.rule)
			}
		})
	}
}

// backwards returns the indexes of the rows from the last to i, so that an earlier row has the
// last word on a fact.
func backwards(i int) (at []int) {
	for n := len(rows) - 1; n >= i; n-- {
		at = append(at, n)
	}
	return at
}

// running returns the loop of a session, with a check unless it is "".
func running(check string) loop.Stack {
	out, err := loop.Start(
		loop.Stack{},
		"s",
		"l1",
		loop.Options{Task: "tidy up", Max: 3, Check: check, CheckTimeout: time.Minute},
		now,
	)
	if err != nil {
		panic(err)
	}
	return out.Stack
}

// waiting returns an issue loop that looks for its first issue.
func waiting() loop.Stack {
	out, err := loop.Start(loop.Stack{}, "s", "l1", loop.Options{Repo: "/src/shop", Max: 3}, now)
	if err != nil {
		panic(err)
	}
	return out.Stack
}

// told returns the result for the hook and the state of the session.
func told(o Outcome) string {
	var acts []string
	add := func(set bool, format string, args ...any) {
		if set {
			acts = append(acts, fmt.Sprintf(format, args...))
		}
	}
	reason, _, _ := strings.Cut(o.Block, "\n")
	for _, start := range []string{"loop 1/3", "Afar's review gate"} {
		if strings.Contains(reason, start) {
			reason = start
		}
	}
	add(o.Block != "", "goes on: %s", reason)
	add(o.Texts > 0, "takes %d texts", o.Texts)
	add(o.Check != nil, "runs the check")
	add(o.Errand != "", "waits for an errand")
	add(o.Parked > 0, "waits %s for answers", o.Parked)
	add(o.Hold > 0, "held %s", o.Hold)
	add(len(acts) == 0, "stops")
	return strings.Join(append(acts, string(o.Session.State)), ", ")
}

// TestDecide checks the decision of each rule.
func TestDecide(t *testing.T) {
	done := "<loop-done>COMPLETE</loop-done>"
	green := &loop.CheckResult{Frame: "l1"}
	red := &loop.CheckResult{Frame: "l1", ExitCode: 1}
	asked, err := loop.Stop(running("go test"), loop.Stopping{Message: done}, now)
	if err != nil {
		t.Fatal(err)
	}
	checking := asked.Stack
	rested, _ := loop.Rest(running(""), now.Add(time.Minute), now)
	reviewed := session.Review{On: true, Seen: "work"}
	askedOften := session.Review{On: true, Blocks: session.ReviewBlocks}
	for name, c := range map[string]struct {
		set  func(*Facts)
		rule Rule
		want string
	}{
		"a turn that was stopped already": {
			func(f *Facts) { f.Session.Halt = &session.Halt{EndedAt: now} },
			Nothing, "stops, idle",
		},
		"a stopped turn whose agents run on": {
			func(f *Facts) { f.Session.Halt = &session.Halt{}; f.Agents = true },
			Background, "stops, idle",
		},
		"agents, and a loop": {
			func(f *Facts) { f.Agents, f.Loop = true, running("") },
			Background, "stops, idle",
		},
		"a shell of before, and a loop": {
			func(f *Facts) { f.Shells, f.Session.Shells, f.Loop = ids("1"), ids("1"), running("") },
			Loop, "goes on: loop 1/3, working",
		},
		"a new shell, and a loop that rested": {
			func(f *Facts) { f.Shells, f.Loop = ids("1"), rested },
			Loop, "goes on: loop 1/3, working",
		},
		"a loop that is done": {
			func(f *Facts) { f.Loop, f.Stopping.Message = running(""), done },
			Nothing, "stops, idle",
		},
		"a loop that is done, and a text": {
			func(f *Facts) { f.Loop, f.Stopping.Message, f.Texts = running(""), done, 1 },
			Text, "takes 1 texts, working",
		},
		"a loop that wants its check": {
			func(f *Facts) { f.Loop, f.Stopping.Message = running("go test"), done },
			Loop, "runs the check, working",
		},
		"a check that is red": {
			func(f *Facts) { f.Loop, f.Stopping.Check = checking, red },
			Loop, "goes on: loop 1/3, working",
		},
		"a check that is green": {
			func(f *Facts) { f.Loop, f.Stopping.Check = checking, green },
			Nothing, "stops, idle",
		},
		"a result that came too late": {
			func(f *Facts) { f.Stopping.Check = green },
			Nothing, "stops, idle",
		},
		"a loop that waits for an errand": {
			func(f *Facts) { f.Loop = waiting() },
			Loop, "waits for an errand, working",
		},
		"a loop at the host's limit": {
			func(f *Facts) { f.Loop = running(""); f.Loop.Quiet = 8 },
			Nothing, "stops, idle",
		},
		"work that was reviewed": {
			func(f *Facts) { f.Session.Review, f.Work = reviewed, "work" },
			Nothing, "stops, idle",
		},
		"work that changed after its review": {
			func(f *Facts) { f.Session.Review, f.Work = reviewed, "more" },
			Review, "goes on: Afar's review gate, working",
		},
		"a review that was asked for enough": {
			func(f *Facts) { f.Session.Review = askedOften },
			Nothing, "stops, idle",
		},
		"news without an answer": {
			func(f *Facts) { f.Session = f.Session.Tell("Heed this.") },
			News, "goes on: Heed this., working",
		},
		"news without room": {
			func(f *Facts) { f.Session, f.Room = f.Session.Tell("Heed this."), 5 },
			Nothing, "stops, idle",
		},
		"parked, at a terminal": {
			func(f *Facts) { f.Parked, f.Session.Attended = time.Minute, true },
			Nothing, "stops, idle",
		},
		"parked, in the background service": {
			func(f *Facts) { f.Parked, f.Session.Background = time.Minute, true },
			Nothing, "stops, idle",
		},
		"away, in a print session": {
			func(f *Facts) { f.Away, f.Terminal, f.Hold = true, true, time.Minute },
			Nothing, "stops, idle",
		},
		"away, not in a terminal's client": {
			func(f *Facts) { f.Away, f.Session.Attended, f.Hold = true, true, time.Minute },
			Nothing, "stops, idle",
		},
		"away, and nothing is held": {
			func(f *Facts) { f.Away, f.Terminal, f.Session.Attended = true, true, true },
			CheckIn, "stops, idle",
		},
		"away, and it has nothing to say": {
			func(f *Facts) {
				f.Away, f.Terminal, f.Session.Attended = true, true, true
				f.Stopping.Message = session.NoReply + "\n"
			},
			Nothing, "stops, idle",
		},
		"a session that ended": {
			func(f *Facts) { f.Session.State = session.Ended },
			Nothing, "stops, ended",
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := Facts{Session: session.Session{State: session.Working}, Room: 1000}
			c.set(&f)
			out := Decide(f, now)
			if out.Rule != c.rule || told(out) != c.want {
				t.Errorf("decided by %s: %s\nwant %s: %s", out.Rule, told(out), c.rule, c.want)
			}
		})
	}
}

func ids(all ...string) []string { return all }

// TestNotice checks that waiting notices are shown by the hook that ends, and by no other.
func TestNotice(t *testing.T) {
	for name, c := range map[string]struct {
		set  func(*Facts)
		want string
	}{
		"the session stops": {func(*Facts) {}, "one\ntwo"},
		"Afar is off":       {func(f *Facts) { f.Off = true }, "one\ntwo"},
		"the loop blocks":   {func(f *Facts) { f.Loop = running("") }, "one\ntwo"},
		"texts wait":        {func(f *Facts) { f.Texts = 1 }, ""},
		"the hook waits":    {func(f *Facts) { f.Parked = time.Minute }, ""},
		"the review gate gave up": {
			func(f *Facts) { f.Session.Review = session.Review{On: true, Blocks: session.ReviewBlocks} },
			unreviewed + "\none\ntwo",
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := Facts{Session: session.Session{Notices: ids("one", "two")}}
			c.set(&f)
			out := Decide(f, now)
			if kept := len(out.Session.Notices) > 0; out.Notice != c.want || kept != (c.want == "") {
				t.Errorf("have %q, the others are kept: %t", out.Notice, kept)
			}
		})
	}
}

// TestNeeds checks that nothing is looked up for a rule that does not need it.
func TestNeeds(t *testing.T) {
	checking := Facts{Loop: running("go test"), Stopping: loop.Stopping{Check: &loop.CheckResult{}}}
	for name, c := range map[string]struct {
		set  func(*Facts)
		want Need
	}{
		"nothing": {func(*Facts) {}, Need{}},
		"off":     {func(f *Facts) { f.Off, f.Loop = true, running("") }, Need{}},
		"agents":  {func(f *Facts) { f.Agents, f.Session.Review.On = true, true }, Need{}},
		"a loop": {
			func(f *Facts) { f.Loop = running("") },
			Need{Loop: true, Spent: true, Tree: "/p"},
		},
		"a loop, and a tool": {
			func(f *Facts) { f.Loop, f.Session.Tools = running(""), 1 },
			Need{Loop: true, Spent: true, Later: "/p"},
		},
		"a loop, and its check": {
			func(f *Facts) { f.Loop, f.Stopping = checking.Loop, checking.Stopping },
			Need{Loop: true},
		},
		"a loop with an errand": {func(f *Facts) { f.Loop = waiting() }, Need{Loop: true, Spent: true}},
		"a review":              {func(f *Facts) { f.Session.Review.On = true }, Need{Work: "/p"}},
		"away": {
			func(f *Facts) { f.Away, f.Terminal, f.Session.Attended = true, true, true },
			Need{CheckIn: true},
		},
		"away, in print": {func(f *Facts) { f.Away, f.Terminal = true, true }, Need{}},
	} {
		t.Run(name, func(t *testing.T) {
			f := Facts{Session: session.Session{Cwd: "/p"}}
			c.set(&f)
			if have := Needs(f, now); have != c.want {
				t.Errorf("have %+v\nwant %+v", have, c.want)
			}
		})
	}
}

// TestNothingIsWrittenToFacts checks that a decision does not change its facts.
func TestNothingIsWrittenToFacts(t *testing.T) {
	f := Facts{Session: session.Session{Notices: ids("one"), Tools: 3}, Loop: running("")}
	before := fmt.Sprintf("%+v", f)
	Decide(f, now)
	Needs(f, now)
	if after := fmt.Sprintf("%+v", f); after != before {
		t.Errorf("have %s\nwant %s", after, before)
	}
}
