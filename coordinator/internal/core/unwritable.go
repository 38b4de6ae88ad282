package core

import (
	"context"
	"errors"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/store"
)

// ErrUnwritable says that the disk could not be written, so nothing was changed.
var ErrUnwritable = store.ErrUnwritable

// A streak is a time in which the disk cannot be written. The zero value means that it can.
type streak struct {
	since time.Time
	err   error
}

// Unwritable returns why nothing can be written now, and since when. The error is nil if
// the last commit succeeded. The part Disk is touched when this begins and ends.
func (c *Core) Unwritable() (since time.Time, err error) {
	c.lock()
	defer c.unlock()
	return c.streak.since, c.streak.err
}

// Probe writes without a change, and returns why that failed.
func (c *Core) Probe() error { return c.wrote(c.cfg.Store.Probe()) }

// wrote notes the result of a write of the store, and returns its error.
func (c *Core) wrote(err error) error {
	c.lock()
	defer c.unlock()
	c.noteWrite(err)
	return err
}

// noteWrite is wrote with c.mu held.
func (c *Core) noteWrite(err error) {
	before := c.streak
	switch {
	case err == nil:
		c.streak = streak{}
	case !errors.Is(err, ErrUnwritable):
		return
	case before.err == nil:
		c.streak = streak{since: c.cfg.Now(), err: err}
	}
	if (before.err == nil) != (c.streak.err == nil) {
		c.bell.Ring(Disk)
	}
}

// Recovered tells the person that what failed since then can be done again.
func (c *Core) Recovered(since time.Time) error {
	return c.Do(func(s *Draft) error {
		down := s.Now.Sub(since).Round(time.Second)
		text := "Afar can write again, after " + down.String() + ". Questions come here as before."
		s.Record(event.WritesAgain, "", "", text)
		s.Notify("writes", "", channel.News{Kind: channel.WritesAgain, What: text})
		return nil
	})
}

// persist retries a write until it succeeds, or ctx ends. An external effect must not be
// repeated because it could not be recorded.
func (c *Core) persist(ctx context.Context, write func() error) error {
	for {
		err := c.wrote(write())
		if !errors.Is(err, ErrUnwritable) || ctx.Err() != nil {
			return err
		}
		c.wait(ctx, nil, c.cfg.Now().Add(retry))
	}
}
