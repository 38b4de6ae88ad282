package core

import (
	"context"
	"errors"
	"time"
)

// retry is the pause after Tick could not commit a change.
const retry = time.Second

// Run applies the changes that are due, until ctx ends. One timer waits for the earliest
// time at which anything changes by itself.
func (c *Core) Run(ctx context.Context) {
	sub := c.Subscribe(due)
	defer sub.Close()
	for last := c.cfg.Now(); ctx.Err() == nil; {
		var at time.Time
		at, last = c.upcoming(last)
		if !c.wait(ctx, sub.C, at) {
			continue
		}
		if err := c.Tick(); err != nil {
			c.cfg.Log.Error("apply what is due", "err", err)
			c.wait(ctx, nil, c.cfg.Now().Add(retry))
		}
	}
}

// upcoming returns when the state changes by itself, and what time it is. If the clock was
// set back since last, all such times are computed again.
func (c *Core) upcoming(last time.Time) (at, now time.Time) {
	c.View(func(s *State, t time.Time) {
		if now = t; now.Before(last) {
			c.setBack(now)
		}
		at = first(s.next(), c.flushAt)
	})
	return at, now
}

// setBack reads again what a clock that was set back needs, and computes when each value changes; c.mu is held.
func (c *Core) setBack(now time.Time) {
	for _, t := range c.state.tables {
		bad, err := t.SetBack(c.cfg.Store, now.Add(-remember), now)
		for _, b := range bad {
			err = errors.Join(err, b)
		}
		if err != nil {
			c.cfg.Log.Error("read the state again after the clock was set back", "err", err)
		}
	}
}

// glance is how often a wait looks at the clock: a timer does not advance while the
// machine sleeps.
const glance = 30 * time.Second

// wait returns true when at has come, false when something changed first, it is
// time for another look at the clock, or ctx ended. The zero time never comes.
func (c *Core) wait(ctx context.Context, changed <-chan struct{}, at time.Time) bool {
	var due <-chan time.Time
	if !at.IsZero() {
		t := time.NewTimer(min(at.Sub(c.cfg.Now()), glance))
		defer t.Stop()
		due = t.C
	}
	select {
	case <-due:
		return !c.cfg.Now().Before(at)
	case <-changed:
	case <-ctx.Done():
	}
	return false
}

// Tick applies all that is due now.
func (c *Core) Tick() error {
	if err := c.Do(tick); err != nil {
		return err
	}
	c.View(func(s *State, now time.Time) { s.retime(now) })
	return c.flush()
}

func tick(s *Draft) error {
	for _, t := range s.tables {
		t.Tick(s.Batch, s.Now)
	}
	return nil
}

// Forget drops from memory what is settled for longer than remember.
func (c *Core) Forget() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.cfg.Store.Flush(); err != nil {
		return err
	}
	for _, t := range c.state.tables {
		if err := t.Forget(c.cfg.Store, c.cfg.Now().Add(-remember)); err != nil {
			return err
		}
	}
	return nil
}

func latest(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

func first(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}
