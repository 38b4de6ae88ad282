package table

import (
	"cmp"
	"slices"
	"time"
)

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
