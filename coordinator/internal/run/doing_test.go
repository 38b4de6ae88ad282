package run

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// TestDoing: the newest call that has not ended is what is being done.
func TestDoing(t *testing.T) {
	start := func(call, input string) Event { return Event{Kind: ToolStart, Tool: "Bash", Call: call, Text: input} }
	end := func(call string) Event { return Event{Kind: ToolResult, Call: call} }
	for name, c := range map[string]struct {
		events []Event
		want   Doing
	}{
		"nothing":           {nil, Doing{}},
		"a call":            {[]Event{start("a", "ls")}, Doing{"Bash", "a", "ls", noon}},
		"a call that ended": {[]Event{start("a", "ls"), end("a")}, Doing{}},
		"two calls":         {[]Event{start("a", "ls"), start("b", "pwd")}, Doing{"Bash", "b", "pwd", noon}},
		"the older of two ended": {[]Event{start("a", "ls"), start("b", "pwd"), end("a")},
			Doing{"Bash", "b", "pwd", noon}},
		"words beside a call":      {[]Event{start("a", "ls"), {Kind: Text}}, Doing{"Bash", "a", "ls", noon}},
		"a result without its end": {[]Event{start("a", "ls"), {Kind: Result}}, Doing{}},
		"a long input": {[]Event{start("a", strings.Repeat("x", mostInput+1))},
			Doing{Tool: "Bash", Call: "a", At: noon}},
	} {
		r := in(Working)
		r, _, err := Hear(r, 2, 1, c.events, noon)
		if err != nil || r.Now() != c.want {
			t.Errorf("%s: %+v, %v, want %+v", name, r.Now(), err, c.want)
		}
		if r.State = Idle; r.Now() != (Doing{}) {
			t.Errorf("%s: a run that is idle does %+v", name, r.Now())
		}
	}
}

// TestCompare: what needs a person comes first, then what works, then what is over.
func TestCompare(t *testing.T) {
	var all []Run
	for _, s := range States() {
		all = append(all, Run{ID: ID(s), State: s, Since: noon})
	}
	all = append(all, Run{ID: "newer", State: Working, Since: noon.Add(time.Second)})
	slices.SortStableFunc(all, func(a, b Run) int { return RankOf(a).Compare(RankOf(b)) })
	var got []string
	for _, r := range all {
		got = append(got, string(r.ID))
	}
	if want := "waiting failed newer working starting queued taken idle done stopped"; strings.Join(got, " ") != want {
		t.Errorf("%q, want %q", strings.Join(got, " "), want)
	}
}

func TestBrief(t *testing.T) {
	for in, want := range map[string]string{
		`{"command":"npm test","timeout":5}`: "npm test",
		`{"command":["bash","-c","ls"]}`:     "bash -c ls",
		`{"path":"a","file_path":"/w/b"}`:    "/w/b",
		`{"command":"","path":"x"}`:          "x",
		`{}`:                                 "",
		`{"other":1}`:                        `{"other":1}`,
		`not json`:                           "not json",
		`[1]`:                                "[1]",
		``:                                   "",
		`{"command":{"x":1},"description":"say"}`: "say",
	} {
		if got := Brief(in); got != want {
			t.Errorf("%s: %q, want %q", in, got, want)
		}
	}
}

// FuzzBrief: any input gives a text.
func FuzzBrief(f *testing.F) {
	f.Add(`{"command":"ls"}`)
	f.Add(`{"command":[1]}`)
	f.Fuzz(func(t *testing.T, in string) {
		if got := Brief(in); len(got) > len(in)+1 {
			t.Fatalf("%q: %q is longer", in, got)
		}
	})
}

// TestTell: the person is told of each end once, at most every minute unless they asked for
// the turn, and of no end that is for somebody else.
func TestTell(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Run)
		ok     bool
		at     time.Time
		words  string
		said   string
	}{
		"a result":       {func(r *Run) {}, true, noon, "is done with turn 2, $0.50 so far", "the result"},
		"without a cost": {func(r *Run) { r.CostUSD = 0 }, true, noon, "is done with turn 2", "the result"},
		"a failure":      {func(r *Run) { r.State, r.Why = Failed, "no key" }, true, noon, "failed", "no key"},
		"stopped":        {func(r *Run) { r.State = Stopped }, true, noon, "has stopped", ""},
		"it restarts":    {func(r *Run) { r.State = Queued }, false, noon, "", ""},
		"somebody waits": {func(r *Run) { r.Ephemeral = true }, false, noon, "", ""},
		"of a trigger": {func(r *Run) { r.Ephemeral, r.Trigger = true, "brief" }, true, noon,
			"is done with turn 2, $0.50 so far", "the result"},
		"for another run": {func(r *Run) { r.Parent = "p" }, false, noon, "", ""},
		"soon after another": {func(r *Run) { r.ToldAt = noon.Add(-time.Second) }, true, noon.Add(59 * time.Second),
			"is done with turn 2, $0.50 so far", "the result"},
		"asked for by a person": {func(r *Run) { r.ToldAt, r.Turn.For = noon.Add(-time.Second), "Ann" }, true, noon,
			"is done with turn 2, $0.50 so far", "the result"},
	} {
		r := in(Idle)
		r.Result, r.CostUSD = "the result", 0.5
		c.change(&r)
		after, e, at, ok := Tell(r, noon)
		if ok != c.ok {
			t.Errorf("%s: told %t", name, ok)
		}
		if !ok {
			continue
		}
		if !at.Equal(c.at) || !after.ToldAt.Equal(at) || e.Words() != c.words || e.Said() != c.said || e.Long() {
			t.Errorf("%s: at %s, %q, %q", name, at, e.Words(), e.Said())
		}
		if after.Ephemeral != (after.State == Done) {
			t.Errorf("%s: it is %s", name, after.State)
		}
	}
	if e := (TurnEnd{State: Idle, Result: strings.Repeat("x", maxTold+1)}); !e.Long() {
		t.Error("a result of more than 2 kB is no file")
	}
}
