package store

import (
	"cmp"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/session"
)

// Tally counts the journal's entries of each kind from a number on.
func (s *Store) Tally(from int64) (map[event.Kind]int, error) {
	type count struct {
		kind event.Kind
		n    int
	}
	counts, err := collect(s, "journal", func(rows *sql.Rows, c *count) error { return rows.Scan(&c.kind, &c.n) },
		tallyQuery, from)
	if err != nil {
		return nil, err
	}
	out := map[event.Kind]int{}
	for _, c := range counts {
		out[c.kind] = c.n
	}
	return out, nil
}

// tallyQuery walks from one kind to the next in the index of the kinds, and counts the entries
// of each. It reads the entries that it counts alone: GROUP BY would read all.
const tallyQuery = `WITH RECURSIVE k(kind) AS (
		SELECT min(kind) FROM journal
		UNION ALL SELECT (SELECT min(kind) FROM journal WHERE kind > k.kind) FROM k WHERE k.kind IS NOT NULL
	), tally AS (SELECT kind, (SELECT count(*) FROM journal WHERE kind = k.kind AND seq >= ?) AS n FROM k)
	SELECT kind, n FROM tally WHERE n > 0`

// Newest returns at most limit entries of some kinds from a number on, oldest first: the last ones, where there are
// more. With before, those with a smaller number.
func (s *Store) Newest(kinds []event.Kind, from, before int64, limit int) (all []event.Event, err error) {
	for _, kind := range kinds {
		some, err := s.entries(
			`SELECT * FROM journal WHERE kind = ? AND seq >= ? AND seq < ? ORDER BY seq DESC LIMIT ?`,
			string(kind), from, cmp.Or(before, math.MaxInt64), limit)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	slices.SortFunc(all, func(a, b event.Event) int { return cmp.Compare(a.Seq, b.Seq) })
	return all[max(0, len(all)-limit):], nil
}

// About returns the entries of some kinds about one subject of a session, oldest
// first; at most the last limit ones.
func (s *Store) About(id session.ID, subject string, kinds []event.Kind, limit int) ([]event.Event, error) {
	names, err := json.Marshal(kinds)
	if err != nil {
		return nil, fmt.Errorf("read journal: %w", err)
	}
	return s.entries(`SELECT * FROM journal
		WHERE session = ? AND subject = ? AND kind IN (SELECT value FROM json_each(?))
		ORDER BY seq DESC LIMIT ?`, string(id), subject, string(names), limit)
}

// FirstSince returns the number of the first entry that is not older than a time.
// Entries are written in the order of time, so a binary search finds it.
func (s *Store) FirstSince(at time.Time) (int64, error) {
	s.mu.Lock()
	low, high := int64(1), s.seq+1
	s.mu.Unlock()
	for low < high {
		mid := (low + high) / 2
		var ms int64
		err := s.db.QueryRow(`SELECT at FROM journal WHERE seq >= ? ORDER BY seq LIMIT 1`, mid).Scan(&ms)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return 0, fmt.Errorf("read journal: %w", err)
		}
		if err == nil && ms < at.UnixMilli() {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low, nil
}
