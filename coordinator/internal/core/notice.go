package core

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/store"
)

// noticeEvery is the shortest time between two notices of one kind and session. What
// happens meanwhile is told together. Asks are not notices and are never delayed.
const noticeEvery = time.Minute

// notify tells the person a text in every away mode: at once, together with others of
// its kind and session, or after the quiet hours.
func (s *state) notify(b *store.Batch, kind string, id session.ID, text string, now time.Time) {
	s.notifyOf(b, kind, id, text, nil, now)
}

// notifyOf is notify for a text that shows messages with these ids.
func (s *state) notifyOf(b *store.Batch, kind string, id session.ID, text string, shows []string, now time.Time) {
	s.heap(b, kind, id, text, shows, true, now)
}

// heap adds a text to the pile of its kind and session. loud is false if the text alone is no
// reason to ring.
func (s *state) heap(
	b *store.Batch, kind string, id session.ID, text string, shows []string, loud bool, now time.Time,
) {
	if !s.reachable() {
		return
	}
	key, due := kind+":"+string(id), now
	if until := s.cfg.Rules.Quiet.Until(now); !until.IsZero() {
		key, id, due = quietPile, "", until
	}
	pile := s.pile(key, due, now)
	pile.Texts = append(pile.Texts[:len(pile.Texts):len(pile.Texts)], text)
	pile.Shows, pile.Loud = slices.Concat(pile.Shows, shows), pile.Loud || loud
	if left := len(pile.Texts) - maxPile; left > 0 {
		pile.Texts, pile.Left = pile.Texts[left:], pile.Left+left
	}
	s.putPile(b, key, pile, now)
	s.sendPile(b, key, id, pile, pile.Due)
}

// hasten tells the waiting notices of one kind and session now, so that they do not come
// after later news. Quiet hours still delay them.
func (s *state) hasten(b *store.Batch, kind string, id session.ID, now time.Time) {
	key := kind + ":" + string(id)
	pile, ok := s.change(b).Piles[key]
	if !ok || !now.Before(pile.Due) || !s.cfg.Rules.Quiet.Until(now).IsZero() {
		return
	}
	s.sendPile(b, key, id, pile, now)
	pile.Due = now
	s.putPile(b, key, pile, now)
}

// sendPile writes the action that tells a pile at due.
func (s *state) sendPile(b *store.Batch, key string, id session.ID, pile store.Pile, due time.Time) {
	name := fmt.Sprintf("notice:%s:%d", key, pile.Due.UnixNano())
	s.onChannels(b, name, ActNotice, encode(channel.Notice{
		Session: id, Text: pileText(key, pile), Shows: pile.Shows, Silent: !pile.Loud,
	}), due)
}

// noticeOn tells a text about a channel on that channel only.
func (s *state) noticeOn(b *store.Batch, name, about, text string, now time.Time) {
	due := now
	if until := s.cfg.Rules.Quiet.Until(now); !until.IsZero() {
		due = until
	}
	key := fmt.Sprintf("notice:%s:%d", about, now.UnixNano())
	b.Actions = append(b.Actions, channelAction(name, key, ActNotice, encode(channel.Notice{Text: text}), due))
}

// PassOn tells the person a notification of the host, if they are away from the session.
// kind is the host's word for it.
func (c *Core) PassOn(id session.ID, kind, text string) error {
	return c.do(func(s *state, now time.Time) (b store.Batch, err error) {
		if v, ok := s.sessions.rows[id]; ok && text != "" && s.mode(id, now) == session.On {
			s.notify(&b, kind, id, "🔔 "+v.Token+": "+text, now)
		}
		return b, nil
	})
}

const (
	quietPile = "quiet" // key of what waits for the end of the quiet hours
	maxPile   = 12      // texts of one message; the oldest give way
)

// pile returns the pile for a notice of now: the one that waits to be told, or a new
// one.
func (s *state) pile(key string, due, now time.Time) store.Pile {
	last := s.settings.Piles[key]
	if now.Before(last.Due) {
		return last
	}
	if next := last.Due.Add(noticeEvery); due.Before(next) {
		due = next
	}
	return store.Pile{Due: due}
}

// putPile records a pile, and drops piles that no longer delay a notice.
func (s *state) putPile(b *store.Batch, key string, p store.Pile, now time.Time) {
	set := s.change(b)
	set.Piles = maps.Clone(set.Piles)
	maps.DeleteFunc(set.Piles, func(_ string, old store.Pile) bool { return !now.Before(old.Due.Add(noticeEvery)) })
	if set.Piles == nil {
		set.Piles = map[string]store.Pile{}
	}
	set.Piles[key] = p
}

// change returns the settings as b leaves them, for the caller to change in b.
func (s *state) change(b *store.Batch) *store.Settings {
	if b.Settings == nil {
		next := s.settings
		b.Settings = &next
	}
	return b.Settings
}

// pileText returns a pile as one message. A single text is not changed.
func pileText(key string, p store.Pile) string {
	text := strings.Join(p.Texts, "\n\n")
	if p.Left > 0 {
		text += fmt.Sprintf("\n\n%d older ones are left out: `afar log` has them all.", p.Left)
	}
	switch {
	case key == quietPile:
		return "🌅 While it was quiet:\n\n" + text
	case len(p.Texts) > 1:
		return fmt.Sprintf("📚 %d at once:\n\n%s", len(p.Texts)+p.Left, text)
	}
	return text
}
