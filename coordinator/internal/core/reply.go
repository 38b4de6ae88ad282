package core

import (
	"errors"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/store"
)

// ReplyTo deals with a text of the peer that answers a message. When the
// message is a card, p's decision is applied to its ask once, and the text gets
// an honest answer. Otherwise found is false and the update is not dealt with.
// The nonce of the card's buttons, where it still has them, says whose card it
// is, also when we died before we could note the card.
func (c *Core) ReplyTo(p Press) (found bool, err error) {
	id, shown, err := c.cfg.Store.ShownBy(p.Chat, p.Message)
	if err != nil {
		return false, err
	}
	if !shown {
		a, known := c.AskByNonce(p.Nonce)
		if !known {
			return false, nil
		}
		id = a.CardID()
	}
	if err := errors.Join(c.recall(id), c.Look()); err != nil {
		return false, err
	}
	return true, c.do(func(s *state, now time.Time) (b store.Batch, _ error) {
		b.Update = p.Update
		answer := s.decide(&b, s.asks[id], p, now)
		if !shown {
			b.Cards = append(b.Cards, store.Card{Ask: id, Chat: p.Chat, Message: p.Message})
		}
		s.say(&b, p.Update, p.Room, answer, now)
		return b, nil
	})
}
