package callsite

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Bounds of the walk through a tree. A larger tree does not count as the session's.
const (
	mostEntries = 2000
	mostTime    = 20 * time.Millisecond
)

var errOlder = errors.New("something in it is older, or too much to look at")

// Created returns a function that reports whether the session made a tree and
// everything in it. That is so if each file was created after the session's
// transcript. A file that was moved or linked into the tree keeps its time of
// creation. If the file system does not record that time, nothing counts as the
// session's.
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

// born returns when a file was created. It does not follow a symbolic link.
func born(path string) (time.Time, bool) {
	info, err := os.Lstat(path)
	if err != nil {
		return time.Time{}, false
	}
	return birth(path, info)
}
