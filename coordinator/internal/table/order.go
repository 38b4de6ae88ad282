package table

import (
	"cmp"
	"iter"
	"slices"
)

// An Order holds ids in the order of their ranks.
type Order[K ~string, R any] struct {
	compare func(a, b R) int
	ranks   map[K]R
	sorted  []placed[K, R]
}

type placed[K ~string, R any] struct {
	id   K
	rank R
}

func newOrder[K ~string, R any](compare func(a, b R) int) *Order[K, R] {
	return &Order[K, R]{compare: compare, ranks: map[K]R{}}
}

// OrderBy adds an order to a table. Values for which rank returns false are not in it.
func OrderBy[K ~string, V, R any](t *Table[K, V], rank func(V) (R, bool), compare func(a, b R) int) *Order[K, R] {
	o := newOrder[K](compare)
	t.finders = append(t.finders, ranking[K, V, R]{o, rank})
	return o
}

// Len returns how many ids there are.
func (o *Order[K, R]) Len() int { return len(o.sorted) }

// All returns the ids with their ranks, in order.
func (o *Order[K, R]) All() iter.Seq2[K, R] {
	return func(yield func(K, R) bool) {
		for _, p := range o.sorted {
			if !yield(p.id, p.rank) {
				return
			}
		}
	}
}

// set gives an id a rank.
func (o *Order[K, R]) set(id K, rank R) {
	if old, ok := o.ranks[id]; ok && o.compare(old, rank) == 0 {
		return
	}
	o.unset(id)
	o.sorted = slices.Insert(o.sorted, o.place(id, rank), placed[K, R]{id, rank})
	o.ranks[id] = rank
}

// unset takes an id out.
func (o *Order[K, R]) unset(id K) {
	if rank, ok := o.ranks[id]; ok {
		i := o.place(id, rank)
		o.sorted = slices.Delete(o.sorted, i, i+1)
		delete(o.ranks, id)
	}
}

// place returns where an id with a rank is, or belongs.
func (o *Order[K, R]) place(id K, rank R) int {
	i, _ := slices.BinarySearchFunc(o.sorted, placed[K, R]{id, rank}, func(a, b placed[K, R]) int {
		return cmp.Or(o.compare(a.rank, b.rank), cmp.Compare(a.id, b.id))
	})
	return i
}

// A ranking keeps the order of the values of a table.
type ranking[K ~string, V, R any] struct {
	order *Order[K, R]
	rank  func(V) (R, bool)
}

func (r ranking[K, V, R]) add(v V, id K) {
	if rank, isIn := r.rank(v); isIn {
		r.order.set(id, rank)
	}
}

func (r ranking[K, V, R]) remove(_ V, id K) { r.order.unset(id) }
