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

// anyResult brings any result to any errand that runs, or to one that is over.
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
		Broken:   rapid.SampledFrom([]string{"", "", "", "", "git hangs"}).Draw(t, "broken"),
		Place:    Place{Path: "/repo/.worktrees/afar/7", Branch: "afar/issue/7", Base: "main", InTree: rapid.Bool().Draw(t, "in tree")},
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

// verifyIssues: whatever runs has its errand, and an issue in hand is never just
// dropped: it stays in hand, it has landed, or it is let go of, once.
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
		if !f.Issue.inHand() {
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

// entered reports whether the frame came to its phase in the last step.
func entered(before Stack, f Frame) bool {
	i := before.index(f.ID)
	return i < 0 || before.Frames[i].Issue.Step != f.Issue.Step
}

// What no step of ours has made is refused, and says so.
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

// Whatever stands in a row: it is refused, or every step bears it.
func FuzzStack(f *testing.F) {
	f.Add([]byte(`{"schema":2,"session":"s","run_id":"a","updated_at":"2026-03-01T09:00:00Z","stack":[{"id":"a","mode":"issue","max":3,"issue":{"repo":"/r","phase":"reviewing","step":4,"id":"7","task":"a.2","commit":"aa"}},{"id":"a.2","mode":"task","max":3,"issue_id":"7","check":"make"}]}`))
	f.Add([]byte(`{"schema":2,"session":"s","stack":[{"id":"a","mode":"issue","issue":{"phase":"landing","held":true,"task":"a"}}],"paused":{},"last":{}}`))
	f.Add([]byte(`{"schema":1,"stack":[{"id":"a","mode":"task","iter":-1,"max":9999999999,"checking":true}],"quiet":9}`))
	f.Fuzz(func(t *testing.T, row []byte) {
		var s Stack
		if json.Unmarshal(row, &s) != nil {
			return
		}
		now := epoch
		for _, message := range []string{"", markComplete, "<loop-done>STUCK</loop-done>"} {
			_ = Stop(s, Stopping{Message: message, Tools: 1, Tree: "x"}, now)
		}
		for _, fr := range s.Frames {
			if fr.Issue == nil {
				continue
			}
			for _, r := range []Result{{}, {Broken: "x"}, {Ready: []Found{{ID: "9"}}}, {Refused: Conflict}, {Refused: Diverged}, {Refused: Blocked}, {Approved: true}, {Nobody: true}, {Loose: []string{"x"}}} {
				_, _ = Advance(s, fr.ID, fr.Issue.Step, r, now)
			}
		}
		_, _ = Cancel(s, "ann", now)
		_, _ = Start(s, s.Session, "new", Options{Task: "t", Max: 1}, now)
		_ = Expire(s, now)
		_ = Limit(s, "429", now, now)
		_, _ = Introduce(s)
		_ = Render(s) + Anchor(s, AnchorFacts{}, now) + Brief(s) + Step(s)
		_ = Current(s)
	})
}
