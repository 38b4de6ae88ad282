package core_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/loop"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/store"
)

// A lane with a long action does not delay other lanes, and an empty lane works again when a
// new action is added.
func TestWorkEach(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.clock = time.Now
		var mu sync.Mutex
		var done []string
		gate := make(chan struct{})
		ctx, cancel := context.WithCancel(t.Context())
		go r.WorkEach(ctx, "each:", func(_ context.Context, a store.Action) error {
			if a.Data == "slow" {
				<-gate
			}
			mu.Lock()
			defer mu.Unlock()
			done = append(done, a.Key)
			return nil
		})
		send := func(key, lane, data string) {
			b := store.Batch{Actions: []store.Action{{Key: key, Lane: lane, Kind: "k", Data: data, Due: r.time()}}}
			r.ok(r.Commit(b))
			synctest.Wait()
		}
		send("a1", "each:a", "slow")
		send("a2", "each:a", "")
		send("b1", "each:b", "")
		send("c1", "other", "")
		send("b2", "each:b", "")
		r.same("while a is slow", []string{"b1", "b2"}, done)
		close(gate)
		synctest.Wait()
		r.same("at the end", []string{"b1", "b2", "a1", "a2"}, done)
		cancel()
		synctest.Wait()
		r.store.Close()
	})
}

// The result of an errand that is over changes nothing and is not reported.
func TestAdvanceStale(t *testing.T) {
	r := newRig(t)
	r.see("s", "/home/ann/gate")
	_, err := r.StartLoop("s", loop.Options{Repo: "/home/ann/gate", Max: 3})
	r.ok(err)
	frame := r.Loop("s").Frames[0]
	e := r.drain("issue:s")
	if len(e) != 1 {
		t.Fatalf("%d errands, want the picking", len(e))
	}
	head := r.head()
	for _, step := range []int{0, frame.Issue.Step + 1} {
		err := loop.Errand{Frame: frame.ID, Step: step, Phase: loop.Picking, Issue: *frame.Issue}
		r.ok(r.AdvanceIssue(coreErrand("s", err), loop.Result{Ready: []loop.Found{{ID: "7", Title: "x"}}}))
	}
	r.ok(r.CancelLoop("s", "ann", "web"))
	r.ok(r.AdvanceIssue(coreErrand("s", loop.Errand{Frame: frame.ID, Step: frame.Issue.Step, Phase: loop.Picking}),
		loop.Result{Ready: []loop.Found{{ID: "7", Title: "x"}}}))
	r.same("journal", []string{"loop.ended " + r.Sessions()[0].Token}, r.kinds(head))
}

func coreErrand(id session.ID, e loop.Errand) core.Errand { return core.Errand{Session: id, Errand: e} }
