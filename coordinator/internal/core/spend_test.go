package core_test

import (
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/loop"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/usage"
)

// TestDayBudget checks that the costs of all loops in a day share one budget. A restart does
// not renew it, midnight does.
func TestDayBudget(t *testing.T) {
	r := newRig(t)
	r.rules.DayOfLoops = 2
	r.restart()
	r.see("s", "/p")
	r.see("t", "/q")
	spend := func(id string, usd float64) loop.Outcome {
		t.Helper()
		if l := r.Loop(session.ID(id)); !l.Active() {
			_, err := r.StartLoop(session.ID(id), loop.Options{Task: "x", Max: 9})
			r.ok(err)
		}
		out, err := r.StopLoop(session.ID(id), loop.Stopping{Message: "on", Spent: usage.Sum{USD: usd}})
		r.ok(err)
		return out
	}
	if out := spend("s", 1.2); out.Block == "" {
		t.Errorf("below the budget: %+v", out)
	}
	r.ok(r.SpendLoop("s", usage.Sum{USD: 0.3}, loop.AgentRead{Agent: "a", Read: 7}))
	r.ok(r.SpendLoop("s", usage.Sum{}, loop.AgentRead{Agent: "b", Read: 5}))
	r.restart()
	if l := r.Loop("s"); l.ReadOf("a") != 7 || l.ReadOf("b") != 5 || l.ReadOf("c") != 0 {
		t.Errorf("how far the subagents' transcripts were read: %+v", l.Agents)
	}
	out := spend("t", 0.5)
	if out.Verdict != loop.OverBudget || !strings.Contains(out.Notify, "$2.00 of $2.00") {
		t.Errorf("over the budget: %+v", out)
	}
	r.pass(24 * time.Hour)
	if out := spend("t", 0.5); out.Block == "" {
		t.Errorf("the day after: %+v", out)
	}
	r.ok(r.SpendLoop("nobody", usage.Sum{USD: 9}, loop.AgentRead{Read: 1}))
	if out := spend("t", 0); out.Block == "" {
		t.Errorf("a subagent of no loop was booked: %+v", out)
	}
}
