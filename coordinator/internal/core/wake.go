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

// A Part names a piece of the state to wait for. A commit wakes only the subscribers of
// the parts that it changes.
type Part string

// The parts that have no key.
const (
	Anything    Part = "anything"    // every change
	Transcripts Part = "transcripts" // where sessions write their transcripts
	Pairing     Part = "pairing"     // what a channel speaks through, its pairing code, the paired person, a refusal
	Disk        Part = "disk"        // whether anything can be written, see Unwritable
	Browsers    Part = "browsers"    // which browsers are signed in to the page
	Turns       Part = "turns"       // a turn of a run has ended
	Stops       Part = "stops"       // a session has stopped or ended
	Triaged     Part = "triaged"     // which events wait for triage
	Tasks       Part = "tasks"       // what is kept of tasks, their files, and the texts for them
	Triggers    Part = "triggers"    // what is kept of a trigger, and its ledger
	Firings     Part = "firings"     // a firing is to be sent
	Modules     Part = "modules"     // which modules are enabled
	paused      Part = "paused"      // whether Afar is paused
	due         Part = "due"         // the state changes by itself earlier than before
	journal     Part = "journal"     // a new entry
)

func ofAsk(id ask.ID) Part                { return Part("ask " + id) }
func ofUndo(id undo.ID) Part              { return Part("undo " + id) }
func ofSession(id session.ID) Part        { return Part("session " + id) } // with its asks, texts and loop
func ofSessionJournal(id session.ID) Part { return Part("journal " + id) }
func ofPosts(name string) Part            { return Part("posts " + name) }
func ofLane(lane string) Part             { return Part("lane " + lane) }

// ofLanes is the part of all lanes with a prefix that ends in a colon.
func ofLanes(prefix string) Part { return Part("lanes " + prefix) }

// laneFamily returns the prefix that a lane shares with others, "" for none.
func laneFamily(lane string) string {
	prefix, _, ok := strings.Cut(lane, ":")
	if !ok {
		return ""
	}
	return prefix + ":"
}

// A Subscription waits for a change of some parts. C holds a value once one of them
// has changed since the last receive. Subscribe before you look at the state: then no
// change is missed.
type Subscription struct {
	C <-chan struct{}

	core   *Core
	parts  []Part
	signal chan struct{}
}

// Subscribe returns a new subscription to some parts. The caller closes it.
func (c *Core) Subscribe(parts ...Part) *Subscription {
	signal := make(chan struct{}, 1)
	s := &Subscription{C: signal, core: c, parts: parts, signal: signal}
	c.lock()
	defer c.unlock()
	for _, p := range parts {
		if c.subscribers[p] == nil {
			c.subscribers[p] = map[*Subscription]struct{}{}
		}
		c.subscribers[p][s] = struct{}{}
	}
	return s
}

// Close ends a subscription.
func (s *Subscription) Close() {
	c := s.core
	c.lock()
	defer c.unlock()
	for _, p := range s.parts {
		delete(c.subscribers[p], s)
		if len(c.subscribers[p]) == 0 {
			delete(c.subscribers, p)
		}
	}
}

// wake tells the subscribers of some parts; c.mu is held.
func (c *Core) wake(parts ...Part) {
	for _, p := range parts {
		for s := range c.subscribers[p] {
			select {
			case s.signal <- struct{}{}:
			default: // it will look anyway
			}
		}
	}
}

// await looks at the state now, at each change of some parts, and at the time that
// look names, until look is done or ctx ends. The zero time never comes.
func (c *Core) await(ctx context.Context, look func(*state, time.Time) (done bool, at time.Time), parts ...Part) {
	sub := c.Subscribe(parts...)
	defer sub.Close()
	for {
		var done bool
		var at time.Time
		c.view(func(s *state, now time.Time) { done, at = look(s, now) })
		if done || ctx.Err() != nil || c.open != nil { // an act waits for nothing: it may have the lock
			return
		}
		c.wait(ctx, sub.C, at)
	}
}

// until is await for a condition that only a change can fulfil.
func (c *Core) until(ctx context.Context, over func(*state) bool, parts ...Part) {
	look := func(s *state, _ time.Time) (bool, time.Time) { return over(s), time.Time{} }
	c.await(ctx, look, parts...)
}

// awaitRows returns what read finds in the database. If that is nothing, it waits for a change of a part until ctx
// ends, and reads again.
func awaitRows[Row any](ctx context.Context, c *Core, about Part, read func() ([]Row, error)) ([]Row, error) {
	sub := c.Subscribe(about)
	defer sub.Close()
	for {
		rows, err := read()
		if err != nil || len(rows) > 0 {
			return rows, err
		}
		select {
		case <-sub.C:
		case <-ctx.Done():
			return nil, nil
		}
	}
}

// touch notes the parts that a batch changes, except those of its values; s is as
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
}
