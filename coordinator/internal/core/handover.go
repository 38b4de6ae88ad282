package core

import (
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/message"
	"github.com/afar-sh/afar/coordinator/internal/session"
)

// What a hook took counts as handed over once the hook reports that it printed it. If a
// hook ends without that report, the host ignores what it printed. A text is then
// offered again. An answer counts when its call is asked for again.

// AskPrinted notes whether the hook that claimed an answer printed it before it ended.
func (c *Core) AskPrinted(id ask.ID, printed bool) error {
	_, err := c.changeAsk(id, func(a ask.Ask, now time.Time) (ask.Ask, event.Kind, error) {
		if printed {
			next, err := ask.Printed(a)
			return next, delivery(next), err
		}
		next, err := ask.Undelivered(a, now)
		return next, event.AskEnded, err
	})
	return err
}

// TextsPrinted notes whether the hook of a delivery printed its texts before it ended.
func (c *Core) TextsPrinted(id session.ID, delivery string, printed bool) error {
	return c.Do(func(s *Draft) error {
		if !printed {
			lost := func(m message.Message) bool { return m.Session == id && m.Delivery == delivery && m.Unproven }
			s.offerAgain(lost)
			return nil
		}
		printed := message.Printed(s.Messages.of(id), id, delivery)
		s.Messages.Put(s.Batch, printed...)
		if len(printed) > 0 && !printed[0].Submitted {
			s.takeReplies(id)
		}
		return nil
	})
}

// takeReplies notes on the check-ins of a session that it has their replies.
func (s *Draft) takeReplies(id session.ID) {
	for _, a := range s.Asks.Of(id) {
		if !a.Replied() || a.State != ask.Answered {
			continue
		}
		if next, err := ask.Claim(a); err == nil {
			s.PutAsk(next)
		}
	}
}

// offerAgain takes back the texts that lost names.
func (s *Draft) offerAgain(lost func(message.Message) bool) {
	for _, m := range message.Lost(s.Messages.delivered(), lost) {
		s.Messages.Put(s.Batch, m)
		text := s.Token(m.Session) + ": the text of " + m.By + " may not have arrived, and is offered again"
		s.Record(event.MessageAdded, m.Session, string(m.ID), text)
	}
}

// takers returns the processes of the hooks that took something and have not yet
// reported that they printed it.
func (s *State) takers() (all []session.Process) {
	for _, m := range s.Messages.delivered() {
		if m.Unproven {
			all = append(all, m.Taker)
		}
	}
	for _, a := range s.Asks.Waiting() {
		if a.Taker.Known() && a.Unconfirmed() {
			all = append(all, a.Taker)
		}
	}
	return all
}

// buryTakers takes back what was taken by hooks that have ended.
func (s *Draft) buryTakers(over map[session.Process]bool) {
	s.offerAgain(func(m message.Message) bool { return m.Unproven && over[m.Taker] })
	for _, a := range s.Asks.Waiting() {
		if next, err := ask.Undelivered(a, s.Now); err == nil && over[a.Taker] {
			s.PutAsk(next)
			s.noteEnd(next)
		}
	}
}

// provenByRun journals the delivery of an answer when only the run of its call proves
// that delivery.
func (s *Draft) provenByRun(before, after ask.Ask) {
	if after.Arrived() && !before.Arrived() {
		s.Record(event.AskDelivered, after.Session, string(after.ID), s.askLine(after))
	}
}

// ranAfterAll notes on the card and in the journal that a call ran although its answer
// was considered undelivered.
func (s *Draft) ranAfterAll(o ask.Outcome) {
	o.Run.At = s.Now
	for _, a := range s.Asks.Of(o.Session) {
		same := a.Agent == o.Agent && a.Tool == o.Tool && a.Hash == o.Hash
		next, err := ask.RanAfterAll(a, o.Run)
		if !same || err != nil {
			continue
		}
		s.PutAsk(next)
		s.provenByRun(a, next)
		text := s.askLine(next) + ", " + next.Outcome()
		s.Record(event.AskRan, a.Session, string(a.ID), text)
	}
}
