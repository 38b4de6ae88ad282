package core

import (
	"github.com/afar-sh/afar/coordinator/internal/store"
)

// Commit commits a batch that a test has made, as a step does.
func (c *Core) Commit(b store.Batch) error {
	return c.Do(func(s *Draft) error {
		*s.Batch = b
		return nil
	})
}

// Woken returns how many subscriptions f wakes.
func (c *Core) Woken(f func()) int {
	before := c.bell.Count().Woken
	f()
	return c.bell.Count().Woken - before
}

// Subscriptions returns the number of subscriptions.
func (c *Core) Subscriptions() int { return c.bell.Count().Subscriptions }
