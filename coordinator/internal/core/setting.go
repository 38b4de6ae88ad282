package core

import (
	"time"

	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/store"
)

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
