package core

import (
	"slices"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
)

// OnCard returns the asks on the card that was made for one ask. That ask comes first,
// even if it is no longer in memory.
func (c *Core) OnCard(id ask.ID) (card ask.Card, err error) {
	if err := c.Recall(id); err != nil {
		return nil, err
	}
	c.View(func(s *State, _ time.Time) { card = s.onCard(s.Asks.Rows[id]) })
	return card, nil
}

// OpenCards returns the cards on which a person's answer has an effect now,
// oldest first.
func (c *Core) OpenCards() (out []ask.Card) {
	c.View(func(s *State, _ time.Time) { out = s.openCards() })
	return out
}

func (s *State) openCards() (out []ask.Card) {
	seen := map[ask.ID]bool{}
	for _, a := range s.Asks.everywhere() {
		if seen[a.CardID()] {
			continue
		}
		seen[a.CardID()] = true
		if card := s.onCard(a); len(card.Waiting()) > 0 {
			out = append(out, card)
		}
	}
	slices.SortFunc(out, func(a, b ask.Card) int { return ask.Older(a[0], b[0]) })
	return out
}

// onCard returns the asks that are on the same card as a.
func (s *State) onCard(a ask.Ask) ask.Card {
	return ask.Card(s.Asks.byCard.All(string(a.CardID()))).Sorted()
}

// join puts a, which was just opened, on the card of an identical ask that still waits.
func (s *State) join(a ask.Ask) ask.Ask {
	twin, ok := ask.Oldest(slices.DeleteFunc(s.Asks.Of(a.Session), func(b ask.Ask) bool { return !a.Twin(b) }))
	if !ok {
		return a
	}
	joined, err := ask.Join(a, twin)
	if err != nil {
		return a // cannot happen: they are twins
	}
	return joined
}
