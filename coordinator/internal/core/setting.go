package core

import (
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/store"
)

// Rules are the person's permanent settings. The zero value sets none.
type Rules struct {
	Quiet       session.Quiet // hours in which notices wait
	RemindAfter time.Duration // a question unanswered on a channel so long is repeated, once; 0 is never
	RetryAfter  time.Duration // a loop that the provider refused is tried again after so long, then after twice that
	Times       ask.Times     // how long questions wait
	MostTurns   int           // so many turns of runs run at once; 0 is no limit
	RunTimes    run.Times     // how long the agent of a turn may take
	DayOfLoops  float64       // what all loops may spend in one day, in US dollars; 0 is no limit
	DayOfRuns   float64       // what all runs may spend in one day, in US dollars; 0 is no limit
	HoldRuns    time.Duration // the turn of a run that waits for its person is ended after so long
	RunDepth    int           // so many levels of runs may be below what a person started
	Daily       string        // the rule of the morning message, see trigger.DailyRule; "" sends none
	Background  float64       // what all background questions may cost in one day, in US dollars; 0 asks none
	ShellsFor   time.Duration // a loop waits so long for a background shell that its session has just started
}

// Settings returns the switches that hold for all sessions now.
func (c *Core) Settings() (v store.Settings) {
	c.View(func(s *State, now time.Time) {
		v = s.Settings
		if v.Away.At(now) == "" {
			v.Away = session.Away{Mode: session.Auto}
		}
	})
	return v
}

// Pause sets the kill switch.
func (c *Core) Pause(on bool) error { return c.Do(pause(on)) }

func pause(on bool) func(*Draft) error {
	return func(s *Draft) error {
		s.NewSettings().Paused = on
		text := "resumed"
		if on {
			text = "paused: only the guard speaks"
			for id := range s.Sessions.Rows {
				s.dropCheckIns(id, "Afar was paused")
			}
		}
		s.StartTurns()
		s.resumeRuns()
		s.Record(event.PauseSet, "", "", text)
		return nil
	}
}

// Note writes one line into the journal.
func (c *Core) Note(kind event.Kind, id session.ID, subject, text string) error {
	return c.Do(func(s *Draft) error {
		s.Record(kind, id, subject, text)
		return nil
	})
}

// QuietFor returns how long the quiet hours go on, 0 outside of them.
func (c *Core) QuietFor() (left time.Duration) {
	c.View(func(s *State, now time.Time) {
		if until := s.Cfg.Rules.Quiet.Until(now); !until.IsZero() {
			left = until.Sub(now)
		}
	})
	return left
}

// Rules returns the rules in force.
func (c *Core) Rules() (r Rules) {
	c.View(func(s *State, _ time.Time) { r = s.Cfg.Rules })
	return r
}

// Use has other rules in force from now on. Questions that are open keep their times.
func (c *Core) Use(r Rules) error {
	c.View(func(s *State, now time.Time) {
		s.Cfg.Rules = r
		for _, t := range s.tables {
			t.Retime(time.Time{}, now)
		}
		c.bell.Ring(due)
	})
	return c.Do(func(s *Draft) error {
		s.StartTurns() // a budget may be larger
		return nil
	})
}
