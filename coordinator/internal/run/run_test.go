package run

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/session"
)

var noon = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

// in returns a run in a state, with its second turn.
func in(s State) Run {
	r := Run{ID: "run_1", Name: "r", State: s, Since: noon, Fence: 2, Turns: 1}
	r.Turn = Turn{Prompt: "p", Begun: noon, Launches: 1, LaunchAt: noon, Runner: session.Process{PID: 7, Born: "b"}}
	return r
}

// parked returns r as it waits for a person without a process, if it waits.
func parked(r Run) Run {
	if r.State == Waiting {
		r.Parked, r.Ask, r.Turn.Runner = true, "ask_1", session.Process{}
	}
	return r
}

// TestSteps: each step leads from each state to the one in the table, or is an error.
func TestSteps(t *testing.T) {
	steps := map[string]func(Run) (Run, error){
		"queue":    func(r Run) (Run, error) { return Queue(r, noon) },
		"start":    func(r Run) (Run, error) { return Start(r, "p", noon) },
		"start ''": func(r Run) (Run, error) { return Start(r, "", noon) },
		"init": func(r Run) (Run, error) {
			r, _, err := Hear(r, 2, 1, []Event{{Kind: Init}}, noon)
			return r, err
		},
		"ask":          func(r Run) (Run, error) { return Asks(r, "ask_1", noon), nil },
		"answered":     func(r Run) (Run, error) { return Asks(r, "", noon), nil },
		"end":          func(r Run) (Run, error) { r, _, err := Finish(r, 2, End{Result: true}, noon); return r, err },
		"stop":         func(r Run) (Run, error) { return Stop(r, "Ann", noon) },
		"lose":         func(r Run) (Run, error) { r, _, err := Lose(r, noon); return r, err },
		"hand over":    func(r Run) (Run, error) { r.Ephemeral = true; return HandOver(r, noon) },
		"remove":       func(r Run) (Run, error) { return Remove(r, noon) },
		"defer":        func(r Run) (Run, error) { return Defer(r, "call") },
		"park":         func(r Run) (Run, error) { return Park(r, "ask_1", noon) },
		"answer":       func(r Run) (Run, error) { return Answer(parked(r), noon) },
		"give up":      func(r Run) (Run, error) { return GiveUp(parked(r), noon) },
		"write to":     func(r Run) (Run, error) { return Queue(parked(r), noon) },
		"end wait":     func(r Run) (Run, error) { return Stop(parked(r), "Ann", noon) },
		"limit":        func(r Run) (Run, error) { return Limit(r, "why", noon) },
		"leave auto":   func(r Run) (Run, error) { r.Mode = Auto; return LeaveAuto(r) },
		"leave manual": func(r Run) (Run, error) { r.Mode = Manual; return LeaveAuto(r) },
		"take":         func(r Run) (Run, error) { return Take(r, ann, false, noon) },
		"take, parked": func(r Run) (Run, error) { return Take(parked(r), ann, false, noon) },
		"take now":     func(r Run) (Run, error) { return Take(r, ann, true, noon) },
		"end, awaited": func(r Run) (Run, error) {
			r.Taker = ann
			r, _, err := Finish(r, 2, End{Exit: 1}, noon)
			return r, err
		},
		"forgo":   Forgo,
		"give":    func(r Run) (Run, error) { return Give(r, noon) },
		"unblock": Unblock,
	}
	const no State = "an error"
	for _, c := range []struct {
		step string
		want []State // for each of States
	}{
		//                    queued    starting  working   waiting   idle    taken  done    failed  stopped
		{"queue", []State{Queued, Starting, Working, Waiting, Queued, Taken, Queued, Queued, Queued}},
		{"start", []State{Starting, no, no, no, no, no, no, no, no}},
		{"start ''", []State{Idle, no, no, no, no, no, no, no, no}},
		{"init", []State{no, Working, Working, Waiting, no, no, no, no, no}},
		{"ask", []State{Queued, Starting, Waiting, Waiting, Idle, Taken, Done, Failed, Stopped}},
		{"answered", []State{Queued, Starting, Working, Working, Idle, Taken, Done, Failed, Stopped}},
		{"end", []State{no, Idle, Idle, Idle, no, no, no, no, no}},
		{"stop", []State{Stopped, Starting, Working, Waiting, Stopped, no, Done, Stopped, Stopped}},
		{"lose", []State{no, Starting, Working, Waiting, no, no, no, no, no}},
		{"hand over", []State{no, no, no, no, Done, no, Done, Failed, Stopped}},
		{"remove", []State{no, no, no, no, Idle, no, Done, Failed, Stopped}},
		{"defer", []State{no, Starting, Working, Waiting, no, no, no, no, no}},
		{"park", []State{Waiting, no, no, no, Waiting, no, no, no, no}},
		{"answer", []State{no, no, no, Queued, no, no, no, no, no}},
		{"give up", []State{no, no, no, Idle, no, no, no, no, no}},
		{"write to", []State{Queued, Starting, Working, Queued, Queued, Taken, Queued, Queued, Queued}},
		{"end wait", []State{Stopped, Starting, Working, Stopped, Stopped, no, Done, Stopped, Stopped}},
		{"limit", []State{Failed, Starting, Working, Waiting, no, no, no, no, no}},
		{"leave auto", []State{no, Starting, Working, Waiting, no, no, no, no, no}},
		{"leave manual", []State{no, no, no, no, no, no, no, no, no}},
		{"take", []State{Taken, Starting, Working, Waiting, Taken, Taken, Taken, Taken, Taken}},
		{"take, parked", []State{Taken, Starting, Working, Taken, Taken, Taken, Taken, Taken, Taken}},
		{"take now", []State{Taken, Starting, Working, Waiting, Taken, Taken, Taken, Taken, Taken}},
		{"end, awaited", []State{no, Taken, Taken, Taken, no, no, no, no, no}},
		{"forgo", []State{no, Starting, Working, Waiting, no, no, no, no, no}},
		{"give", []State{no, no, no, no, no, Idle, no, no, no}},
		{"unblock", []State{Queued, no, no, no, no, no, no, no, no}},
	} {
		for i, state := range States() {
			before := in(state)
			after, err := steps[c.step](before)
			got := after.State
			if err != nil {
				got = no
			}
			if got != c.want[i] {
				t.Errorf("%s a run that is %s: %s (%v), want %s", c.step, state, got, err, c.want[i])
			}
			if err != nil && !errors.Is(err, ErrState) && !errors.Is(err, ErrStale) {
				t.Errorf("%s a run that is %s: the error is %v", c.step, state, err)
			}
		}
	}
	if len(steps) != 27 {
		t.Error("a step has no row")
	}
}

