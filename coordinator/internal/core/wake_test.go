package core_test

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/grant"
	"github.com/afar-sh/afar/coordinator/internal/loop"
	"github.com/afar-sh/afar/coordinator/internal/message"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/store"
)

// crowd makes many wait for a state: hooks for asks, hooks that wake sessions, checks of
// loops, readers of the journal and of topics, and workers of lanes.
type crowd struct {
	*rig
	ctx   context.Context
	tasks sync.WaitGroup
}

// add starts waiters: hooks of all kinds, streams like those of a page, and runs.
func (c *crowd) add(hooks, streams, runs int) {
	c.t.Helper()
	for i := range hooks {
		id := session.ID(fmt.Sprintf("hook-%d", i))
		c.see(id, "/p")
		if i%2 == 0 {
			a := newAsk(fmt.Sprintf("ask_%d", i), "x")
			a.Session = id
			c.openAsk(a)
			c.tasks.Go(func() { _, _ = c.AwaitAsk(c.ctx, a.ID) })
			continue
		}
		c.ok(c.TakeOver(id, "w", session.Process{}))
		c.tasks.Go(func() { c.AwaitWake(c.ctx, id, "w") })
	}
	for i := range streams {
		id := session.ID(fmt.Sprintf("hook-%d", i))
		c.tasks.Go(func() { _, _ = c.Journal(c.ctx, 1<<40, 10, id, false) })
		c.tasks.Go(func() { _, _ = c.Posts(c.ctx, "project:p"+fmt.Sprint(i), 1<<40, 10, false) })
	}
	for i := range runs {
		id := session.ID(fmt.Sprintf("run-%d", i))
		c.see(id, "/p")
		_, err := c.StartLoop(id, loop.Options{Task: "t", Max: 3})
		c.ok(err)
		c.ok(c.TakeOver(id, "w", session.Process{}))
		c.tasks.Go(func() { c.AwaitWake(c.ctx, id, "w") })
		c.tasks.Go(func() { c.Work(c.ctx, fmt.Sprintf("run:%d", i), idle) })
	}
	c.tasks.Go(func() { c.WorkEach(c.ctx, "run:", idle) })
	c.tasks.Go(func() { c.Run(c.ctx) })
}

func idle(context.Context, store.Action) error { return nil }

// TestUnrelatedCommitWakesNobody starts every kind of waiter and counts which ones look at the
// state when something else changes.
func TestUnrelatedCommitWakesNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.clock = time.Now
		ctx, cancel := context.WithCancel(t.Context())
		c := &crowd{rig: r, ctx: ctx}
		r.see("other", "/q")
		c.add(10, 5, 4)
		synctest.Wait()
		unrelated := func() {
			_, err := r.See(session.Sighting{ID: "other", Mode: "plan", Hooked: true})
			r.ok(err)
			r.ok(r.Note("x", "other", "", "x"))
			_, err = r.Post("other", "project:q", "me", "hello")
			r.ok(err)
			r.ok(r.Commit(store.Batch{Actions: []store.Action{{Key: "k", Lane: "elsewhere", Kind: "k",
				Due: time.Now()}}}))
		}
		if n := r.Woken(unrelated); n != 0 {
			t.Errorf("changes that nobody waits for wake %d waiters", n)
		}
		if n := r.Woken(func() { r.ok(r.Pause(true)) }); n != 5+4 {
			t.Errorf("a pause wakes %d waiters, want the hooks that wake sessions and the runs", n)
		}
		cancel()
		c.tasks.Wait()
		r.store.Close()
	})
}

