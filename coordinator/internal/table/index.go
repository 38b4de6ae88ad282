package table

import (
	"iter"
	"maps"
	"slices"

	"github.com/afar-sh/afar/coordinator/internal/store"
)

// An Index finds the values of a table by a key that they have in common.
type Index[K ~string, V any] struct {
	values map[K]V // of the table
	kind   *store.Kind[K, V]
	key    func(V) string
	ids    map[string]map[K]struct{}
}

// IndexBy adds an index to a table. A value with the key "" is not in it.
func (t *Table[K, V]) IndexBy(key func(V) string) *Index[K, V] {
	x := &Index[K, V]{values: t.Rows, kind: t.kind, key: key, ids: map[string]map[K]struct{}{}}
	t.finders = append(t.finders, x)
	return x
}

// A Set finds the values of a table for which a condition holds.
type Set[K ~string, V any] struct{ index *Index[K, V] }

const in = "in" // the key of the values in a Set

// Where adds a set to a table: the values for which is returns true.
func (t *Table[K, V]) Where(is func(V) bool) Set[K, V] {
	return Set[K, V]{t.IndexBy(func(v V) string { return KeyIf(is(v), in) })}
}

// All returns the values in the set, in no order.
func (s Set[K, V]) All() []V { return s.index.All(in) }

// IDs returns the ids of the values in the set, in no order.
func (s Set[K, V]) IDs() iter.Seq[K] { return s.index.IDs(in) }

// KeyIf returns the key of a value in an index, "" for one that is not in it.
func KeyIf(isIn bool, key string) string {
	if isIn {
		return key
	}
	return ""
}

func (x *Index[K, V]) add(v V, id K) {
	key := x.key(v)
	if key == "" {
		return
	}
	if x.ids[key] == nil {
		x.ids[key] = map[K]struct{}{}
	}
	x.ids[key][id] = struct{}{}
}

func (x *Index[K, V]) remove(v V, id K) {
	key := x.key(v)
	delete(x.ids[key], id)
	if len(x.ids[key]) == 0 {
		delete(x.ids, key)
	}
}

// All returns the values with a key, in no order.
func (x *Index[K, V]) All(key string) []V {
	out := make([]V, 0, len(x.ids[key]))
	for id := range x.ids[key] {
		out = append(out, x.values[id])
	}
	return out
}

// After returns the values with a key as a batch leaves them, in no order.
func (x *Index[K, V]) After(b *store.Batch, key string) []V {
	left := map[K]V{}
	for id := range x.ids[key] {
		left[id] = x.values[id]
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

// IDs returns the ids of the values with a key, in no order.
func (x *Index[K, V]) IDs(key string) iter.Seq[K] { return maps.Keys(x.ids[key]) }

// One returns the only value with a key. ok is false if there is none.
func (x *Index[K, V]) One(key string) (v V, ok bool) {
	for id := range x.ids[key] {
		return x.values[id], true
	}
	return v, false
}
