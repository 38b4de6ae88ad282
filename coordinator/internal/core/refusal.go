package core

import (
	"errors"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/event"
)

// ErrRefused marks the error of an action that the address of the person refuses. Refuse has noted that. The
// action stays the first of its lane.
var ErrRefused = errors.New("refused at the person's address")

// Refuse notes that the address of the person of a channel takes nothing now. The actions of the channel wait,
// except the answers to taps, and one is tried from time to time. The person is told on the other channels.
func (c *Core) Refuse(act channel.Act, r channel.Refusal) error {
	return c.Do(func(s *Draft) error {
		s.Batch.Act = act
		before := s.Account(act.Channel)
		if before.Person == nil {
			return nil
		}
		next, tell := before.Refuse(r, s.Now)
		s.Accounts.Put(s.Batch, next)
		if !tell {
			return nil
		}
		s.Record(event.TelegramFailing, "", before.Speaker, r.Why+"; "+r.Fix)
		for _, name := range s.available() {
			if name != act.Channel && s.Accounts.Rows[name].Refused() == nil {
				s.noticeOn(name, "refused:"+act.Channel, channel.News{Kind: channel.Refused, Why: r.Why, What: r.Fix})
			}
		}
		return nil
	})
}

// Accept ends a refusal: what waits for the person is shown.
func (c *Core) Accept(act channel.Act) error {
	return c.Do(func(s *Draft) error {
		s.Batch.Act = act
		before := s.Account(act.Channel)
		if before.Refused() == nil {
			return nil
		}
		s.Accounts.Put(s.Batch, before.Accept(s.Now))
		s.showOpen(act.Channel)
		text := act.Channel + " takes messages for " + before.Person.Name + " again"
		s.Record(event.TelegramConnected, "", before.Speaker, text)
		return nil
	})
}

// refusedUntil returns when the lane of a channel may try the address of its person again, zero if nothing is
// refused there.
func (c *Core) refusedUntil(lane string) (until time.Time) {
	c.View(func(s *State, _ time.Time) {
		if r := s.Accounts.Rows[lane].Refused(); r != nil {
			until = r.Next
		}
	})
	return until
}