// TestStale: nothing of an earlier turn counts.
func TestStale(t *testing.T) {
	r := in(Working)
	if _, _, err := Hear(r, 1, 1, []Event{{Kind: Text}}, noon); !errors.Is(err, ErrStale) {
		t.Errorf("events: %v", err)
	}
	if _, _, err := Finish(r, 1, End{Result: true}, noon); !errors.Is(err, ErrStale) {
		t.Errorf("end: %v", err)
	}
	if _, err := Drive(r, 3, session.Process{PID: 9}, ""); !errors.Is(err, ErrStale) {
		t.Errorf("a turn that was not started: %v", err)
	}
}

// TestHear: each event counts once, however often and in whatever pieces it is reported.
func TestHear(t *testing.T) {
	var all []Event
	for i := range 6 {
		all = append(all, Event{Kind: Text, Text: fmt.Sprint(i)})
	}
	r := in(Working)
	r.Events = 40
	var got []string
	for _, piece := range []struct{ from, to int }{{1, 3}, {1, 3}, {2, 6}, {4, 4}, {6, 7}, {1, 7}} {
		next, fresh, err := Hear(r, 2, int64(piece.from), all[piece.from-1:piece.to-1], noon)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range fresh {
			got = append(got, fmt.Sprintf("%d:%s", e.N, e.Text))
		}
		r = next
	}
	if want := []string{"41:0", "42:1", "43:2", "44:3", "45:4", "46:5"}; !slices.Equal(got, want) {
		t.Errorf("recorded %q, want %q", got, want)
	}
	if r.LastText != "5" || r.Turn.Seq != 6 {
		t.Errorf("the last text is %q, the last number %d", r.LastText, r.Turn.Seq)
	}
	for _, from := range []int64{0, -1, 8} {
		if _, _, err := Hear(r, 2, from, all, noon); !errors.Is(err, ErrGap) {
			t.Errorf("from %d: %v, want %v", from, err, ErrGap)
		}
	}
}

