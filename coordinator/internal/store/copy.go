package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const (
	// copyEvery is how old the newest good copy of the database may be.
	copyEvery = 24 * time.Hour
	// keepCopies is how many good copies are kept.
	keepCopies = 3
	// maxCopied is the size of the largest database that is copied, in bytes.
	maxCopied = 512 << 20
)

// copyName is the form of a copy's name: when it was made, in UTC.
const copyName = "afar-20060102-150405.db"

// copiesOf returns the directory of the good copies of the database at path.
func copiesOf(path string) string { return filepath.Join(filepath.Dir(path), "copies") }

// Copy keeps a good copy of the database beside it, unless the newest one is younger than a day. The
// oldest copies give way. A database that is too large is not copied. Commits go on meanwhile.
func (s *Store) Copy(now time.Time) error {
	if newest := copies(s.path); len(newest) > 0 && now.Sub(copiedAt(newest[0])).Abs() < copyEvery {
		return nil
	}
	return makeCopy(s.path, now)
}

// makeCopy keeps a copy of the database at path, which has no damage.
func makeCopy(path string, now time.Time) error {
	if info, err := os.Stat(path); err != nil || info.Size() > maxCopied {
		return err
	}
	dir := copiesOf(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("copy the database: %w", err)
	}
	half := filepath.Join(dir, "half")
	if err := errors.Join(removed(half), vacuumInto(path, half), Check(half), syncFile(half)); err != nil {
		return fmt.Errorf("copy the database: %w", errors.Join(err, removed(half)))
	}
	if err := os.Rename(half, filepath.Join(dir, now.UTC().Format(copyName))); err != nil {
		return fmt.Errorf("copy the database: %w", err)
	}
	all := copies(path)
	for _, old := range all[min(keepCopies, len(all)):] {
		if err := removed(old); err != nil {
			return fmt.Errorf("remove an old copy of the database: %w", err)
		}
	}
	return nil
}

// vacuumInto writes the rows of the database at path into a new file. It reads through a connection of its
// own, so that others can write.
func vacuumInto(path, to string) error {
	db, err := connect(path, "ro")
	if err != nil {
		return err
	}
	_, err = db.Exec("VACUUM INTO ?", to)
	return errors.Join(err, db.Close())
}

// copies returns the good copies of the database at path, the newest first.
func copies(path string) (all []string) {
	entries, err := os.ReadDir(copiesOf(path))
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if _, err := time.Parse(copyName, e.Name()); err == nil && e.Type().IsRegular() {
			all = append(all, filepath.Join(copiesOf(path), e.Name()))
		}
	}
	slices.SortFunc(all, func(a, b string) int { return strings.Compare(b, a) })
	return all
}

// copiedAt returns when a copy was made.
func copiedAt(copied string) time.Time {
	at, _ := time.Parse(copyName, filepath.Base(copied)) // copies returns no other names
	return at
}

// removed removes a file that may be absent.
func removed(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

func syncFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Chmod(0o600), f.Sync(), f.Close())
}
