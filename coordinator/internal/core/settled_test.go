package core_test

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/internal/store"
)

// settle leaves n runs at rest, and n asks of one session whose calls have run.
func (r *rig) settle(n int) {
	r.t.Helper()
	var b store.Batch
	for i := range n {
		id := fmt.Sprintf("%05d", i)
		a := newAsk("ask_"+id, id)
		a.State, a.Nonce, a.OpenedAt, a.SettledAt = ask.Delivered, "n"+id, r.time(), r.time()
		a.Run = &ask.Run{OK: true, At: r.time()}
		store.Asks.Put(&b, a)
		store.Runs.Put(&b, run.Run{ID: run.ID("run_" + id), Name: "r" + id, Conversation: "c" + id, State: run.Idle,
			Since: r.time(), StartedAt: r.time()})
	}
	r.ok(r.store.Commit(&b))
	r.restart()
}

// allocated returns how many bytes a call allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestSettledCostsNothing: what is settled is not copied by a look at processes, nor by a question, its
// answer and the end of its call.
func TestSettledCostsNothing(t *testing.T) {
	cost := func(n int) uint64 {
		r := newRig(t)
		r.pair()
		r.see("s", "/home/ada/proj")
		r.settle(n)
		question := func(id string) {
			r.openAsk(newAsk(id, id))
			r.ok(r.Look())
			r.ok(r.Ran(ran(id)))
			r.pass(time.Second)
		}
		question("warm") // statements are parsed, and maps have grown
		return allocated(func() { question("measured") })
	}
	few, many := cost(10), cost(2000)
	if many > few*3/2 {
		t.Errorf("a question costs %d bytes after 10 and %d after 2000", few, many)
	}
}
