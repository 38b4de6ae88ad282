package background

import (
	"strings"
	"testing"
	"time"
)

var t0 = time.Date(2026, 3, 28, 12, 0, 0, 0, time.UTC)

func mustBegin(t *testing.T, s State, now time.Time) State {
	t.Helper()
	s, rest := s.Begin(1, now)
	if rest != nil {
		t.Fatal(rest)
	}
	return s
}

// TestBudget: what a question costs is reserved before it is known, and counts for one day of
// the local calendar.
func TestBudget(t *testing.T) {
	s := mustBegin(t, State{}, t0)
	if s.Spent(t0) != Reserved {
		t.Errorf("reserved %v", s.Spent(t0))
	}
	s = mustBegin(t, s.Answered(0.4, t0), t0) // the coordinator dies while this one is asked
	s = mustBegin(t, s, t0).Answered(0.6, t0)
	if got := s.Spent(t0); got < 1.049 || got > 1.051 {
		t.Errorf("spent %v", got)
	}
	_, rest := s.Begin(1, t0)
	midnight := time.Date(2026, 3, 29, 0, 0, 0, 0, time.UTC)
	if rest == nil || !rest.Until.Equal(midnight) || !strings.Contains(rest.Error(), "budget is spent") {
		t.Errorf("over the budget: %v", rest)
	}
	if s = mustBegin(t, s, midnight); s.Spent(midnight) != Reserved || s.Spent(t0) != 0 {
		t.Errorf("the next day: %+v", s)
	}
	if _, rest := (State{}).Begin(0, t0); rest == nil || !rest.Until.IsZero() {
		t.Errorf("a budget of 0: %v", rest)
	}
}

// TestPauses: each failure doubles the pause, up to 15 minutes. The person is told once.
func TestPauses(t *testing.T) {
	var s State
	var pauses, told []string
	now := t0
	for range 9 {
		s = mustBegin(t, s, now)
		next, tell := s.Failed(0, "exit\nstatus 1", now)
		if tell != "" {
			told = append(told, tell)
		}
		_, rest := next.Begin(1, now)
		if rest == nil || !rest.Until.Equal(next.Next) {
			t.Fatalf("right after a failure: %v", rest)
		}
		pauses = append(pauses, next.Next.Sub(now).String())
		s, now = next, next.Next
	}
	if got := strings.Join(pauses, " "); got != "30s 1m0s 2m0s 4m0s 8m0s 15m0s 15m0s 15m0s 15m0s" {
		t.Error(got)
	}
	if len(told) != 1 || !strings.Contains(told[0], "since 12:00") || !strings.Contains(told[0], "exit status 1") {
		t.Errorf("told %q", told)
	}
	s = mustBegin(t, s, now).Answered(0, now)
	if s.Failures != 0 || s.Told || !s.FailingSince.IsZero() {
		t.Errorf("after an answer: %+v", s)
	}
	again, _ := mustBegin(t, s, now).Failed(0, "x", now)
	if again.Next.Sub(now) != firstPause {
		t.Errorf("the pause after an answer: %v", again.Next.Sub(now))
	}
}

// TestClockSetBack: a clock that is set back does not make the pause longer.
func TestClockSetBack(t *testing.T) {
	s, _ := mustBegin(t, State{}, t0).Failed(0, "x", t0)
	if _, rest := s.Begin(1, t0.Add(-time.Hour)); rest != nil {
		t.Error(rest)
	}
}
