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

// errStopped ends a walk.
var errStopped = errors.New("something in it fails the test, or it is too much to look at")

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
	return everyFile(root, func(path string, _ fs.DirEntry) bool { return born(path).After(since) })
}

// everyFile reports whether a test holds for root and for everything in it. It returns false
// for a tree that is too large or cannot be read.
func everyFile(root string, holds func(path string, d fs.DirEntry) bool) bool {
	until, left := time.Now().Add(mostTime), mostEntries
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		left--
		switch {
		case err != nil:
			return err
		case left < 0, time.Now().After(until), !holds(path, d):
			return errStopped
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