// TestCharge: what a turn reports as used so far is counted once.
func TestCharge(t *testing.T) {
	used := func(usd float64, whole bool) Event {
		return Event{Kind: Result, Total: Cost{USD: usd, Tokens: int64(usd * 10)}, Whole: whole}
	}
	for name, c := range map[string]struct {
		turns [][]Event
		want  float64
	}{
		"one turn, two results":         {[][]Event{{used(1, false), used(3, false)}}, 3},
		"two turns":                     {[][]Event{{used(1, false)}, {used(2, false)}}, 3},
		"two turns of one conversation": {[][]Event{{used(1, true)}, {used(3, true)}}, 3},
		"the count begins again":        {[][]Event{{used(3, true)}, {used(1, true)}}, 3},
	} {
		r := in(Queued)
		for _, events := range c.turns {
			r, _ = Queue(r, noon)
			r, _ = Start(r, "p", noon)
			r, _, _ = Hear(r, r.Fence, 1, events, noon)
			r, _, _ = Finish(r, r.Fence, End{Result: true}, noon)
		}
		if r.CostUSD != c.want || r.Tokens != int64(c.want*10) {
			t.Errorf("%s: $%v and %d tokens, want $%v", name, r.CostUSD, r.Tokens, c.want)
		}
	}
}

