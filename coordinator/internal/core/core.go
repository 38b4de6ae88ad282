// Package core owns the state of the coordinator: sessions, questions, permissions, loops, runs, tasks, texts and channels.
// Package feature adds tables to it for the nouns beside them.
//
// Every change of state takes the same steps: take the lock, compute the change on copies with a pure step, commit it to
// the store, apply it in memory, release the lock, wake the waiters. Nothing slow and no external effect happens under the
// lock. External effects are durable actions of the same commit.
package core

import (
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/store"
	"github.com/afar-sh/afar/coordinator/internal/trigger"
	"github.com/afar-sh/afar/coordinator/internal/wake"
)

// remember is how long old state stays in memory.
const remember = 7 * 24 * time.Hour

// Config is what a Core needs.
type Config struct {
	Store  *store.Store
	Log    *slog.Logger
	Now    func() time.Time
	Secret func() string // a fresh unguessable word of 16 hex digits
	// Channels names the channels that this coordinator runs.
	Channels []string
	// AnswersFrom names the channels whose answers count; none means all.
	AnswersFrom []string
	Rules       Rules // at first, see Use
	Trace       bool  // post each step of a loop to loop:trace
	// Lives reports whether a process still runs. If it is nil, all processes run.
	Lives func(session.Process) bool
	// Rings reports whether the person notices a card on a channel now: a page shows it only
	// to those who look. If it is nil, all channels ring. It must not call Core.
	Rings func(channel string) bool
	// Pages is the folder with a folder for each session.
	Pages string
	// Zones returns the time zones of rules. If it is nil, a rule that names none is in UTC.
	Zones trigger.Zones
	// Home names the home of this coordinator. Browsers are signed in to one home only.
	Home string
}

// A Core is the one owner of state, also of what package feature adds to it. Its methods may be called from any goroutine.
type Core struct {
	*owner
	open *transaction // collects the changes of one act, see Act; nil commits each change by itself
}

// An owner is what all Cores of a coordinator share.
type owner struct {
	cfg Config

	mu     sync.Mutex // guards all below; never held across I/O but the commit
	state  *State
	streak streak // in which the disk takes nothing

	bell wake.Bell // never rung before what it tells of is committed

	wasKilled bool // never changes after New, see WasKilled

	damaged map[string]bool // damaged rows that the journal names, see ReportBad
	flushAt time.Time       // when what is carried is committed in any case; zero if nothing is
}

// A Draft is a change of the state that is not committed yet. It reads the state as it was, and collects in Batch what is
// to be written. The state itself changes only after the commit.
type Draft struct {
	*State
	Batch *store.Batch
	Now   time.Time
}

// drop forgets what the draft has collected.
func (s *Draft) drop() { *s.Batch = store.Batch{} }

// Record adds an entry to the journal; text must be free of secrets.
func (s *Draft) Record(kind event.Kind, id session.ID, subject, text string) {
	e := event.Event{At: s.Now, Kind: kind, Session: id, Subject: subject, Text: text}
	s.Batch.Events = append(s.Batch.Events, e)
}

// New loads the state from the store. Rows that cannot be read stay in the database.
// A damaged loop is replaced by a failed one, so that its session may stop. join adds the tables of what is beside core,
// before the state is loaded.
func New(cfg Config, join func(*State) Beside) (*Core, error) {
	clock := cfg.Now
	// The monotonic reading is removed: it does not advance while the machine sleeps,
	// and a grant until noon would still hold in the evening.
	cfg.Now = func() time.Time { return clock().Round(0) }
	if cfg.Rings == nil {
		cfg.Rings = func(string) bool { return true }
	}
	if cfg.Zones == nil {
		cfg.Zones = time.LoadLocation
	}
	if cfg.Lives == nil {
		cfg.Lives = func(session.Process) bool { return true }
	}
	c := &Core{owner: &owner{
		cfg:     cfg,
		damaged: map[string]bool{},
	}}
	c.state = newState(&c.cfg)
	c.state.beside = join(c.state)
	bad, err := c.state.load(cfg.Store, cfg.Now())
	if err != nil {
		return nil, fmt.Errorf("load state: %w", err)
	}
	if err := errors.Join(c.Disprove(c.claims()), c.doubtInterrupted(), c.Do(restarted(bad))); err != nil {
		return c, err
	}
	c.reported(bad)
	return c, errors.Join(c.Look(), c.Do(answersFrom(cfg.AnswersFrom)))
}

// Do changes the state and wakes the waiters.
func (c *Core) Do(f func(*Draft) error) error {
	if c.open != nil {
		return c.collect(f)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	changed, err := c.apply(f, c.commit)
	if changed {
		c.tell()
	}
	return err
}

// linger is how long a batch that can wait is carried, unless a commit comes before.
const linger = 5 * time.Second

// commit commits a batch, or carries it if it waits; c.mu is held.
func (c *Core) commit(b *store.Batch) error {
	if !b.Waits() {
		err := c.cfg.Store.Commit(b)
		c.noteWrite(err)
		return err
	}
	c.cfg.Store.Carry(*b)
	if c.flushAt.IsZero() {
		c.flushAt = c.cfg.Now().Add(linger)
		c.bell.Ring(due)
	}
	return nil
}

// flush commits what is carried, if it has been for long enough.
func (c *Core) flush() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.flushAt.IsZero() || c.cfg.Now().Before(c.flushAt) {
		return nil
	}
	c.flushAt = time.Time{}
	err := c.cfg.Store.Flush()
	if err != nil { // without one, nothing may have been written
		c.noteWrite(err)
		c.flushAt = c.cfg.Now().Add(linger)
	}
	return err
}

// quietly is Do for a hook that waits for the reply. It wakes no waiters, and waits for
// the disk only if asks or messages change. The caller calls Publish after its reply.
func (c *Core) quietly(f func(*Draft) error) error {
	if c.open != nil {
		return c.collect(f)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	_, err := c.apply(f, func(b *store.Batch) error {
		if store.Asks.Changes(b) || store.Messages.Changes(b) {
			return c.commit(b)
		}
		err := c.cfg.Store.Write(b)
		c.noteWrite(err)
		return err
	})
	return err
}

// Publish makes quiet changes survive a loss of power, and wakes the waiters.
func (c *Core) Publish() {
	if err := c.wrote(c.cfg.Store.Sync()); err != nil {
		c.cfg.Log.Error("sync a change", "err", err)
	}
	c.lock()
	defer c.unlock()
	c.tell()
}

// apply is the only way in which state changes; c.mu is held.
func (c *Core) apply(f func(*Draft) error, commit func(*store.Batch) error) (changed bool, err error) {
	s := c.state.At(c.cfg.Now())
	if err := f(s); err != nil || s.Batch.Empty() {
		return false, err
	}
	if err := commit(s.Batch); err != nil {
		return false, err
	}
	c.state.merge(s.Batch, s.Now)
	return true, nil
}

// tell wakes the waiters for what has changed; c.mu is held.
func (c *Core) tell() {
	c.bell.Ring(c.state.touched...)
	c.state.touched = c.state.touched[:0]
}

// View reads the state under the lock.
func (c *Core) View(f func(s *State, now time.Time)) {
	c.lock()
	defer c.unlock()
	f(c.state, c.cfg.Now())
}
