package ask_test

import (
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/session"
)

// TestTimes checks that the person's own time limits apply from the opening of an ask, and the
// defaults where none are set.
func TestTimes(t *testing.T) {
	own := ask.Times{
		Grace:      3 * time.Second,
		Attended:   2 * time.Hour,
		Unattended: 9 * time.Hour,
		Subagent:   time.Minute,
		Grant:      5 * time.Minute,
	}
	permission := func(attended bool, agent string) ask.Ask {
		return ask.Ask{ID: "a", Kind: ask.Permission, Session: "s", Tool: "Bash", Attended: attended, Agent: agent}
	}
	for name, c := range map[string]struct {
		ask        ask.Ask
		own, usual time.Duration
	}{
		"attended":   {permission(true, ""), own.Attended, ask.AttendedFor},
		"unattended": {permission(false, ""), own.Unattended, ask.UnattendedFor},
		"subagent":   {permission(true, "agent_1"), own.Subagent, ask.SubagentFor},
		"form":       {ask.Ask{Kind: ask.Elicitation, Attended: true}, own.Subagent, ask.SubagentFor},
	} {
		if got := ask.Start(c.ask, session.Auto, t0).ExpiresAt.Sub(t0); got != c.usual {
			t.Errorf("%s: open for %s, usually %s", name, got, c.usual)
		}
		c.ask.Times = own
		if got := ask.Start(c.ask, session.Auto, t0).ExpiresAt.Sub(t0); got != c.own {
			t.Errorf("%s: open for %s, want %s", name, got, c.own)
		}
	}
	a := permission(true, "")
	a.Times = own
	if got := ask.Start(a, session.Auto, t0).CardAt.Sub(t0); got != own.Grace {
		t.Errorf("the card leaves after %s", got)
	}
	if got := must(ask.Remode(ask.Start(a, session.Off, t0), session.Auto, t0)).CardAt.Sub(t0); got != own.Grace {
		t.Errorf("after a change of mode the card leaves after %s", got)
	}
	parked := permission(false, "")
	parked.Times = own
	if got := ask.Park(parked, session.On, t0).WaitsUntil().Sub(t0); got != own.Unattended {
		t.Errorf("a session waits for a parked call for %s", got)
	}
	if own.GrantFor() != own.Grant || (ask.Times{}).GrantFor() != time.Hour {
		t.Error("the lifetime of a grant")
	}
}