// TestRestarts has a case for each row of the restart table, in its order, and one in which
// the row before it applies as well.
func TestRestarts(t *testing.T) {
	late := noon.Add(time.Minute)
	three := []time.Time{noon.Add(-50 * time.Minute), noon.Add(-10 * time.Minute), noon}
	covered := map[string]bool{}
	for _, c := range []struct {
		row   string
		run   func(*Run)
		end   End
		at    time.Time
		state State
		again bool
	}{
		{"refused by Afar", func(r *Run) { r.Turn.Stop = "Ann" }, End{Refused: "no hooks", Result: true}, late,
			Failed, false},
		{"ended by a person", func(r *Run) { r.Turn.Stop = "Ann" }, End{Result: true, Failed: true}, late,
			Stopped, false},
		{"open elsewhere", nil, End{Exit: -1, Open: session.Process{PID: 5, Born: "c"}}, noon, Queued, false},
		{"ended by a person", func(r *Run) { r.Turn.Stop = "Ann" }, End{Open: session.Process{PID: 5, Born: "c"}}, noon,
			Stopped, false},
		{"reached a limit", func(r *Run) { r.Turn.Limit = "budget" }, End{Result: true, Failed: true}, late,
			Failed, false},
		{"reached a limit", func(r *Run) { r.Turn.Limit = "budget" }, End{Exit: -1}, noon, Failed, false},
		{"complete", func(r *Run) { r.Turn.Limit = "budget" }, End{Result: true}, late, Idle, false},
		{"left auto mode", func(r *Run) { r.Turn.LeavesAuto = true }, End{Result: true, Failed: true}, noon,
			Queued, true},
		{"left auto mode", func(r *Run) { r.Turn.LeavesAuto = true }, End{Exit: -1}, noon, Queued, true},
		{"complete", func(r *Run) { r.Turn.LeavesAuto = true }, End{Result: true}, late, Idle, false},
		{"ended by a person", func(r *Run) { r.Turn.LeavesAuto, r.Turn.Stop = true, "Ann" }, End{Exit: -1}, late,
			Stopped, false},
		{"does not know its conversation", func(r *Run) { r.Turn.Resumes, r.Turn.Heard = true, false },
			End{Result: true, Failed: true, Lost: true, Exit: 1}, noon, Queued, false},
		{"waits for a person", func(r *Run) { r.State, r.Kills = Waiting, 2 }, End{Exit: -1, Killed: true}, noon,
			Idle, true},
		{"waits for a person", func(r *Run) { r.State = Waiting }, End{Exit: -1, Yields: true}, noon, Idle, true},
		{"Afar was stopped", func(r *Run) { r.Kills, r.Restarts = 2, three }, End{Exit: -1, Killed: true, Yields: true},
			noon, Queued, true},
		{"complete", nil, End{Result: true, Yields: true}, noon, Idle, false},
		{"complete", func(r *Run) { r.State = Waiting }, End{Result: true, Deferred: "call"}, noon, Idle, false},
		{"complete", nil, End{Result: true, Exit: 1}, noon, Idle, false},
		{"complete", nil, End{Result: true, Failed: true, Final: true, Exit: 1}, late, Failed, false},
		{"complete", nil, End{Result: true, Clock: Leaving}, late, Idle, false},
		{"exit 0 without a result", nil, End{}, noon, Failed, false},
		{"no call was kept", func(r *Run) { r.Turn.Prompt, r.Turn.Heard = "", false }, End{Exit: 1}, noon,
			Queued, false},
		{"exit 0 without a result", func(r *Run) { r.Turn.Prompt, r.Turn.Heard = "", false }, End{}, noon,
			Failed, false},
		{"fails to start", nil, End{Exit: 1}, noon.Add(Usual.Starting - 1), Failed, false},
		{"fails to start", nil, End{Exit: CannotStart}, noon, Failed, false},
		{"killed three times", func(r *Run) { r.Kills = 2 }, End{Exit: -1, Killed: true}, noon, Failed, false},
		{"restart", nil, End{Exit: -1, Killed: true}, noon, Queued, true},
		{"restart", nil, End{Exit: -1}, noon, Queued, true},
		{"restart", nil, End{Exit: 143}, noon, Queued, true},
		{"restart", nil, End{Result: true, Failed: true, Told: true}, noon, Queued, true},
		{"killed three times", func(r *Run) { r.Kills, r.Restarts = 2, three }, End{Exit: -1, Killed: true}, late,
			Failed, false},
		{"three restarts in an hour", func(r *Run) { r.Restarts = three }, End{Exit: -1}, late, Failed, false},
		{"restart", func(r *Run) { r.Restarts = three[1:] }, End{Exit: 1}, late, Queued, true},
		{"restart", func(r *Run) { r.Restarts = three }, End{Exit: 1}, noon.Add(11 * time.Minute), Queued, true},
		{"restart", func(r *Run) { r.Kills = 1 }, End{Exit: -1, Killed: true}, late, Queued, true},
		{"restart", nil, End{Clock: Silence}, late, Queued, true},
		{"restart", nil, End{Result: true, Failed: true, Exit: 1}, late, Queued, true},
		{"restart", nil, End{Exit: -1}, noon.Add(Usual.Starting), Queued, true},
	} {
		covered[c.row] = true
		r := in(Working)
		r.Turn.Heard = true
		if c.run != nil {
			c.run(&r)
		}
		i := slices.IndexFunc(restarts, func(row row) bool { return row.applies(r, c.end, c.at) })
		if restarts[i].name != c.row {
			t.Errorf("%+v: the row is %q, want %q", c.end, restarts[i].name, c.row)
		}
		next, unread, err := Finish(r, 2, c.end, c.at)
		if err != nil || unread == r.Turn.Heard || next.State != c.state || next.Resume != c.again {
			t.Errorf("%s, %+v: %s, resumed %t, unread %t, %v", c.row, c.end, next.State, next.Resume, unread, err)
		}
		if next.State == Queued && !next.OpenIn.Known() && !next.NotUntil.Equal(c.at.Add(restartIn)) {
			t.Errorf("%s: it restarts at %s", c.row, next.NotUntil)
		}
		if next.State == Failed && next.Why == "" && !c.end.complete() {
			t.Errorf("%s: it does not say why", c.row)
		}
	}
	for _, row := range restarts {
		if !covered[row.name] {
			t.Errorf("row %q has no case", row.name)
		}
	}
}

