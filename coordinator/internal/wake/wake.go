// Package wake tells those who wait that something has changed. It knows nothing of what changes: its owner names
// the parts.
package wake

import "sync"

// A Part names a piece of a state to wait for. A change wakes only the subscribers of the parts that it changes.
type Part string

// A Bell wakes the subscribers of parts. The zero Bell is ready for use, by any goroutine.
type Bell struct {
	mu          sync.Mutex // guards all below
	subscribers map[Part]map[*Subscription]struct{}
	count       Count
}

// A Count says what a bell has to do.
type Count struct {
	Subscriptions int // that are not closed
	Woken         int // times that a subscription was woken
}

// A Subscription waits for a change of some parts. C holds a value once one of them
// has changed since the last receive. Subscribe before you look at the state: then no
// change is missed.
type Subscription struct {
	C <-chan struct{}

	bell   *Bell
	parts  []Part
	signal chan struct{}
}

// Subscribe returns a new subscription to some parts. The caller closes it.
func (b *Bell) Subscribe(parts ...Part) *Subscription {
	signal := make(chan struct{}, 1)
	s := &Subscription{C: signal, bell: b, parts: parts, signal: signal}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.count.Subscriptions++
	if b.subscribers == nil {
		b.subscribers = map[Part]map[*Subscription]struct{}{}
	}
	for _, p := range parts {
		if b.subscribers[p] == nil {
			b.subscribers[p] = map[*Subscription]struct{}{}
		}
		b.subscribers[p][s] = struct{}{}
	}
	return s
}

// Close ends a subscription.
func (s *Subscription) Close() {
	b := s.bell
	b.mu.Lock()
	defer b.mu.Unlock()
	b.count.Subscriptions--
	for _, p := range s.parts {
		delete(b.subscribers[p], s)
		if len(b.subscribers[p]) == 0 {
			delete(b.subscribers, p)
		}
	}
}

// Ring wakes the subscribers of some parts.
func (b *Bell) Ring(parts ...Part) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, p := range parts {
		for s := range b.subscribers[p] {
			select {
			case s.signal <- struct{}{}:
				b.count.Woken++
			default: // it will look anyway
			}
		}
	}
}

// Count returns what the bell has to do, for measurements.
func (b *Bell) Count() Count {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.count
}
