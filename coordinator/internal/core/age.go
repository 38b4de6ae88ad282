package core

import (
	"slices"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/channel"
)

// shown is when the card of each question was first shown in one chat, by the ask
// that the card was made for.
type shown map[ask.ID]channel.Stamp

// shownIn returns when the open questions were first shown in a chat. A question
// that is missing there was not shown yet.
func (c *Core) shownIn(chat int64) (shown, error) {
	var open []ask.Ask
	c.view(func(s *state, _ time.Time) { open = s.onPhone() })
	first := shown{}
	for _, a := range open {
		cards, err := c.cfg.Store.Cards(a.CardID())
		if err != nil {
			return nil, err
		}
		for _, card := range cards {
			at, known := first[a.CardID()]
			if card.Chat == chat && (!known || at.After(card.Stamp())) {
				first[a.CardID()] = card.Stamp()
			}
		}
	}
	return first, nil
}

// before returns those of open that were shown before a text was sent: it answers
// no question that its person had not seen.
func (s shown) before(text channel.Stamp, open []ask.Ask) []ask.Ask {
	return slices.DeleteFunc(slices.Clone(open), func(a ask.Ask) bool {
		at, known := s[a.CardID()]
		return !known || !text.After(at)
	})
}

// tooEarly says why a text decided none of so many open questions.
func tooEarly(questions int) string {
	if questions == 1 {
		return "⏳ This question was asked after your message, so nothing was decided. Tap a button or reply to the card."
	}
	return "⏳ These questions were asked after your message, so nothing was decided. Tap a button or reply to a card."
}
