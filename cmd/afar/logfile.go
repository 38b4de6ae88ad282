package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
)

const (
	maxLog   = 10 << 20
	keepLogs = 3 // the file itself and two older ones
)

// A logFile is a file that is put aside when it grows too large: path.1 is the
// one before it, path.2 the one before that. Safe for concurrent use.
type logFile struct {
	path string
	max  int64

	mu   sync.Mutex
	f    *os.File
	size int64
}

// openLog opens the log at path for appending, 0600, its directory 0700.
func openLog(path string, max int64) (*logFile, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("open log: %w", err)
	}
	l := &logFile{path: path, max: max}
	return l, l.open()
}

func (l *logFile) open() error {
	f, err := os.OpenFile(l.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("open log: %w", err)
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return fmt.Errorf("open log: %w", err)
	}
	l.f, l.size = f, info.Size()
	return nil
}

// Write appends p whole to one file.
func (l *logFile) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.size > 0 && l.size+int64(len(p)) > l.max {
		if err := l.rotate(); err != nil {
			return 0, err
		}
	}
	n, err := l.f.Write(p)
	l.size += int64(n)
	return n, err
}

// rotate moves each file one place back; the oldest is overwritten. Where a
// move is not possible the log goes on in the file that is there.
func (l *logFile) rotate() error {
	l.f.Close()
	for i := keepLogs - 1; i > 0; i-- {
		_ = os.Rename(l.older(i-1), l.older(i)) // most of them are not there yet
	}
	return l.open()
}

func (l *logFile) older(i int) string {
	if i == 0 {
		return l.path
	}
	return l.path + "." + strconv.Itoa(i)
}

// Close closes the file.
func (l *logFile) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.f.Close()
}
