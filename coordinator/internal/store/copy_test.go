package store

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/event"
)

// TestCopies: a good copy is made once a day and before an upgrade, few are kept, and a damaged database does
// not take the place of a good one.
func TestCopies(t *testing.T) {
	path := filepath.Join(t.TempDir(), "afar.db")
	s, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	b := Batch{Events: []event.Event{{At: at, Kind: event.Started}}}
	if err := s.Commit(&b); err != nil {
		t.Fatal(err)
	}
	for hours, want := range []int{1, 1, 1, 1} {
		if err := s.Copy(at.Add(time.Duration(hours) * 7 * time.Hour)); err != nil || len(copies(path)) != want {
			t.Fatalf("after %d times 7 hours: %v, %v", hours, copies(path), err)
		}
	}
	for day := range 5 {
		if err := s.Copy(at.Add(time.Duration(day+1) * 24 * time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	all := copies(path)
	if len(all) != keepCopies || !copiedAt(all[0]).Equal(at.Add(5*24*time.Hour)) || Check(all[0]) != nil {
		t.Errorf("kept are %v", all)
	}
	if info, err := os.Stat(all[0]); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("a copy has the mode %v, %v", info.Mode(), err)
	}
	if _, err := s.db.Exec("PRAGMA user_version = 19"); err != nil {
		t.Fatal(err)
	}
	s.Close()
	usual := migrations
	migrations = []string{""}
	newest = firstVersion + 1
	t.Cleanup(func() { migrations = usual; newest = firstVersion + len(usual) })
	if s, err = Open(path); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	upgraded := copies(path)
	if len(upgraded) != keepCopies || upgraded[0] == all[0] {
		t.Errorf("before an upgrade, no copy was made: %v", upgraded)
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil {
		t.Fatal(err)
	} else if _, err := f.WriteAt(make([]byte, info.Size()-4096), 4096); err != nil {
		t.Fatal(err)
	}
	if err := s.Copy(time.Now().Add(48 * time.Hour)); err == nil {
		t.Error("a damaged database was copied")
	}
	if after := copies(path); len(after) != keepCopies || after[0] != upgraded[0] {
		t.Errorf("a damaged database left %v", after)
	}
}
