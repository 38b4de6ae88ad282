package store

import (
	"errors"
	"fmt"

	"modernc.org/sqlite"
)

// ErrUnwritable says that the disk took nothing: it is full, read-only or
// broken. What was to be written is not, and nothing else was changed.
var ErrUnwritable = errors.New("the database cannot be written")

// SQLite's codes for a disk that takes nothing.
var unwritable = map[int]string{
	8:  "the disk or the file is read-only",
	10: "the disk fails",
	13: "the disk is full",
	14: "the file cannot be opened",
}

// explain says in a person's words that the disk took nothing. Other errors it
// returns as they are.
func (s *Store) explain(err error) error {
	var lite *sqlite.Error
	if !errors.As(err, &lite) {
		return err
	}
	why, ok := unwritable[lite.Code()&0xff]
	if !ok {
		return err
	}
	return fmt.Errorf("%w: %s: %s (%w)", ErrUnwritable, why, s.path, err)
}

// Probe writes without a change, and says whether the disk took it.
func (s *Store) Probe() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.setLevel(synced); err != nil {
		return s.explain(err)
	}
	var version int
	if err := s.db.QueryRow("PRAGMA user_version").Scan(&version); err != nil {
		return s.explain(err)
	}
	_, err := s.db.Exec(fmt.Sprintf("PRAGMA user_version = %d", version))
	return s.explain(err)
}
