package core

import (
	"slices"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/store"
)

// A transaction collects the changes of one act. It has the lock from its first change on.
type transaction struct {
	begun   bool
	batch   store.Batch
	undo    []func(now time.Time) // takes back what is in memory and not committed
	touched int                   // so many parts of State.touched are not of the act
}

// Act carries out what the person did on a channel. What do changes through its Core, the end of the
// update and the settlement that do returns are one commit; after an error, of do or of the commit, nothing
// is changed. do may read files before its first change. After that it holds the lock, and only looks
// at the state through its Core.
func (c *Core) Act(act channel.Act, do func(*Core) (channel.Settlement, error)) error {
	one := &Core{owner: c.owner, open: &transaction{}}
	what, err := do(one)
	if err == nil {
		err = one.Do(func(s *Draft) error {
			s.Batch.Act = act
			s.tell(act, what)
			return nil
		})
	}
	if !one.open.begun {
		return err
	}
	defer c.mu.Unlock()
	return one.finish(err)
}

// lock takes the lock, unless c has it because its act has begun.
func (c *Core) lock() {
	if c.open == nil || !c.open.begun {
		c.mu.Lock()
	}
}

func (c *Core) unlock() {
	if c.open == nil || !c.open.begun {
		c.mu.Unlock()
	}
}

// collect changes the state in memory, and leaves the commit to finish.
func (c *Core) collect(f func(*Draft) error) error {
	c.lock()
	if !c.open.begun {
		c.open.begun, c.open.touched = true, len(c.state.touched)
	}
	s := c.state.At(c.cfg.Now())
	if err := f(s); err != nil || s.Batch.Empty() {
		return err
	}
	c.open.undo = append(c.open.undo, c.state.keep(s.Batch))
	c.state.merge(s.Batch, s.Now)
	c.open.batch.Add(*s.Batch)
	return nil
}

// finish commits what an act has changed. After an error, of the act or of the commit, the state is
// again what it was; c.mu is held.
func (c *Core) finish(err error) error {
	if err == nil {
		err = c.commit(&c.open.batch)
	}
	if err != nil {
		for _, undo := range slices.Backward(c.open.undo) {
			undo(c.cfg.Now())
		}
		c.state.touched = c.state.touched[:c.open.touched]
		return err
	}
	c.state.follow(c.open.batch.Events)
	c.tell()
	return nil
}
