package store

import (
	"path/filepath"
	"strconv"
	"testing"
)

// TestPragmas: each is set per connection, so that nobody outside can see it.
// What was committed must survive the loss of power: 2 is FULL.
func TestPragmas(t *testing.T) {
	s, err := Open(filepath.Join(t.TempDir(), "afar.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for name, want := range map[string]string{"journal_mode": "wal", "synchronous": "2", "foreign_keys": "1", "user_version": strconv.Itoa(len(migrations))} {
		var got string
		if err := s.db.QueryRow("PRAGMA " + name).Scan(&got); err != nil || got != want {
			t.Errorf("%s is %s, %v", name, got, err)
		}
	}
}