// TestUnread: a turn that never read its prompt is not resumed; its messages come again.
func TestUnread(t *testing.T) {
	r, unread, err := Finish(in(Starting), 2, End{Exit: 1}, noon.Add(time.Minute))
	if err != nil || !unread || r.Resume || r.State != Queued {
		t.Errorf("unread %t, resumed %t, %s, %v", unread, r.Resume, r.State, err)
	}
}

// TestLose: a turn gets a few runners, and then fails.
func TestLose(t *testing.T) {
	r := in(Working)
	for n := 2; n <= mostLaunches; n++ {
		next, relaunch, err := Lose(r, noon)
		if err != nil || !relaunch || next.Turn.Runner.Known() || !next.Due().Equal(noon.Add(startFor)) {
			t.Fatalf("runner %d: relaunch %t, %+v, %v", n, relaunch, next.Turn, err)
		}
		r = next
	}
	if r, relaunch, _ := Lose(r, noon); relaunch || r.State != Failed || r.Why == "" {
		t.Errorf("after %d runners: relaunch %t, %s %q", mostLaunches, relaunch, r.State, r.Why)
	}
}

func TestNext(t *testing.T) {
	queued := func(id ID, after time.Duration) Run {
		return Run{ID: id, State: Queued, QueuedAt: noon.Add(after)}
	}
	later := queued("later", 0)
	later.NotUntil = noon.Add(time.Second)
	busy := []Run{{ID: "w", State: Working}, {ID: "a", State: Waiting}}
	waiting := []Run{queued("c", 3), queued("b", 2), queued("a", 2), later, {ID: "i", State: Idle}}
	for most, want := range map[int]string{0: "[a b c]", 1: "[]", 2: "[]", 3: "[a]", 4: "[a b]", 9: "[a b c]"} {
		var got []ID
		for _, r := range Next(append(busy, waiting...), most, noon) {
			got = append(got, r.ID)
		}
		if fmt.Sprint(got) != want {
			t.Errorf("at most %d: %v, want %s", most, got, want)
		}
	}
}

