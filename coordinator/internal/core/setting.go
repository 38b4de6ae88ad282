package core

import (
	"time"

	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/store"
)

// Settings returns the switches that hold for all sessions now.
func (c *Core) Settings() (v store.Settings) {
	c.view(func(s *state, now time.Time) {
		v = s.settings
		if v.Away.At(now) == "" {
			v.Away = session.Away{Mode: session.Auto}
		}
	})
	return v
}

// Pause sets the kill switch.
func (c *Core) Pause(on bool) error { return c.do(pause(on)) }

func pause(on bool) step {
	return func(s *state, now time.Time) (b store.Batch, err error) {
		s.change(&b).Paused = on
		text := "resumed"
		if on {
			text = "paused: only the guard speaks"
			for id := range s.sessions.Rows {
				s.dropCheckIns(&b, id, "Afar was paused", now)
			}
		}
		s.startTurns(&b, now)
		s.resumeRuns(&b, now)
		record(&b, event.PauseSet, "", "", text, now)
		return b, nil
	}
}

// Note writes one line into the journal.
func (c *Core) Note(kind event.Kind, id session.ID, subject, text string) error {
	return c.do(func(_ *state, now time.Time) (b store.Batch, err error) {
		record(&b, kind, id, subject, text, now)
		return b, nil
	})
}
