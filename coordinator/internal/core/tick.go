package core

import (
	"context"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/loop"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/store"
)

// retry is the pause after a change that time demanded could not be committed.
const retry = time.Second

// Run applies what time brings until ctx ends. One timer waits for the
// earliest moment at which anything changes by itself.
func (c *Core) Run(ctx context.Context) {
	for ctx.Err() == nil {
		var at time.Time
		changed := c.view(func(s *state, now time.Time) { at = s.next(now) })
		if !c.wait(ctx, changed, at) {
			continue
		}
		if err := c.Tick(); err != nil {
			c.cfg.Log.Error("apply what is due", "err", err)
			c.wait(ctx, nil, c.cfg.Now().Add(retry))
		}
	}
}

// glance is how often a wait looks at the clock: a timer stands still while the
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
func (c *Core) Tick() error { return c.do(tick) }

func tick(s *state, now time.Time) (store.Batch, error) {
	var b store.Batch
	s.tickAsks(&b, now)
	s.remind(&b, now)
	s.tickLoops(&b, now)
	s.tickSessions(&b, now)
	s.tickGrants(&b, now)
	s.tickUndos(&b, now)
	return b, nil
}

func (s *state) tickLoops(b *store.Batch, now time.Time) {
	for id, l := range s.loops {
		if at := l.Next(); at.IsZero() || now.Before(at) {
			continue
		}
		s.putLoop(b, id, loop.Expire(l, now), now)
	}
}

func (s *state) tickSessions(b *store.Batch, now time.Time) {
	for _, v := range s.sessions {
		if v.Reported || !v.Unprotected(now) {
			continue
		}
		v.Reported = true
		b.Sessions = append(b.Sessions, v)
		text := "session " + v.Token + " in " + v.Project + " runs without Afar's hooks: no guard, no asks"
		b.Events = append(b.Events, happened(event.SessionUnprotected, v.ID, v.Token, text, now))
		s.notify(b, "unprotected", v.ID, "⚠️ "+text+". Start it again with the plugin enabled, or see `afar doctor`.", now)
	}
}

// next returns when the state changes by itself, zero for never.
func (s *state) next(now time.Time) time.Time {
	at := first(s.grantsEnd(), s.undosEnd())
	for _, a := range s.asks {
		at = first(first(at, a.Next()), s.releaseAt(a, now))
		if !s.settings.Paused {
			at = first(at, a.RemindAt(s.rules.RemindAfter))
		}
	}
	for _, l := range s.loops {
		at = first(at, l.Next())
	}
	for _, v := range s.sessions {
		if !v.Reported {
			at = first(at, v.UnprotectedAt())
		}
	}
	return at
}

func first(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// restarted is the first change after a start: what could not be read is said,
// and the open asks get time for their hooks to dial again.
func restarted(bad []store.Bad) step {
	return func(s *state, now time.Time) (store.Batch, error) {
		var b store.Batch
		b.Events = append(b.Events, happened(event.Started, "", "", "the coordinator started", now))
		for _, r := range bad {
			b.Events = append(b.Events, happened(event.Damaged, "", r.Table+" "+r.ID, "a row cannot be read: "+r.Err.Error(), now))
			if r.Table == "loops" {
				s.putLoop(&b, session.ID(r.ID), unreadable(r.ID, now), now)
			}
		}
		s.loseAsks(&b, now)
		return b, nil
	}
}

// unreadable is the end of a loop of which only the session is known.
func unreadable(id string, now time.Time) loop.Outcome {
	f := loop.Frame{ID: "unreadable", Mode: loop.Task, Goal: "its record cannot be read", StartedAt: now}
	return loop.Fail(loop.Stack{Session: id, Frames: []loop.Frame{f}}, "the row in the database is damaged", now)
}