// TestEachWaiterIsWoken checks that every kind of wait ends with its change, even if the
// change comes right after the waiter has looked.
func TestEachWaiterIsWoken(t *testing.T) {
	for name, c := range map[string]struct {
		wait   func(ctx context.Context, r *rig)
		change func(r *rig) error
	}{
		"an ask is answered": {
			func(ctx context.Context, r *rig) { _, _ = r.AwaitAsk(ctx, "a") },
			func(r *rig) error { _, err := r.Answer("a", yes("Ada")); return err },
		},
		"a text comes for a session": {
			func(ctx context.Context, r *rig) { r.AwaitWake(ctx, "idle", "w") },
			func(r *rig) error {
				_, _, err := r.Send(message.Message{
					Key:     "k",
					Session: "idle",
					Text:    "x",
					By:      "Ada",
					Channel: "terminal",
				}, "")
				return err
			},
		},
		"a session ends": {
			func(ctx context.Context, r *rig) { r.AwaitWake(ctx, "idle", "w") },
			func(r *rig) error { return r.EndSession("idle", "x") },
		},
		"Afar goes on": {
			func(ctx context.Context, r *rig) { r.AwaitResumed(ctx) },
			func(r *rig) error { return r.Pause(false) },
		},
		"the journal grows": {
			func(ctx context.Context, r *rig) { _, _ = r.Journal(ctx, r.last(), 1, "", false) },
			func(r *rig) error { return r.Note("x", "", "", "x") },
		},
		"the journal of a session grows": {
			func(ctx context.Context, r *rig) { _, _ = r.Journal(ctx, r.last(), 1, "s", false) },
			func(r *rig) error { return r.Note("x", "s", "", "x") },
		},
		"a topic is posted to": {
			func(ctx context.Context, r *rig) { _, _ = r.Posts(ctx, "project:p", 0, 1, false) },
			func(r *rig) error { _, err := r.Post("s", "project:p", "me", "x"); return err },
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t)
				r.clock = time.Now
				r.see("s", "/p")
				r.see("idle", "/p")
				_, err := r.See(session.Sighting{ID: "idle", State: session.Idle})
				r.ok(err)
				r.ok(r.TakeOver("idle", "w", session.Process{}))
				r.openAsk(newAsk("a", "x"))
				r.ok(r.Pause(name == "Afar goes on"))
				var over atomic.Bool
				go func() { c.wait(t.Context(), r); over.Store(true) }()
				synctest.Wait()
				r.ok(c.change(r))
				time.Sleep(time.Second) // the session must have been idle for a moment
				synctest.Wait()
				if !over.Load() {
					t.Error("nobody was woken")
				}
				r.store.Close()
			})
		})
	}
}

func (r *rig) last() int64 {
	events, err := r.store.Journal(0, 1, "", true)
	if err != nil || len(events) == 0 {
		return 0
	}
	return events[0].Seq
}

// TestNoChangeIsMissed checks that a waiter that looks while answers come in sees each of
// them.
func TestNoChangeIsMissed(t *testing.T) {
	r := newRig(t)
	r.see("s", "/p")
	for i := range 200 {
		a := newAsk(fmt.Sprintf("ask_%d", i), fmt.Sprint(i))
		if _, err := r.OpenCovered(a, grant.Need{}); err != nil {
			t.Fatal(err)
		}
		answered := make(chan ask.State)
		go func() {
			got, _ := r.AwaitAsk(t.Context(), a.ID)
			answered <- got.State
		}()
		if _, err := r.Answer(a.ID, yes("Ada")); err != nil {
			t.Fatal(err)
		}
		select {
		case state := <-answered:
			if state != ask.Answered {
				t.Fatalf("ask %d is %s", i, state)
			}
		case <-time.After(time.Minute):
			t.Fatalf("nobody noticed the answer to ask %d", i)
		}
	}
}

// BenchmarkUnrelatedCommit measures an unrelated commit: without waiters, and while 1,000
// hooks, 100 page streams and 20 runs wait for other things. The two take turns, so that the
// load of the machine affects both. "crowded/alone" is the ratio of their medians.
func BenchmarkUnrelatedCommit(b *testing.B) {
	alone, crowded := benchRig(b), benchRig(b)
	ctx, cancel := context.WithCancel(b.Context())
	c := &crowd{rig: crowded, ctx: ctx}
	c.add(1000, 100, 20)
	defer c.tasks.Wait()
	defer cancel()
	const subscriptions = 1000 + 2*100 + 2*20 + 2
	for crowded.Subscriptions() < subscriptions {
		runtime.Gosched()
	}
	var took [2][]time.Duration
	for b.Loop() {
		for i, r := range []*rig{alone, crowded} {
			began := time.Now()
			if err := r.Note("x", "other", "", "x"); err != nil {
				b.Fatal(err)
			}
			took[i] = append(took[i], time.Since(began))
		}
	}
	b.ReportMetric(float64(median(took[0])), "alone-ns/op")
	b.ReportMetric(float64(median(took[1])), "crowded-ns/op")
	b.ReportMetric(float64(median(took[1]))/float64(median(took[0])), "crowded/alone")
}

func benchRig(b *testing.B) *rig {
	b.Helper()
	r := newRig(b)
	r.clock = time.Now
	r.see("other", "/q")
	return r
}

func median(all []time.Duration) time.Duration {
	slices.Sort(all)
	return all[len(all)/2]
}
