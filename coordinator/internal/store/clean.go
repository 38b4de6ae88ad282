package store

import (
	"fmt"
	"os"
	"time"
)

// checkEvery is how old the last check of the whole database may be at a start. The check reads all of
// it. It is also made after an end without Close, and when the file is not as Close left it.
const checkEvery = 24 * time.Hour

// cleanMark returns the file in which Close notes how it left a database, and when that was last checked.
func cleanMark(path string) string { return path + "-clean" }

// noteClean notes that a database was closed.
func noteClean(path string, checked time.Time) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	text := fmt.Sprintln(info.Size(), info.ModTime().UnixNano(), checked.UnixNano())
	return os.WriteFile(cleanMark(path), []byte(text), 0o600)
}

// lastCheck returns when the database at path was last checked, the zero time if that counts no more.
func lastCheck(path string) time.Time {
	var size, changed, checked int64
	text, err := os.ReadFile(cleanMark(path))
	if err != nil {
		return time.Time{}
	}
	if _, err := fmt.Sscanln(string(text), &size, &changed, &checked); err != nil {
		return time.Time{}
	}
	info, err := os.Stat(path)
	if err != nil || info.Size() != size || info.ModTime().UnixNano() != changed {
		return time.Time{}
	}
	if log, err := os.Stat(path + "-wal"); err == nil && log.Size() > 0 {
		return time.Time{}
	}
	at := time.Unix(0, checked)
	if age := time.Since(at); age < 0 || age >= checkEvery {
		return time.Time{}
	}
	return at
}
