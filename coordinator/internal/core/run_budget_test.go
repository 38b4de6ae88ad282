package core_test

import (
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/message"
	"github.com/afar-sh/afar/coordinator/internal/run"
)

// TestRunDayBudget checks that all runs share the budget of a day. A turn that uses up the rest of
// it is told to end, and no other turn starts until midnight, also after a restart.
func TestRunDayBudget(t *testing.T) {
	r := newHeld(t)
	r.rules.DayOfRuns, r.rules.MostTurns = 2, 3
	r.restart()
	spends := func(id run.ID, fence, from int64, usd float64) run.Run {
		t.Helper()
		_, err := r.HearTurn(id, fence, from, []run.Event{{Kind: run.Result, Total: run.Cost{USD: usd}}})
		r.ok(err)
		got, err := r.RunByID(id)
		r.ok(err)
		return got
	}
	if one := spends("one", 1, 2, 1.5); one.Turn.Limit != "" {
		t.Errorf("below the budget: %+v", one.Turn)
	}
	r.ok(r.EndTurn("one", 1, run.End{Result: true}))
	r.begin("two")
	two, err := r.RunByID("two")
	r.ok(err)
	if left := r.LeftFor(two); left != 0.5 {
		t.Errorf("the next turn may cost $%.2f, want what is left of the day: $0.50", left)
	}
	r.hears("two", 1, run.Event{Kind: run.Init})
	if two := spends("two", 1, 2, 0.6); !strings.Contains(two.Turn.Limit, "$2.10 of $2.00") {
		t.Errorf("over the budget: %+v", two.Turn)
	}
	r.ok(r.EndTurn("two", 1, run.End{Exit: -1}))
	r.restart()
	r.begin("three")
	three, err := r.RunByID("three")
	r.ok(err)
	if three.State != run.Failed || !strings.Contains(three.Why, "the day's budget for runs is used up") {
		t.Errorf("the run after it is %s: %s", three.State, three.Why)
	}
	r.pass(12 * time.Hour)
	_, _, err = r.Send(message.Message{Key: "again", Session: "c-three", Run: true, Text: "go on", By: "Ann"}, "")
	r.ok(err)
	if three, err = r.RunByID("three"); err != nil || three.State != run.Starting {
		t.Errorf("the day after it is %s: %s, %v", three.State, three.Why, err)
	}
}
