package store

import (
	"database/sql"
	_ "embed"
	"fmt"
	"time"
)

//go:embed age.sql
var ageIndexes string

// quarter is the time, in SQL, before which Forget drops what is kept for 90 days. ?1 is 30 days ago.
const quarter = "?1 - 60 * 86400000"

// month is what Forget keeps most settled rows for.
const month = 30 * 24 * time.Hour

// fewPages is how many free pages a database may keep in any case: 4 MB.
const fewPages = 1000

// Forget drops what is not needed any more at a time: finished actions and the old rows of each
// kind, the copies of cards of asks that are gone, and updates that were dealt with long ago. The file
// gets smaller if much of it is free then.
func (s *Store) Forget(now time.Time) error {
	err := s.tx(func(tx *sql.Tx) error {
		for table, old := range oldRows {
			if _, err := tx.Exec("DELETE FROM "+table+" WHERE "+old, now.Add(-month).UnixMilli()); err != nil {
				return fmt.Errorf("forget old rows of %s: %w", table, err)
			}
		}
		if _, err := tx.Exec("DELETE FROM copies WHERE ask NOT IN (SELECT id FROM asks)"); err != nil {
			return fmt.Errorf("forget old cards: %w", err)
		}
		return forgetUpdates(tx)
	})
	if err != nil {
		return err
	}
	return s.shrink()
}

// shrink writes a database anew of which more than half is free. Nothing else can be written meanwhile,
// for about a second for each 100 MB. The usual amount of free pages is used again instead.
func (s *Store) shrink() error {
	var pages, free int
	err := s.db.QueryRow("SELECT page_count, freelist_count FROM pragma_page_count, pragma_freelist_count").Scan(&pages, &free)
	if err != nil || free < fewPages || free <= pages/2 {
		return err
	}
	if _, err := s.db.Exec("VACUUM"); err != nil {
		return fmt.Errorf("shrink the database: %w", s.explain(err))
	}
	return nil
}
