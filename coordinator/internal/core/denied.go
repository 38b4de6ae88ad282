package core

import (
	"slices"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/session"
)

// ActRetries is an action without data. It updates the mark that tells hooks whether a
// call may be tried again.
const ActRetries = "retries"

// MayRetry reports whether any call that auto mode refused may be tried again.
func (c *Core) MayRetry() (may bool) {
	c.View(func(s *State, now time.Time) {
		may = slices.ContainsFunc(s.Asks.Waiting(), func(a ask.Ask) bool { return a.Retries(now) })
	})
	return may
}

// TakeRetry uses up the lease for the call of a, which auto mode refused before. ok is
// false when there is no lease.
func (c *Core) TakeRetry(a ask.Ask) (used ask.Ask, ok bool, err error) {
	err = c.Do(func(s *Draft) (err error) {
		used, ok = s.lease(a, s.Now)
		if ok = ok && used.Retries(s.Now); !ok {
			return nil
		}
		if used, err = ask.Use(used, s.Now); err != nil {
			return err
		}
		s.PutAsk(used)
		s.markRetries()
		s.Record(event.AskDelivered, a.Session, string(used.ID), s.askLine(used))
		return nil
	})
	return used, ok, err
}

// endHolds ends the check-ins that hold a session, so that the session soon learns of an
// answer that came after its call was refused.
func (s *Draft) endHolds(a ask.Ask) {
	s.dropCheckIns(a.Session, "the session goes on with another answer")
	if a.Retries(s.Now) {
		s.markRetries()
	}
}

// markRetries adds an action that updates the mark that hooks look for.
func (s *Draft) markRetries() {
	s.Enqueue(LaneDisk, ActRetries, ActRetries, "")
}

// untold reports whether a session must still learn of an answer that came after its
// call was refused.
func (s *State) untold(id session.ID, now time.Time) bool {
	return slices.ContainsFunc(s.answeredLate(id, ""), func(a ask.Ask) bool { return a.LateLine(now) != "" })
}
