package agentrun

import (
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/wire"
)

// A reporter brings the events of a turn to the coordinator, in order, each at least once.
// Their numbers let the coordinator drop what it has already.
type reporter struct {
	turn *turn

	mu      sync.Mutex
	known   int64         // how many of the next events were recorded before this process
	pending []run.Event   // not yet recorded
	first   int64         // the number of the first one
	wake    chan struct{} // holds a value after a change
	idle    *sync.Cond    // nothing is pending, or the turn is stale
	stale   chan struct{} // closed when the coordinator says that the turn is over
}

func newReporter(t *turn, recorded int64) *reporter {
	r := &reporter{
		turn: t, known: recorded, first: recorded + 1, wake: make(chan struct{}, 1), stale: make(chan struct{}),
	}
	r.idle = sync.NewCond(&r.mu)
	go r.run()
	return r
}

// add reports the next events.
func (r *reporter) add(events []run.Event) {
	r.mu.Lock()
	old := min(r.known, int64(len(events)))
	r.known, r.pending = r.known-old, append(r.pending, events[old:]...)
	r.mu.Unlock()
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// flush waits until all events are recorded. It returns false if the turn is stale.
func (r *reporter) flush() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for len(r.pending) > 0 && !r.isStale() {
		r.idle.Wait()
	}
	return !r.isStale()
}

func (r *reporter) isStale() bool {
	select {
	case <-r.stale:
		return true
	default:
		return false
	}
}

// mostAtOnce bounds the events of one call.
const mostAtOnce = 200

func (r *reporter) run() {
	for range r.wake {
		for {
			r.mu.Lock()
			batch, from := r.pending[:min(len(r.pending), mostAtOnce)], r.first
			r.mu.Unlock()
			if len(batch) == 0 {
				break
			}
			if r.isOver(r.send(from, batch)) {
				return
			}
		}
	}
}

// send reports a batch and drops what is recorded.
func (r *reporter) send(from int64, batch []run.Event) error {
	raw, err := json.Marshal(batch)
	if err != nil {
		return err
	}
	in := wire.RunEventsRequest{ID: r.turn.id, Turn: r.turn.fence, From: from, Events: raw}
	var out wire.RunEventsReply
	if err := call(r.turn, wire.OpRunEvents, in, &out, time.Minute); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	n := min(max(out.Seq-r.first+1, 0), int64(len(r.pending)))
	r.pending, r.first = r.pending[n:], r.first+n
	if len(r.pending) == 0 {
		r.idle.Broadcast()
	}
	return nil
}

// isOver reports whether an error means that nothing more can be reported. After any other
// error the same events are sent again.
func (r *reporter) isOver(err error) bool {
	if !errors.Is(err, errRefused) {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	close(r.stale)
	r.idle.Broadcast()
	return true
}
