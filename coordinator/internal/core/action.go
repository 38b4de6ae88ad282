package core

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/store"
)

// LaneDisk is the lane of the actions that write files. One worker serves a lane, in
// order. Each channel has a lane with its own name.
const LaneDisk = "disk"

// The kinds of durable actions, and the data of each. A handler reads the state when
// it runs, so an action that is written twice before it runs is carried out once.
const (
	ActCard   = "card"   // an ask's id: make its card say how the ask is
	ActNotice = "notice" // a channel.Notice: a text for the person
	ActSay    = "say"    // a channel.Settlement: a text for one address
	ActTap    = "tap"    // a channel.Settlement: the answer to a tapped button
	ActRoom   = "room"   // a session's id: open or close its room as the session is
	ActWrite  = "write"  // a File: markdown of a session
	ActText   = "text"   // a Text: a file of a session whose content is given
)

// A File names a markdown file in a session's folder.
type File struct {
	Session session.ID `json:"session"`
	Name    string     `json:"name"`
}

// A Text is a file with its content.
type Text struct {
	File
	Text string `json:"text"`
}

// ErrGiveUp marks an error after which an action is not tried again.
var ErrGiveUp = errors.New("not possible")

// A Delay is an error that says when to try again.
type Delay struct {
	After time.Duration
	Err   error
}

func (d *Delay) Error() string { return d.Err.Error() }
func (d *Delay) Unwrap() error { return d.Err }

// markdown adds an action that rewrites a file of a session.
func (s *Draft) markdown(id session.ID, name string) {
	s.Enqueue(LaneDisk, "write:"+string(id)+"/"+name, ActWrite, Encode(File{id, name}))
}

// KeepText adds an action that writes a file of a session with its content.
func (s *Draft) KeepText(id session.ID, name, content string) {
	s.Enqueue(LaneDisk, "text:"+string(id)+"/"+name, ActText, Encode(Text{File{id, name}, content}))
}

// Enqueue adds an action that is due at once.
func (s *Draft) Enqueue(lane, key, kind, data string) {
	s.Batch.Actions = append(s.Batch.Actions, store.Action{Key: key, Lane: lane, Kind: kind, Data: data, Due: s.Now})
}

// A Handler carries out one action. It must be safe to call again with an action that
// it has carried out, because the coordinator may die before it notes that.
type Handler func(ctx context.Context, a store.Action) error

// Work carries out the actions of a lane, one after the other, until ctx ends.
// A Delay stops the whole lane, except for the answers to taps, which cannot wait.
func (c *Core) Work(ctx context.Context, lane string, handle Handler) {
	c.work(ctx, lane, handle, func() bool { return false })
}

// work carries out the actions of a lane. It returns when ctx ends, or when the lane
// is empty and idle returns true.
func (c *Core) work(ctx context.Context, lane string, handle Handler, idle func() bool) {
	sub := c.Subscribe(ofLane(lane), Disk, Pairing)
	defer sub.Close()
	held := time.UnixMilli(0)
	for ctx.Err() == nil {
		if _, err := c.Unwritable(); err != nil { // the result could not be recorded
			c.wait(ctx, sub.C, c.cfg.Now().Add(glance))
			continue
		}
		a, ok, next, err := c.cfg.Store.Due(lane, c.cfg.Now(), latest(held, c.refusedUntil(lane)), ActTap)
		if err != nil {
			c.cfg.Log.Error("read actions", "lane", lane, "err", err)
			next = c.cfg.Now().Add(retry)
		}
		if !ok && next.IsZero() && idle() {
			return
		}
		if !ok {
			c.wait(ctx, sub.C, next)
			continue
		}
		if d := c.carryOut(ctx, a, handle); d != nil && a.Kind != ActTap {
			held = c.cfg.Now().Add(d.After)
		}
	}
}

// Undone returns how many actions of a lane are to be done.
func (c *Core) Undone(lane string) (int, error) { return c.cfg.Store.Undone(lane) }

// WorkEach does the work of all lanes with a prefix at the same time. The prefix ends
// in its first colon. A lane has a worker only while it has actions.
func (c *Core) WorkEach(ctx context.Context, prefix string, handle Handler) {
	var workers sync.WaitGroup
	defer workers.Wait()
	var mu sync.Mutex
	busy, left := map[string]bool{}, make(chan struct{}, 1)
	leave := func(lane string) {
		mu.Lock()
		delete(busy, lane)
		mu.Unlock()
		select {
		case left <- struct{}{}: // something may have come in while it left
		default:
		}
	}
	enter := func(lane string) bool {
		mu.Lock()
		defer mu.Unlock()
		fresh := !busy[lane]
		busy[lane] = true
		return fresh
	}
	sub := c.Subscribe(ofLanes(prefix))
	defer sub.Close()
	for ctx.Err() == nil {
		lanes, err := c.cfg.Store.Lanes(prefix)
		if err != nil {
			c.cfg.Log.Error("read lanes", "err", err)
		}
		for _, lane := range lanes {
			if enter(lane) {
				workers.Go(func() {
					defer leave(lane)
					c.work(ctx, lane, handle, func() bool { return true })
				})
			}
		}
		select {
		case <-sub.C:
		case <-left:
		case <-ctx.Done():
		}
	}
}

// carryOut returns the Delay that the handler asked for, if any.
func (c *Core) carryOut(ctx context.Context, a store.Action, handle Handler) (delay *Delay) {
	err := handle(ctx, a)
	if ctx.Err() == nil {
		errors.As(err, &delay)
	}
	switch {
	case err == nil:
		err = c.persist(ctx, func() error { return c.cfg.Store.Done(a, "") })
	case ctx.Err() != nil:
		return nil // still due at the next start
	case errors.Is(err, ErrGiveUp):
		c.cfg.Log.Warn("action given up", "key", a.Key, "err", err)
		why := err.Error()
		err = c.persist(ctx, func() error { return c.cfg.Store.Done(a, why) })
	case errors.Is(err, ErrRefused):
		c.cfg.Log.Warn("action refused", "key", a.Key, "err", err)
		why := err.Error()
		err = c.persist(ctx, func() error { return c.cfg.Store.Later(a, time.UnixMilli(1), why) }) // before all others
	default:
		after := c.backoff(a, err)
		c.cfg.Log.Warn("action put off", "key", a.Key, "for", after, "err", err)
		why := err.Error()
		err = c.persist(ctx, func() error { return c.cfg.Store.Later(a, c.cfg.Now().Add(after), why) })
	}
	if err != nil {
		c.cfg.Log.Error("note action", "key", a.Key, "err", err)
		c.wait(ctx, nil, c.cfg.Now().Add(retry))
	}
	return delay
}

// maxBackoff is the longest pause between two attempts. The network may be down for
// hours.
const maxBackoff = 30 * time.Second

func (c *Core) backoff(a store.Action, err error) time.Duration {
	var d *Delay
	if errors.As(err, &d) {
		return d.After
	}
	return min(time.Second<<min(a.Tries, 5), maxBackoff)
}

// GiveUp marks err as ErrGiveUp, so that the action is not tried again.
func GiveUp(err error) error { return fmt.Errorf("%w: %w", ErrGiveUp, err) }
