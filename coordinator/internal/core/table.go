package core

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/store"
)

// A table holds the values of one kind of state, their indexes, and the time at which
// each value changes by itself. A value in rows is never changed in place: a step puts a
// new one into its batch.
type table[K ~string, V any] struct {
	rows map[K]V

	kind    *store.Kind[K, V]
	indexes []*index[K, V]
	traits  traits[V]
	due     schedule[K]
}

// traits say what a table does with values of one kind.
type traits[V any] struct {
	// due returns when a value changes by itself, zero for never; expire applies that.
	// Both are nil where time changes nothing.
	due    func(v V, now time.Time) time.Time
	expire func(b *store.Batch, v V, now time.Time)
	// touches returns the parts that a change of a value touches, or nil.
	touches func(before, after V) []Part
	// held is called with each value that comes into memory, or nil.
	held func(V)
	// stays reports whether a value stays in memory however old it is, or is nil.
	stays func(V) bool
}

// An anyTable is a table of any kind.
type anyTable interface {
	load(s *store.Store, since, now time.Time) ([]store.Bad, error)
	merge(b *store.Batch, now time.Time) (touched []Part)
	keep(b *store.Batch) (restore func(now time.Time))
	next() time.Time
	tick(b *store.Batch, now time.Time)
	retime(until, now time.Time)
	forget(s *store.Store, since time.Time) error
}

// register adds a table to a state.
func register[K ~string, V any](s *state, kind *store.Kind[K, V], t traits[V]) *table[K, V] {
	made := &table[K, V]{rows: map[K]V{}, kind: kind, traits: t}
	s.tables = append(s.tables, made)
	return made
}

// put adds values to a batch.
func (t *table[K, V]) put(b *store.Batch, values ...V) { t.kind.Put(b, values...) }

// sorted returns all values, in the order of their ids.
func (t *table[K, V]) sorted() []V {
	byID := func(a, b V) int { return cmp.Compare(t.kind.ID(a), t.kind.ID(b)) }
	return slices.SortedFunc(maps.Values(t.rows), byID)
}

// after returns the value with an id as a batch leaves it.
func (t *table[K, V]) after(b *store.Batch, id K) (v V, ok bool) {
	if v, ok = t.kind.Last(b, id); !ok {
		v, ok = t.rows[id]
	}
	return v, ok
}

// changes reports whether a batch changes the value with an id.
func (t *table[K, V]) changes(b *store.Batch, id K) bool {
	_, ok := t.kind.Last(b, id)
	return ok
}

func (t *table[K, V]) load(s *store.Store, since, now time.Time) ([]store.Bad, error) {
	values, bad, err := t.kind.Load(s, since)
	for _, v := range values {
		t.hold(v, now)
	}
	return bad, err
}

func (t *table[K, V]) merge(b *store.Batch, now time.Time) (touched []Part) {
	for v := range t.kind.In(b) {
		if t.traits.touches != nil {
			touched = append(touched, t.traits.touches(t.rows[t.kind.ID(v)], v)...)
		}
		t.hold(v, now)
	}
	return touched
}

// keep returns what puts back the values that a batch replaces.
func (t *table[K, V]) keep(b *store.Batch) (restore func(now time.Time)) {
	before, fresh := map[K]V{}, []V{}
	for v := range t.kind.In(b) {
		if old, known := t.rows[t.kind.ID(v)]; known {
			before[t.kind.ID(v)] = old
		} else {
			fresh = append(fresh, v)
		}
	}
	return func(now time.Time) {
		for _, v := range before {
			t.hold(v, now)
		}
		for _, v := range fresh {
			t.drop(t.kind.ID(v))
		}
	}
}

// drop takes a value out of memory.
func (t *table[K, V]) drop(id K) {
	for _, x := range t.indexes {
		x.remove(t.rows[id], id)
	}
	delete(t.rows, id)
	t.due.set(id, time.Time{})
}

// hold loads a value of the store into memory.
func (t *table[K, V]) hold(v V, now time.Time) {
	id := t.kind.ID(v)
	before, known := t.rows[id]
	for _, x := range t.indexes {
		if known {
			x.remove(before, id)
		}
		x.add(v, id)
	}
	t.rows[id] = v
	if t.traits.held != nil {
		t.traits.held(v)
	}
	t.schedule(id, now)
}

// forget drops from memory what a start would not load: what is settled since before a time. A value
// that still changes by itself stays.
func (t *table[K, V]) forget(s *store.Store, since time.Time) error {
	if t.kind.Wanted == "" {
		return nil
	}
	needed, err := t.kind.Needed(s, since)
	if err != nil {
		return err
	}
	for id, v := range t.rows {
		_, due := t.due.at[id]
		if needed[id] || due || t.traits.stays != nil && t.traits.stays(v) {
			continue
		}
		t.drop(id)
	}
	return nil
}

