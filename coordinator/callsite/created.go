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
		since := born(transcript)
		return !since.IsZero() && youngerThan(path, since)
	}
}

// youngerThan reports whether root and everything in it was created after since.
func youngerThan(root string, since time.Time) bool {
	until, seen := time.Now().Add(mostTime), 0
	err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		seen++
		if seen > mostEntries || time.Now().After(until) || !born(path).After(since) {
			return errOlder
		}
		return nil
	})
	return err == nil
}

// born returns when a file was created, or the zero time if that is unknown. It does not
// follow a symbolic link.
func born(path string) time.Time {
	info, err := os.Lstat(path)
	if err != nil {
		return time.Time{}
	}
	return birth(path, info)
}
