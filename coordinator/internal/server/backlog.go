package server

import (
	"sync"
	"time"
)

// breath is how long a hook has to end when it has its reply. What the reply left
// to do begins behind it: a small machine would have the host wait for both.
const breath = 3 * time.Millisecond

// A backlog is what replies left to do. It is done a breath later, or before the
// next call begins, whichever comes first, and always in order.
type backlog struct {
	mu   sync.Mutex // held until all is done
	left []func()
}

func (b *backlog) add(todo []func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.left = append(b.left, todo...)
}

// work does what is left, or waits for the one who is at it.
func (b *backlog) work() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, f := range b.left {
		f()
	}
	b.left = nil
}
