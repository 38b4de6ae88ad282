package core

import (
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/store"
)

// ReplyTo deals with a text of the peer that answers a message. When the
// message is a card, p's decision is applied to its ask once, and the text gets
// an honest answer. Otherwise found is false and the update is not dealt with.
// The nonce of the card's buttons, where it still has them, says whose card it
// is, also when we died before we could note the card.
func (c *Core) ReplyTo(p Press) (found bool, err error) {
	id, found, err := c.askRepliedTo(p)
	if err != nil || !found {
		return false, err
	}
	cards, err := c.cfg.Store.Cards(id)
	if err != nil {
		return true, err
	}
	return true, c.do(func(s *state, now time.Time) (b store.Batch, _ error) {
		b.Update = p.Update
		answer := s.decide(&b, s.asks[id], p, now)
		if !listed(cards, p) {
			b.Cards = append(b.Cards, store.Card{Ask: id, Chat: p.Chat, Message: p.Message})
		}
		s.say(&b, p.Update, p.Room, answer, now)
		return b, nil
	})
}

func (c *Core) askRepliedTo(p Press) (id ask.ID, found bool, err error) {
	if a, ok := c.AskByNonce(p.Nonce); ok {
		return a.CardID(), true, nil
	}
	return c.askShownBy(p.Chat, p.Message)
}

// askShownBy returns the ask that a message shows, the newest first.
func (c *Core) askShownBy(chat, message int64) (id ask.ID, found bool, err error) {
	all := c.Asks(true)
	for i := len(all) - 1; i >= 0; i-- {
		cards, err := c.cfg.Store.Cards(all[i].ID)
		if err != nil {
			return "", false, err
		}
		if listed(cards, Press{Room: Room{Chat: chat}, Message: message}) {
			return all[i].ID, true, nil
		}
	}
	return "", false, nil
}
