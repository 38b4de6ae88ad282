package door

import (
	"sync"
	"time"
)

// breath is how long a hook has to end after its reply. Only then does the work begin
// that the reply left to do. On a small machine the host would otherwise wait for both.
const breath = 3 * time.Millisecond

// A backlog is the work that replies left to do. It is done in order, after breath or
// before the next call begins, whichever comes first.
type backlog struct {
	mu   sync.Mutex // held until all is done
	left []func()
}

func (b *backlog) add(todo []func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.left = append(b.left, todo...)
}

// work does the work that is left. If another goroutine is doing it, work waits for that.
func (b *backlog) work() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, f := range b.left {
		f()
	}
	b.left = nil
}
