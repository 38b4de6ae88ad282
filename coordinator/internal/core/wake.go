package core

import (
	"context"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/store"
	"github.com/afar-sh/afar/coordinator/internal/undo"
)

// A Topic names a part of the state that somebody waits for. A commit wakes the
// subscribers of the topics that it changes, and nobody else.
type Topic string

// The topics that have no key.
const (
	Anything    Topic = "anything"    // every change
	Transcripts Topic = "transcripts" // where sessions write their transcripts
	Pairing     Topic = "pairing"     // the bot, its pairing code, the paired person
	Disk        Topic = "disk"        // whether anything can be written, see Unwritable
	paused      Topic = "paused"      // whether Afar is paused
	due         Topic = "due"         // the state changes by itself earlier than before
	journal     Topic = "journal"     // a new entry
)

func ofAsk(id ask.ID) Topic                { return Topic("ask " + id) }
func ofUndo(id undo.ID) Topic              { return Topic("undo " + id) }
func ofSession(id session.ID) Topic        { return Topic("session " + id) } // with its asks, texts and loop
func ofSessionJournal(id session.ID) Topic { return Topic("journal " + id) }
func ofPosts(name string) Topic            { return Topic("posts " + name) }
func ofLane(lane string) Topic             { return Topic("lane " + lane) }

// ofLanes is the topic of all lanes with a prefix that ends in a colon.
func ofLanes(prefix string) Topic { return Topic("lanes " + prefix) }

// laneFamily is the prefix that a lane shares with others, "" for none.
func laneFamily(lane string) string {
	prefix, _, ok := strings.Cut(lane, ":")
	if !ok {
		return ""
	}
	return prefix + ":"
}

// A Subscription waits for a change of some topics. C holds a value once one of them
// has changed since the last receive. Subscribe before you look at the state: then no
// change is missed.
type Subscription struct {
	C <-chan struct{}

	core   *Core
	topics []Topic
	signal chan struct{}
}

// Subscribe returns a new subscription to some topics. The caller closes it.
func (c *Core) Subscribe(topics ...Topic) *Subscription {
	signal := make(chan struct{}, 1)
	s := &Subscription{C: signal, core: c, topics: topics, signal: signal}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, t := range topics {
		if c.subscribers[t] == nil {
			c.subscribers[t] = map[*Subscription]struct{}{}
		}
		c.subscribers[t][s] = struct{}{}
	}
	return s
}

// Close ends a subscription.
func (s *Subscription) Close() {
	c := s.core
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, t := range s.topics {
		delete(c.subscribers[t], s)
		if len(c.subscribers[t]) == 0 {
			delete(c.subscribers, t)
		}
	}
}

// wake tells the subscribers of some topics; c.mu is held.
func (c *Core) wake(topics ...Topic) {
	for _, t := range topics {
		for s := range c.subscribers[t] {
			select {
			case s.signal <- struct{}{}:
			default: // it will look anyway
			}
		}
	}
}

// await looks at the state now, at each change of some topics, and at the time that
// look names, until look is done or ctx ends. The zero time never comes.
func (c *Core) await(ctx context.Context, look func(*state, time.Time) (done bool, at time.Time), topics ...Topic) {
	sub := c.Subscribe(topics...)
	defer sub.Close()
	for {
		var done bool
		var at time.Time
		c.view(func(s *state, now time.Time) { done, at = look(s, now) })
		if done || ctx.Err() != nil {
			return
		}
		c.wait(ctx, sub.C, at)
	}
}

// until is await for what only a change brings about.
func (c *Core) until(ctx context.Context, over func(*state) bool, topics ...Topic) {
	look := func(s *state, _ time.Time) (bool, time.Time) { return over(s), time.Time{} }
	c.await(ctx, look, topics...)
}

// touch notes the topics that a batch changes, besides those of its values; s is as
// it was before.
func (s *state) touch(b *store.Batch) {
	s.touched = append(s.touched, Anything)
	for _, e := range b.Events {
		s.touched = append(s.touched, journal, ofSessionJournal(e.Session))
	}
	for _, p := range b.Posts {
		s.touched = append(s.touched, ofPosts(p.Topic))
	}
	for _, a := range b.Actions {
		s.touched = append(s.touched, ofLane(a.Lane), ofLanes(laneFamily(a.Lane)))
	}
	s.touchSettings(b.Settings)
}

func (s *state) touchSettings(next *store.Settings) {
	if next == nil {
		return
	}
	was := s.settings
	if next.Paused != was.Paused {
		s.touched = append(s.touched, paused)
	}
	if next.Pairing != was.Pairing || next.Person != was.Person || next.Bot != was.Bot {
		s.touched = append(s.touched, Pairing)
	}
}
