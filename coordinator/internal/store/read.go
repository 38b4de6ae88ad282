package store

import (
	"database/sql"
	"errors"
	"fmt"
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
// that cannot be read are an error: without them nobody would be paired.
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
	rows, err := s.db.Query(`SELECT seq, at, kind, session, subject, text, hash FROM (
		SELECT * FROM journal WHERE seq > ?1 AND (?2 = '' OR session = ?2) ORDER BY seq `+order+` LIMIT ?3) ORDER BY seq`,
		after, string(id), limit)
	if err != nil {
		return nil, fmt.Errorf("read journal: %w", err)
	}
	return scanJournal(rows)
}

func scanJournal(rows *sql.Rows) ([]event.Event, error) {
	defer rows.Close()
	var out []event.Event
	for rows.Next() {
		var e event.Event
		var at int64
		if err := rows.Scan(&e.Seq, &at, &e.Kind, &e.Session, &e.Subject, &e.Text, &e.Hash); err != nil {
			return nil, fmt.Errorf("read journal: %w", err)
		}
		e.At = time.UnixMilli(at)
		out = append(out, e)
	}
	return out, rows.Err()
}

// readHead finds where the journal goes on: behind the last entry that was
// written, or behind one that somebody else put there.
func (s *Store) readHead() error {
	err := s.db.QueryRow(`SELECT seq, hash FROM (SELECT 1 AS ours, seq, hash FROM head UNION ALL
		SELECT * FROM (SELECT 0, seq, hash FROM journal ORDER BY seq DESC LIMIT 1)) ORDER BY seq DESC, ours DESC LIMIT 1`).Scan(&s.seq, &s.head)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	return err
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
			if e.Seq != last+1 || e.Chain(head) != e.Hash || e.Seq == written && e.Hash != newest {
				return entries, e.Seq, head, nil
			}
			entries, last, head = entries+1, e.Seq, e.Hash
		}
	}
}
