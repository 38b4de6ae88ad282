package core

import (
	"time"

	"github.com/afar-sh/afar/coordinator/internal/store"
)

// Commit commits a batch that a test has made, as a step does.
func (c *Core) Commit(b store.Batch) error {
	return c.do(func(*state, time.Time) (store.Batch, error) { return b, nil })
}

// Woken returns how many subscriptions f wakes. Their waiters do not notice.
func (c *Core) Woken(f func()) (n int) {
	real := map[*Subscription]chan struct{}{}
	c.mu.Lock()
	for _, all := range c.subscribers {
		for s := range all {
			if real[s] == nil {
				real[s], s.signal = s.signal, make(chan struct{}, 1)
			}
		}
	}
	c.mu.Unlock()
	f()
	c.mu.Lock()
	defer c.mu.Unlock()
	for s, signal := range real {
		n += len(s.signal)
		s.signal = signal
	}
	return n
}

// Subscriptions returns the number of subscriptions.
func (c *Core) Subscriptions() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := map[*Subscription]bool{}
	for _, some := range c.subscribers {
		for s := range some {
			all[s] = true
		}
	}
	return len(all)
}
