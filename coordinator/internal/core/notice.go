package core

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/store"
)

// NoticeEvery is the shortest time between two notices of one kind and session. What
// happens meanwhile is told together. Asks are not notices and are never delayed.
const NoticeEvery = time.Minute

// Notify tells the person news in every away mode: at once, together with others of its kind and session, or
// after the quiet hours. shows are the ids of the messages in it.
func (s *Draft) Notify(kind string, id session.ID, n channel.News, shows ...string) {
	s.heap(kind, id, n, shows, true)
}

// heap adds news to the pile of its kind and session. loud says that it is a reason to ring by itself.
func (s *Draft) heap(kind string, id session.ID, n channel.News, shows []string, loud bool) {
	if !s.Reachable() {
		return
	}
	key, due := kind+":"+string(id), s.Now
	if until := s.Cfg.Rules.Quiet.Until(s.Now); !until.IsZero() {
		key, id, due = quietPile, "", until
	}
	pile := s.pile(key, due, s.Now)
	pile.News = append(pile.News[:len(pile.News):len(pile.News)], n)
	pile.Shows, pile.Loud = slices.Concat(pile.Shows, shows), pile.Loud || loud
	if left := len(pile.News) - maxPile; left > 0 {
		pile.News, pile.Left = pile.News[left:], pile.Left+left
	}
	s.putPile(key, pile)
	s.sendPile(key, id, pile, pile.Due)
}

// TellTogether makes one notice of those that wait in a lane for their time or for the other side, but for one action.
// read returns what an action tells, in the kinds of actions that tell something. merged holds the keys of those that the
// notice stands for; there are none if only one waits.
func (c *Core) TellTogether(
	lane, but string, read func(store.Action) (channel.Notice, error), kinds ...string,
) (merged map[string]bool, err error) {
	waits, err := c.cfg.Store.Backlog(lane, c.cfg.Now(), kinds...)
	waits = slices.DeleteFunc(waits, func(a store.Action) bool { return a.Key == but })
	if err != nil || len(waits) < 2 {
		return nil, err
	}
	all := channel.Notice{Silent: true}
	merged = map[string]bool{}
	for _, a := range waits {
		merged[a.Key] = true
		n, err := read(a)
		if err != nil {
			continue // it cannot be told at all
		}
		if len(n.News) == 0 {
			n.News = []channel.News{{Text: n.Text}}
		}
		all.News, all.Shows = append(all.News, n.News...), append(all.Shows, n.Shows...)
		all.Silent = all.Silent && n.Silent
		left := max(0, len(all.News)-maxPile)
		all.News, all.Left = all.News[left:], all.Left+n.Left+left
	}
	for i, n := range all.News {
		first, _, _ := strings.Cut(channel.Notice{Text: n.Words()}.Plain(), "\n")
		all.News[i] = channel.News{Text: channel.Verbatim(ask.Elide(first, maxTold))}
	}
	return merged, c.Do(func(s *Draft) error {
		s.Batch.Done = waits
		key := fmt.Sprintf("notice:together:%d", s.Now.UnixNano())
		s.OnChannel(lane, key, ActNotice, Encode(all), s.Now)
		return nil
	})
}

// maxTold bounds what one of several notices says, in bytes.
const maxTold = 300

// hasten tells the waiting notices of one kind and session now, so that they do not come
// after later news. Quiet hours still delay them.
func (s *Draft) hasten(kind string, id session.ID) {
	key := kind + ":" + string(id)
	pile, ok := s.NewSettings().Piles[key]
	if !ok || !s.Now.Before(pile.Due) || !s.Cfg.Rules.Quiet.Until(s.Now).IsZero() {
		return
	}
	s.sendPile(key, id, pile, s.Now)
	pile.Due = s.Now
	s.putPile(key, pile)
}

// sendPile writes the action that tells a pile at due.
func (s *Draft) sendPile(key string, id session.ID, pile store.Pile, due time.Time) {
	name := fmt.Sprintf("notice:%s:%d", key, pile.Due.UnixNano())
	s.OnChannels(name, ActNotice, Encode(channel.Notice{
		Session: id, News: pile.News, Left: pile.Left, Quiet: key == quietPile, Shows: pile.Shows, Silent: !pile.Loud,
	}), due)
}

// noticeOn tells news on one channel only.
func (s *Draft) noticeOn(name, about string, n channel.News) {
	due := s.Now
	if until := s.Cfg.Rules.Quiet.Until(s.Now); !until.IsZero() {
		due = until
	}
	key := fmt.Sprintf("notice:%s:%d", about, s.Now.UnixNano())
	data := Encode(channel.Notice{News: []channel.News{n}})
	s.OnChannel(name, key, ActNotice, data, due)
}

// PassOn tells the person a notification of the host, if they are away from the session.
// kind is the host's word for it.
func (c *Core) PassOn(id session.ID, kind, text string) error {
	return c.Do(func(s *Draft) error {
		if v, ok := s.Sessions.Rows[id]; ok && text != "" && s.Mode(id, s.Now) == session.On {
			s.Notify(kind, id, channel.News{Kind: channel.HostSays, Of: v.Token, What: text})
		}
		return nil
	})
}

const (
	quietPile = "quiet" // key of what waits for the end of the quiet hours
	maxPile   = 12      // news of one message; the oldest give way
)

// pile returns the pile for a notice of now: the one that waits to be told, or a new
// one.
func (s *State) pile(key string, due, now time.Time) store.Pile {
	last := s.Settings.Piles[key]
	if now.Before(last.Due) {
		return last
	}
	if next := last.Due.Add(NoticeEvery); due.Before(next) {
		due = next
	}
	return store.Pile{Due: due}
}

// putPile records a pile, and drops piles that no longer delay a notice.
func (s *Draft) putPile(key string, p store.Pile) {
	set := s.NewSettings()
	set.Piles = maps.Clone(set.Piles)
	maps.DeleteFunc(set.Piles, func(_ string, old store.Pile) bool { return !s.Now.Before(old.Due.Add(NoticeEvery)) })
	if set.Piles == nil {
		set.Piles = map[string]store.Pile{}
	}
	set.Piles[key] = p
}

// NewSettings returns the settings as the draft leaves them, for the caller to change.
func (s *Draft) NewSettings() *store.Settings {
	if s.Batch.Settings == nil {
		next := s.Settings
		s.Batch.Settings = &next
	}
	return s.Batch.Settings
}
