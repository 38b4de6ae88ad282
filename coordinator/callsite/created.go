package callsite

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Bounds of a look at a tree. A larger one is not known to be the session's.
const (
	mostEntries = 2000
	mostTime    = 20 * time.Millisecond
)

var errOlder = errors.New("something in it is older, or too much to look at")

// Created tells of a tree whether the session made it and all that lies in it:
// each of its files was born after the session's transcript. A file that was
// moved or linked there keeps its birth. Where the file system does not say when
// a file was born, nothing counts as the session's.
func Created(transcript string) func(path string) bool {
	return func(path string) bool {
		since, ok := born(transcript)
		return ok && youngerThan(path, since)
	}
}

func youngerThan(root string, since time.Time) bool {
	until, seen := time.Now().Add(mostTime), 0
	err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		seen++
		at, ok := born(path)
		if !ok || !at.After(since) || seen > mostEntries || time.Now().After(until) {
			return errOlder
		}
		return nil
	})
	return err == nil && seen > 0
}

// born is when a file came to be; a link is not followed.
func born(path string) (time.Time, bool) {
	info, err := os.Lstat(path)
	if err != nil {
		return time.Time{}, false
	}
	return birth(path, info)
}