func TestCheckName(t *testing.T) {
	for name, want := range map[string]bool{
		"a": true, "fix-2": true, "": false, "-a": false, "A": false, "a b": false, "run:a": false, "ä": false,
		"a23456789012345678901234567890123456789": true, "a2345678901234567890123456789012345678901": false,
	} {
		if err := CheckName(name); (err == nil) != want {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// TestClocks: each clock begins with the output that it is about.
func TestClocks(t *testing.T) {
	call := func(limit time.Duration) Event { return Event{Kind: ToolStart, Call: "c", Limit: limit} }
	done, one, none := Event{Kind: ToolResult, Call: "c"}, 1, 0
	for name, c := range map[string]struct {
		events []Event
		clock  Clock
		in     time.Duration
	}{
		"no output":                 {nil, Silence, Usual.Silence},
		"init":                      {[]Event{{Kind: Init}}, Silence, Usual.Silence},
		"last words":                {[]Event{{Kind: Text}}, Ending, Usual.Ending},
		"the words of a subagent":   {[]Event{{Kind: Text, Of: "c"}}, Silence, Usual.Silence},
		"words, then a tool":        {[]Event{{Kind: Text}, call(0)}, Silence, Usual.Silence},
		"a tool with a short limit": {[]Event{call(time.Minute)}, Silence, Usual.Silence},
		"a tool with a long limit":  {[]Event{call(time.Hour)}, Silence, time.Hour + Usual.Silence},
		"a tool that is over":       {[]Event{call(time.Hour), done}, Silence, Usual.Silence},
		"result":                    {[]Event{{Kind: Text}, {Kind: Result}}, Leaving, Usual.Leaving},
		"result, work goes on": {[]Event{{Kind: Context, Background: &one}, {Kind: Result}}, Silence,
			Usual.Silence},
		"result, that work is over": {[]Event{{Kind: Result}, {Kind: Context, Background: &none}}, Leaving,
			Usual.Leaving},
		"result, then another begin": {[]Event{{Kind: Result}, {Kind: Text}}, Ending, Usual.Ending},
	} {
		w := NewWatch(Times{}, noon)
		for _, e := range c.events {
			w.See(e, noon)
		}
		clock, at := w.Next()
		if clock != c.clock || !at.Equal(noon.Add(c.in)) {
			t.Errorf("%s: %s in %s, want %s in %s", name, clock, at.Sub(noon), c.clock, c.in)
		}
		w.Hold(noon.Add(time.Hour))
		if _, at := w.Next(); at.Before(noon.Add(time.Hour + c.in).Add(-time.Hour)) {
			t.Errorf("%s: after a wait for a person it runs out at once", name)
		}
		if Usual.Words(clock) == "" {
			t.Errorf("%s has no words", clock)
		}
	}
}

// TestDefer: a turn keeps one call for the next turn, and the next turn may keep another.
func TestDefer(t *testing.T) {
	r, err := Defer(in(Working), "one")
	if err != nil || r.KeepsOther("one") || !r.KeepsOther("two") {
		t.Fatalf("after the first call: %+v, %v", r.Turn, err)
	}
	if _, err := Defer(r, "one"); err != nil {
		t.Errorf("the same call again: %v", err)
	}
	if _, err := Defer(r, "two"); !errors.Is(err, errKept) {
		t.Errorf("another call: %v, want %v", err, errKept)
	}
	r, _, _ = Finish(r, 2, End{Result: true, Deferred: "one"}, noon)
	r, err = Park(r, "ask_1", noon)
	if err != nil || r.Busy() || r.Settled() || r.Ask != "ask_1" {
		t.Errorf("parked: %+v, %v", r, err)
	}
	if next, _ := Queue(r, noon); next.State != Waiting {
		t.Errorf("a text starts a turn before the call is answered: %s", next.State)
	}
	r, _ = Answer(r, noon)
	if r, err = Start(r, "p", noon); err != nil || r.KeepsOther("two") {
		t.Errorf("the next turn: %+v, %v", r.Turn, err)
	}
}

// TestReached: a run is told once which limit it has reached, and a turn that waits for a
// person is not ended by the time.
func TestReached(t *testing.T) {
	r := in(Working)
	r.StartedAt, r.Until, r.BudgetUSD, r.CostUSD = noon, noon.Add(time.Hour), 2, 1.5
	if why := r.Reached(noon); why != "" || r.Left() != 0.5 || !r.Due().Equal(r.Until) {
		t.Errorf("below the limits: %q, $%v left, due %s", why, r.Left(), r.Due())
	}
	if why := r.Reached(r.Until); why != "its time is over: it was started for 1h0m0s" {
		t.Errorf("after its time: %q", why)
	}
	waits := r
	waits.State = Waiting
	if !waits.Due().IsZero() {
		t.Errorf("a turn that waits is due at %s", waits.Due())
	}
	r.CostUSD = 2.25
	if why := r.Reached(noon); why != "its budget is used up: $2.25 of $2.00" || r.Left() != 0 {
		t.Errorf("over its budget: %q, $%v left", why, r.Left())
	}
	r, _ = Limit(r, "first", noon)
	if r, _ = Limit(r, "second", noon); r.Turn.Limit != "first" || !r.Due().IsZero() {
		t.Errorf("limited twice: %q, due %s", r.Turn.Limit, r.Due())
	}
}
