package task

import (
	"time"

	"github.com/afar-sh/afar/coordinator/internal/markdown"
	"github.com/afar-sh/afar/coordinator/internal/run"
)

// How long the sweep waits before it tells the person, or asks a model.
const (
	overdueAfter = 3 * 24 * time.Hour  // after a checkpoint was asked about
	dormantAfter = 14 * 24 * time.Hour // after the last turn of a task in progress
	restFor      = 5 * time.Minute     // after the last turn, before a model is asked about a task
	advisedFor   = 24 * time.Hour      // after the advice of a model, before it is asked about the same again
)

// A Rule says what the sweep does with a task.
type Rule string

// The rules of the sweep.
const (
	Leave     Rule = ""
	GoOn      Rule = "go on"     // what the task waits for is over: its run goes on
	Overdue   Rule = "overdue"   // remind the person of its checkpoint
	Dormant   Rule = "dormant"   // tell the person that nothing works on it
	Stuck     Rule = "stuck"     // tell the person that its turns change nothing
	Undecided Rule = "undecided" // ask a model, see SweepQuestion
)

// A Rest is what the sweep knows of a task besides its file.
type Rest struct {
	Run   run.State // of its run, "" for none
	Since time.Time // the run is in that state; without a run, when the task was created
	Asked time.Time // when its open checkpoint was asked about, zero for none
	Turn  int64     // the number of the run's newest turn
	Said  string    // what the agent said last in it
}

// works reports whether a turn works, or will, or the person has the run in hand.
func (r Rest) works() bool { return r.Run != "" && !r.Run.Settled() }

// Sweep returns what is to be done with t at now. Its file says s. Nothing is done with a task
// that works, waits, is over, or was stopped by a person.
func (t Task) Sweep(s State, r Rest, now time.Time) Rule {
	switch {
	case t.Stopped, r.works(), s.Status.Over():
		return Leave
	case t.Asks():
		return t.overdue(r, now)
	case !s.Wait.Due.From.IsZero():
		return t.waited(s, r, now)
	case t.dormant(s, r, now):
		return Dormant
	}
	return t.undecided(s, r, now)
}

func (t Task) overdue(r Rest, now time.Time) Rule {
	if t.Asked.Reminded || !passed(r.Asked, overdueAfter, now) {
		return Leave
	}
	return Overdue
}

// dormant reports whether nothing has worked on t for long although it waits for nothing.
func (t Task) dormant(s State, r Rest, now time.Time) bool {
	idle := s.Status == InProgress && s.Wait.Text == ""
	return idle && passed(r.Since, dormantAfter, now) && !t.DormantSince.Equal(r.Since)
}

// waited returns GoOn if what t waits for is over, and Stuck if its agent writes the same wait
// again and again. A task that was never started stays at rest.
func (t Task) waited(s State, r Rest, now time.Time) Rule {
	switch {
	case r.Run != run.Idle, !s.Ready(now):
		return Leave
	case t.Advised.inVain(s):
		return t.Advised.stuck()
	}
	return GoOn
}

// WentOn returns the record of a turn that the rule GoOn starts.
func (t Task) WentOn(s State, r Rest, now time.Time) Advised {
	next := Advised{State: markdown.Digest(s.Text), Turn: r.Turn, At: now, InVain: 1}
	if next.State == t.Advised.State {
		next.InVain += t.Advised.InVain
	}
	return next
}

// passed reports whether so much time has passed since a moment; the zero time never came.
func passed(since time.Time, d time.Duration, now time.Time) bool {
	return !since.IsZero() && !now.Before(since.Add(d))
}

// Swept returns t after the person was told what a rule says. It is not told again: of a
// checkpoint, and of a task until its run has worked once more.
func (t Task) Swept(rule Rule, r Rest) Task {
	switch rule {
	case Overdue:
		t.Asked.Reminded = true
	case Dormant:
		t.DormantSince = r.Since
	case Stuck:
		t.Advised.Told = true
	}
	return t
}
