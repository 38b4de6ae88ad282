package store

import (
	"errors"
	"path/filepath"
	"strconv"
	"testing"
)

// TestPragmas checks the settings of each connection, which cannot be seen from outside.
// Committed data must survive the loss of power; 2 is FULL.
func TestPragmas(t *testing.T) {
	s, err := Open(filepath.Join(t.TempDir(), "afar.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for name, want := range map[string]string{
		"journal_mode": "wal",
		"synchronous":  "2",
		"foreign_keys": "1",
		"user_version": strconv.Itoa(newest),
	} {
		var got string
		if err := s.db.QueryRow("PRAGMA " + name).Scan(&got); err != nil || got != want {
			t.Errorf("%s is %s, %v", name, got, err)
		}
	}
}

// TestLevels checks that only Write does not wait for the disk, until the next commit or sync.
// 1 is NORMAL.
func TestLevels(t *testing.T) {
	s, err := Open(filepath.Join(t.TempDir(), "afar.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	put := func(f func(*Batch) error) func() error {
		return func() error { return f(&Batch{Settings: &Settings{}}) }
	}
	for i, step := range []struct {
		do   func() error
		want string
	}{
		{s.Sync, "2"}, {put(s.Commit), "2"}, {put(s.Write), "1"}, {put(s.Write), "1"}, {s.Sync, "2"},
		{put(s.Write), "1"}, {put(s.Commit), "2"}, {s.Sync, "2"},
	} {
		var got string
		if err := errors.Join(step.do(), s.db.QueryRow("PRAGMA synchronous").Scan(&got)); err != nil ||
			got != step.want {
			t.Errorf("behind step %d synchronous is %s, want %s, %v", i, got, step.want, err)
		}
	}
}
