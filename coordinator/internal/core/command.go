package core

import (
	"time"

	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/store"
)

// An Order is a command of the person on a channel, and the reply to it.
type Order struct {
	channel.Act
	Text string
}

// OrderAway deals with a command that sets the away mode of all sessions. The
// change and its answer are one commit.
func (c *Core) OrderAway(o Order, mode session.Mode, d time.Duration) error {
	return c.order(o, setAway("", mode, d))
}

// OrderPause deals with a command that sets the kill switch.
func (c *Core) OrderPause(o Order, on bool) error { return c.order(o, pause(on)) }

func (c *Core) order(o Order, f step) error {
	return c.do(func(s *state, now time.Time) (store.Batch, error) {
		b, err := f(s, now)
		b.Act = o.Act
		s.settle(&b, o.Act, o.Text, now)
		return b, err
	})
}
