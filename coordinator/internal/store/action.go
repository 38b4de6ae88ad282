package store

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Due returns the next action of a lane that is due at now. If there is none, ok is false
// and wait is the time until the next one, or zero if the lane is empty. Before the time
// held, only actions of the kind free are due.
func (s *Store) Due(lane string, now, held time.Time, free string) (a Action, ok bool, wait time.Time, err error) {
	const query = `SELECT key, lane, kind, data, gen, tries, CASE kind WHEN ?3 THEN due ELSE max(due, ?2) END AS at
		FROM actions WHERE lane = ?1 AND done < gen AND key || ' ' || gen NOT IN (SELECT value FROM json_each(?4))
		ORDER BY `
	order := "at, due, rowid LIMIT 1"
	if held.Add(time.Minute).Before(now) { // what is free and came during a hold has come before the rest
		order = "due, rowid LIMIT 1" // as the index has them: a lane may be long
	}
	var due int64
	err = s.db.QueryRow(query+order, lane, held.UnixMilli(), free, s.carriedDone()).
		Scan(&a.Key, &a.Lane, &a.Kind, &a.Data, &a.Gen, &a.Tries, &due)
	if errors.Is(err, sql.ErrNoRows) {
		return Action{}, false, time.Time{}, nil
	}
	if err != nil {
		return Action{}, false, time.Time{}, fmt.Errorf("read action: %w", err)
	}
	a.Due = time.UnixMilli(due)
	if a.Due.After(now) {
		return Action{}, false, a.Due, nil
	}
	return a, true, time.Time{}, nil
}

// Lanes returns the lanes with a prefix in which something is to be done.
func (s *Store) Lanes(prefix string) ([]string, error) {
	const query = `SELECT DISTINCT lane FROM actions WHERE done < gen AND substr(lane, 1, length(?1)) = ?1`
	return collect(s, "lanes", func(rows *sql.Rows, lane *string) error { return rows.Scan(lane) }, query, prefix)
}

// Backlog returns the actions of a lane and of some kinds that are due at now and were not tried, the earliest first.
func (s *Store) Backlog(lane string, now time.Time, kinds ...string) ([]Action, error) {
	const query = `SELECT key, kind, data, gen, due FROM actions WHERE lane = ?1 AND done < gen AND due <= ?2 AND tries = 0
		AND kind IN (SELECT value FROM json_each(?3)) AND key || ' ' || gen NOT IN (SELECT value FROM json_each(?4))
		ORDER BY due, rowid`
	wanted, _ := json.Marshal(kinds) // strings can be encoded
	return collect(s, "actions", func(rows *sql.Rows, a *Action) error {
		var due int64
		err := rows.Scan(&a.Key, &a.Kind, &a.Data, &a.Gen, &due)
		a.Lane, a.Due = lane, time.UnixMilli(due)
		return err
	}, query, lane, now.UnixMilli(), wanted, s.carriedDone())
}

// Undone returns how many actions of a lane are to be done.
func (s *Store) Undone(lane string) (n int, err error) {
	const query = `SELECT count(*) FROM actions WHERE lane = ? AND done < gen
		AND key || ' ' || gen NOT IN (SELECT value FROM json_each(?))`
	if err := s.db.QueryRow(query, lane, s.carriedDone()).Scan(&n); err != nil {
		return 0, fmt.Errorf("count actions: %w", err)
	}
	return n, nil
}

// carriedDone returns the key and the generation of each action that is carried as done, as JSON.
func (s *Store) carriedDone() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := []string{}
	for _, a := range s.carried.Done {
		all = append(all, fmt.Sprint(a.Key, " ", a.Gen))
	}
	raw, _ := json.Marshal(all) // strings can be encoded
	return string(raw)
}

const done = `UPDATE actions SET done = ?2, tries = 0, error = ?3 WHERE key = ?1 AND done < ?2`

func putDone(tx writer, b *Batch) error {
	for _, a := range b.Done {
		if _, err := tx.Exec(done, a.Key, a.Gen, a.Note); err != nil {
			return fmt.Errorf("finish action: %w", err)
		}
	}
	return nil
}

// Done marks the generation that was carried out, unless a batch has done so. An action that was written
// again meanwhile stays open. note says why it was given up, or is empty. What is carried is committed with it:
// what an action has noted of its message is never lost when the action is done.
func (s *Store) Done(a Action, note string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if slices.ContainsFunc(s.carried.Done, func(d Action) bool { return d.Key == a.Key && d.Gen == a.Gen }) {
		return nil
	}
	a.Note = note
	return s.commitHeld(&Batch{Done: []Action{a}}, s.level) // a repeat comes to the same, so any level will do
}

// Later puts an action off after a failure.
func (s *Store) Later(a Action, due time.Time, note string) error {
	const query = `UPDATE actions SET tries = tries + 1, due = ?2, error = ?3 WHERE key = ?1`
	_, err := s.db.Exec(query, a.Key, due.UnixMilli(), note)
	if err != nil {
		return fmt.Errorf("put action off: %w", s.explain(err))
	}
	return nil
}
