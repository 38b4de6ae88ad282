package core

import (
	"context"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/store"
	"github.com/afar-sh/afar/coordinator/internal/wake"
)

// The parts that have no key.
const (
	Anything    wake.Part = "anything"    // every change
	Transcripts wake.Part = "transcripts" // where sessions write their transcripts
	Pairing     wake.Part = "pairing"     // what a channel speaks through, its pairing code, the paired person, a refusal
	Disk        wake.Part = "disk"        // whether anything can be written, see Unwritable
	Turns       wake.Part = "turns"       // a turn of a run has ended
	Stops       wake.Part = "stops"       // a session has stopped or ended
	Triaged     wake.Part = "triaged"     // which events wait for triage
	Tasks       wake.Part = "tasks"       // what is kept of tasks, their files, and the texts for them
	Paused      wake.Part = "paused"      // whether Afar is paused
	due         wake.Part = "due"         // the state changes by itself earlier than before
	Journal     wake.Part = "journal"     // a new entry
)

// OfSession is the part of a session, with its asks, texts and loop.
func OfSession(id session.ID) wake.Part { return wake.Part("session " + id) }

// OfSessionJournal is the part of the journal's entries about a session.
func OfSessionJournal(id session.ID) wake.Part { return wake.Part("journal " + id) }

func ofAsk(id ask.ID) wake.Part     { return wake.Part("ask " + id) }
func ofPosts(name string) wake.Part { return wake.Part("posts " + name) }
func ofLane(lane string) wake.Part  { return wake.Part("lane " + lane) }

// ofLanes is the part of all lanes with a prefix that ends in a colon.
func ofLanes(prefix string) wake.Part { return wake.Part("lanes " + prefix) }

// laneFamily returns the prefix that a lane shares with others, "" for none.
func laneFamily(lane string) string {
	prefix, _, ok := strings.Cut(lane, ":")
	if !ok {
		return ""
	}
	return prefix + ":"
}

// Subscribe returns a new subscription to some parts. The caller closes it.
func (c *Core) Subscribe(parts ...wake.Part) *wake.Subscription { return c.bell.Subscribe(parts...) }

// await looks at the state now, at each change of some parts, and at the time that
// look names, until look is done or ctx ends. The zero time never comes.
func (c *Core) await(ctx context.Context, look func(*State, time.Time) (done bool, at time.Time), parts ...wake.Part) {
	sub := c.Subscribe(parts...)
	defer sub.Close()
	for {
		var done bool
		var at time.Time
		c.View(func(s *State, now time.Time) { done, at = look(s, now) })
		if done || ctx.Err() != nil || c.open != nil { // an act waits for nothing: it may have the lock
			return
		}
		c.wait(ctx, sub.C, at)
	}
}

// Until is await for a condition that only a change can fulfil.
func (c *Core) Until(ctx context.Context, over func(*State) bool, parts ...wake.Part) {
	look := func(s *State, _ time.Time) (bool, time.Time) { return over(s), time.Time{} }
	c.await(ctx, look, parts...)
}

// AwaitRows returns what read finds in the database. If that is nothing, it waits for a change of a part until ctx
// ends, and reads again.
func AwaitRows[Row any](ctx context.Context, c *Core, about wake.Part, read func() ([]Row, error)) ([]Row, error) {
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
func (s *State) touch(b *store.Batch) {
	s.touched = append(s.touched, Anything)
	for _, e := range b.Events {
		s.touched = append(s.touched, Journal, OfSessionJournal(e.Session))
	}
	for _, p := range b.Posts {
		s.touched = append(s.touched, ofPosts(p.Topic))
	}
	for _, a := range b.Actions {
		s.touched = append(s.touched, ofLane(a.Lane), ofLanes(laneFamily(a.Lane)))
	}
	s.touchSettings(b.Settings)
}

func (s *State) touchSettings(next *store.Settings) {
	if next == nil {
		return
	}
	was := s.Settings
	if next.Paused != was.Paused {
		s.touched = append(s.touched, Paused)
	}
}
