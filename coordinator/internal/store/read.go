package store

import (
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/session"
)

// The table of the settings has one row.
const (
	settingsTable = "settings"
	settingsRow   = "1"
)

// Settings returns the settings, the zero value when none were written. Settings
// that cannot be read are an error: without them the person would not be paired any more.
func (s *Store) Settings() (set Settings, err error) {
	var data []byte
	err = s.db.QueryRow(`SELECT data FROM settings`).Scan(&data)
	if errors.Is(err, sql.ErrNoRows) {
		return set, nil
	}
	if err != nil {
		return set, fmt.Errorf("read settings: %w", err)
	}
	fields, err := decode(data, &set)
	if err != nil {
		return set, fmt.Errorf("read settings: %w", err)
	}
	s.remember(settingsTable, settingsRow, fields)
	return set, nil
}

// Journal returns at most limit entries after seq, oldest first; session ""
// means all. With newest it returns the last limit entries instead.
func (s *Store) Journal(after int64, limit int, id session.ID, newest bool) ([]event.Event, error) {
	order := "ASC"
	if newest {
		order = "DESC"
	}
	about := ""
	if id != "" {
		about = "AND session = ?2 " // an index finds these
	}
	return s.entries(`SELECT * FROM journal WHERE seq > ?1 `+about+`ORDER BY seq `+order+` LIMIT ?3`,
		after, string(id), limit)
}

// JournalBefore returns the last limit entries before seq, oldest first; session "" means all.
func (s *Store) JournalBefore(seq int64, limit int, id session.ID) ([]event.Event, error) {
	if id == "" {
		return s.entries(`SELECT * FROM journal WHERE seq < ? ORDER BY seq DESC LIMIT ?`, seq, limit)
	}
	return s.entries(`SELECT * FROM journal WHERE session = ? AND seq < ? ORDER BY seq DESC LIMIT ?`,
		string(id), seq, limit)
}

// entries returns the journal entries that a query selects, oldest first.
func (s *Store) entries(query string, args ...any) ([]event.Event, error) {
	query = `SELECT seq, at, kind, session, subject, text, hash FROM (` + query + `) ORDER BY seq`
	return collect(s, "journal", func(rows *sql.Rows, e *event.Event) error {
		var at int64
		err := rows.Scan(&e.Seq, &at, &e.Kind, &e.Session, &e.Subject, &e.Text, &e.Hash)
		e.At = time.UnixMilli(at)
		return err
	}, query, args...)
}

// collect returns the rows of a query, in its order; scan reads one. An error says
// what was read.
func collect[T any](
	s *Store, what string, scan func(*sql.Rows, *T) error, query string, args ...any,
) (out []T, err error) {
	rows, err := s.db.Query(query, args...)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", what, err)
	}
	defer rows.Close()
	for rows.Next() {
		var v T
		if err := scan(rows, &v); err != nil {
			return nil, fmt.Errorf("read %s: %w", what, err)
		}
		out = append(out, v)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("read %s: %w", what, err)
	}
	return out, nil
}

// Noted reports whether the journal has an entry of a kind about a subject.
func (s *Store) Noted(kind event.Kind, subject string) (isNoted bool, err error) {
	err = s.db.QueryRow(`SELECT EXISTS (SELECT 1 FROM journal WHERE kind = ? AND subject = ?)`,
		string(kind), subject).Scan(&isNoted)
	if err != nil {
		err = fmt.Errorf("read journal: %w", err)
	}
	return isNoted, err
}

// LastEntry returns the number and the hash of the newest journal entry, zero if there is none.
func (s *Store) LastEntry() (seq int64, hash string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.seq, s.head
}

// readHead finds where the journal goes on: after the last entry that was written,
// or after a later one that another program added.
func (s *Store) readHead() error {
	const query = `SELECT seq, hash FROM (
		SELECT 1 AS ours, seq, hash FROM head
		UNION ALL SELECT * FROM (SELECT 0, seq, hash FROM journal ORDER BY seq DESC LIMIT 1)
	) ORDER BY seq DESC, ours DESC LIMIT 1`
	err := s.db.QueryRow(query).Scan(&s.seq, &s.head)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	return err
}

// mostOf bounds how many entries about one subject are looked at.
const mostOf = 20

// EntriesOf returns the newest entries of a kind about a subject, newest first.
func (s *Store) EntriesOf(kind event.Kind, subject string) ([]event.Event, error) {
	all, err := s.entries(`SELECT * FROM journal WHERE kind = ? AND subject = ? ORDER BY seq DESC LIMIT ?`,
		string(kind), subject, mostOf)
	slices.Reverse(all)
	return all, err
}

// Chained reports whether an entry fits the ones before and after it.
func (s *Store) Chained(e event.Event) (bool, error) {
	around, err := s.entries(`SELECT * FROM journal WHERE seq BETWEEN ? AND ?`, e.Seq-1, e.Seq+1)
	if err != nil {
		return false, err
	}
	s.mu.Lock()
	last, head := s.seq, s.head
	s.mu.Unlock()
	prev, next := "", head
	for _, near := range around {
		switch {
		case near.Seq < e.Seq:
			prev = near.Hash
		case near.Seq > e.Seq && near.Hash == near.Chain(e.Hash):
			next = e.Hash
		case near.Seq > e.Seq:
			return false, nil
		}
	}
	fits := e.Chain(prev) == e.Hash && (e.Seq > 1) == (prev != "")
	return fits && (e.Seq < last || e.Hash == next), nil
}

// Verify walks the journal's hash chain. broken is the number of the first
// entry that does not fit or is missing, 0 when all are there.
func (s *Store) Verify() (entries, broken int64, head string, err error) {
	const page = 1000
	s.mu.Lock()
	written, newest := s.seq, s.head
	s.mu.Unlock()
	var last int64
	for {
		events, err := s.Journal(last, page, "", false)
		if err == nil && len(events) == 0 && last < written {
			return entries, last + 1, head, nil
		}
		if err != nil || len(events) == 0 {
			return entries, 0, head, err
		}
		for _, e := range events {
			follows := e.Seq == last+1 && e.Chain(head) == e.Hash
			replaced := e.Seq == written && e.Hash != newest
			if !follows || replaced {
				return entries, e.Seq, head, nil
			}
			entries, last, head = entries+1, e.Seq, e.Hash
		}
	}
}