func (t *table[K, V]) schedule(id K, now time.Time) {
	if t.traits.due != nil {
		t.due.set(id, t.traits.due(t.rows[id], now))
	}
}

// next returns when a value changes by itself, zero for never.
func (t *table[K, V]) next() time.Time {
	if len(t.due.order) == 0 {
		return time.Time{}
	}
	return t.due.order[0].at
}

// mostDue bounds what one tick applies of a table. The rest is due in the next one, at once.
const mostDue = 100

// tick applies what is due at now.
func (t *table[K, V]) tick(b *store.Batch, now time.Time) {
	due := t.due.until(now)
	for _, id := range due[:min(len(due), mostDue)] {
		t.traits.expire(b, t.rows[id], now)
	}
}

// retime computes again when the values change that are due until a time. The zero time
// means all values.
func (t *table[K, V]) retime(until, now time.Time) {
	if !until.IsZero() {
		for _, id := range t.due.until(until) {
			t.schedule(id, now)
		}
		return
	}
	for id := range t.rows {
		t.schedule(id, now)
	}
}

// An index finds the values of a table by a key that they have in common.
type index[K ~string, V any] struct {
	rows map[K]V // of the table
	kind *store.Kind[K, V]
	key  func(V) string
	ids  map[string]map[K]struct{}
}

// indexBy adds an index to a table. A value with the key "" is not in it.
func (t *table[K, V]) indexBy(key func(V) string) *index[K, V] {
	x := &index[K, V]{rows: t.rows, kind: t.kind, key: key, ids: map[string]map[K]struct{}{}}
	t.indexes = append(t.indexes, x)
	return x
}

// keyIf returns the key of a value in an index, "" for one that is not in it.
func keyIf(isIn bool, key string) string {
	if isIn {
		return key
	}
	return ""
}

func (x *index[K, V]) add(v V, id K) {
	key := x.key(v)
	if key == "" {
		return
	}
	if x.ids[key] == nil {
		x.ids[key] = map[K]struct{}{}
	}
	x.ids[key][id] = struct{}{}
}

func (x *index[K, V]) remove(v V, id K) {
	key := x.key(v)
	delete(x.ids[key], id)
	if len(x.ids[key]) == 0 {
		delete(x.ids, key)
	}
}

// all returns the values with a key, in no order.
func (x *index[K, V]) all(key string) []V {
	out := make([]V, 0, len(x.ids[key]))
	for id := range x.ids[key] {
		out = append(out, x.rows[id])
	}
	return out
}

// after returns the values with a key as a batch leaves them, in no order.
func (x *index[K, V]) after(b *store.Batch, key string) []V {
	left := map[K]V{}
	for id := range x.ids[key] {
		left[id] = x.rows[id]
	}
	for v := range x.kind.In(b) {
		if x.key(v) == key {
			left[x.kind.ID(v)] = v
		} else {
			delete(left, x.kind.ID(v))
		}
	}
	return slices.Collect(maps.Values(left))
}

// one returns the only value with a key. ok is false if there is none.
func (x *index[K, V]) one(key string) (v V, ok bool) {
	for id := range x.ids[key] {
		return x.rows[id], true
	}
	return v, false
}

// A schedule holds ids in the order of their times.
type schedule[K ~string] struct {
	at    map[K]time.Time
	order []moment[K]
}

type moment[K ~string] struct {
	at time.Time
	id K
}

func (m moment[K]) compare(other moment[K]) int {
	return cmp.Or(m.at.Compare(other.at), cmp.Compare(m.id, other.id))
}

// set changes the time of an id; the zero time removes the id.
func (s *schedule[K]) set(id K, at time.Time) {
	if old, ok := s.at[id]; ok {
		if old.Equal(at) {
			return
		}
		i, _ := slices.BinarySearchFunc(s.order, moment[K]{at: old, id: id}, moment[K].compare)
		s.order = slices.Delete(s.order, i, i+1)
		delete(s.at, id)
	}
	if at.IsZero() {
		return
	}
	if s.at == nil {
		s.at = map[K]time.Time{}
	}
	m := moment[K]{at: at, id: id}
	i, _ := slices.BinarySearchFunc(s.order, m, moment[K].compare)
	s.order = slices.Insert(s.order, i, m)
	s.at[id] = at
}

// until returns the ids whose time has come at now, the earliest first.
func (s *schedule[K]) until(now time.Time) (ids []K) {
	for _, m := range s.order {
		if now.Before(m.at) {
			break
		}
		ids = append(ids, m.id)
	}
	return ids
}
