// Package table holds the values of each kind of state in memory: the rows of one kind of the store, the indexes
// and orders that find them, and the times at which they change by themselves. It knows no kind, and takes no
// lock: its owner does.
package table

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/store"
	"github.com/afar-sh/afar/coordinator/internal/wake"
)

// A Table holds the values of one kind of state, what finds them, and the time at which
// each value changes by itself. A value in Rows is never changed in place: a step puts a
// new one into its batch.
type Table[K ~string, V any] struct {
	Rows map[K]V

	kind    *store.Kind[K, V]
	finders []finder[K, V]
	is      Traits[V]
	times   *Order[K, time.Time]
}

// A finder follows the values of a table.
type finder[K ~string, V any] interface {
	add(v V, id K)
	remove(v V, id K)
}

// Traits say what a table does with values of one kind.
type Traits[V any] struct {
	// Due returns when a value changes by itself, zero for never; Expire applies that.
	// Both are nil where time changes nothing.
	Due    func(v V, now time.Time) time.Time
	Expire func(b *store.Batch, v V, now time.Time)
	// Touches returns the parts that a change of a value touches, or nil.
	Touches func(before, after V) []wake.Part
	// Held is called with each value that comes into memory, or nil.
	Held func(V)
	// Reloads says that what is settled is read again when the clock was set back.
	Reloads bool
	// Stays reports whether a value stays in memory however old it is, or is nil.
	Stays func(V) bool
}

// Any is a table of any kind.
type Any interface {
	Load(s *store.Store, since, now time.Time) ([]store.Bad, error)
	Merge(b *store.Batch, now time.Time) (touched []wake.Part)
	Keep(b *store.Batch) (restore func(now time.Time))
	Next() time.Time
	Tick(b *store.Batch, now time.Time)
	Retime(until, now time.Time)
	SetBack(s *store.Store, since, now time.Time) ([]store.Bad, error)
	Forget(s *store.Store, since time.Time) error
}

// New returns an empty table of a kind.
func New[K ~string, V any](kind *store.Kind[K, V], is Traits[V]) *Table[K, V] {
	return &Table[K, V]{Rows: map[K]V{}, kind: kind, is: is, times: newOrder[K](time.Time.Compare)}
}

// Put adds values to a batch.
func (t *Table[K, V]) Put(b *store.Batch, values ...V) { t.kind.Put(b, values...) }

// Sorted returns all values, in the order of their ids.
func (t *Table[K, V]) Sorted() []V {
	byID := func(a, b V) int { return cmp.Compare(t.kind.ID(a), t.kind.ID(b)) }
	return slices.SortedFunc(maps.Values(t.Rows), byID)
}

// After returns the value with an id as a batch leaves it.
func (t *Table[K, V]) After(b *store.Batch, id K) (v V, ok bool) {
	if v, ok = t.kind.Last(b, id); !ok {
		v, ok = t.Rows[id]
	}
	return v, ok
}

// Changes reports whether a batch changes the value with an id.
func (t *Table[K, V]) Changes(b *store.Batch, id K) bool {
	_, ok := t.kind.Last(b, id)
	return ok
}

// Load reads from a store what is settled since a time or not at all. bad are the rows that cannot be read.
func (t *Table[K, V]) Load(s *store.Store, since, now time.Time) (bad []store.Bad, err error) {
	values, bad, err := t.kind.Load(s, since)
	for _, v := range values {
		t.Hold(v, now)
	}
	return bad, err
}

// Merge applies what a batch says of this kind, and returns the parts that it touches.
func (t *Table[K, V]) Merge(b *store.Batch, now time.Time) (touched []wake.Part) {
	for v := range t.kind.In(b) {
		if t.is.Touches != nil {
			touched = append(touched, t.is.Touches(t.Rows[t.kind.ID(v)], v)...)
		}
		t.Hold(v, now)
	}
	return touched
}

// Keep returns what puts back the values that a batch replaces.
func (t *Table[K, V]) Keep(b *store.Batch) (restore func(now time.Time)) {
	before, fresh := map[K]V{}, []V{}
	for v := range t.kind.In(b) {
		if old, known := t.Rows[t.kind.ID(v)]; known {
			before[t.kind.ID(v)] = old
		} else {
			fresh = append(fresh, v)
		}
	}
	return func(now time.Time) {
		for _, v := range before {
			t.Hold(v, now)
		}
		for _, v := range fresh {
			t.drop(t.kind.ID(v))
		}
	}
}

// drop takes a value out of memory.
func (t *Table[K, V]) drop(id K) {
	for _, x := range t.finders {
		x.remove(t.Rows[id], id)
	}
	delete(t.Rows, id)
	t.times.unset(id)
}

// Hold loads a value of the store into memory.
func (t *Table[K, V]) Hold(v V, now time.Time) {
	id := t.kind.ID(v)
	before, known := t.Rows[id]
	for _, x := range t.finders {
		if known {
			x.remove(before, id)
		}
		x.add(v, id)
	}
	t.Rows[id] = v
	if t.is.Held != nil {
		t.is.Held(v)
	}
	t.schedule(id, now)
}

// Forget drops from memory what a start would not load: what is settled since before a time. A value
// that still changes by itself stays.
func (t *Table[K, V]) Forget(s *store.Store, since time.Time) error {
	if t.kind.Wanted == "" {
		return nil
	}
	needed, err := t.kind.Needed(s, since)
	if err != nil {
		return err
	}
	for id, v := range t.Rows {
		_, due := t.times.ranks[id]
		if needed[id] || due || t.is.Stays != nil && t.is.Stays(v) {
			continue
		}
		t.drop(id)
	}
	return nil
}

func (t *Table[K, V]) schedule(id K, now time.Time) {
	if t.is.Due == nil {
		return
	}
	if at := t.is.Due(t.Rows[id], now); at.IsZero() {
		t.times.unset(id)
	} else {
		t.times.set(id, at)
	}
}

// Next returns when a value changes by itself, zero for never.
func (t *Table[K, V]) Next() time.Time {
	for _, at := range t.times.All() {
		return at
	}
	return time.Time{}
}

// due returns the ids of the values that change by themselves until a time, the earliest first.
func (t *Table[K, V]) due(until time.Time) (ids []K) {
	for id, at := range t.times.All() {
		if until.Before(at) {
			break
		}
		ids = append(ids, id)
	}
	return ids
}

// mostDue bounds what one tick applies of a table. The rest is due in the next one, at once.
const mostDue = 100

// Tick applies what is due at now.
func (t *Table[K, V]) Tick(b *store.Batch, now time.Time) {
	due := t.due(now)
	for _, id := range due[:min(len(due), mostDue)] {
		t.is.Expire(b, t.Rows[id], now)
	}
}

// SetBack follows a clock that was set back to now. It reads again what is settled since a time, if the table reloads,
// and computes again when all values change.
func (t *Table[K, V]) SetBack(s *store.Store, since, now time.Time) (bad []store.Bad, err error) {
	if t.is.Reloads {
		bad, err = t.Load(s, since, now)
	}
	t.Retime(time.Time{}, now)
	return bad, err
}

// Retime computes again when the values change that are due until a time. The zero time
// means all values.
func (t *Table[K, V]) Retime(until, now time.Time) {
	if !until.IsZero() {
		for _, id := range t.due(until) {
			t.schedule(id, now)
		}
		return
	}
	for id := range t.Rows {
		t.schedule(id, now)
	}
}
