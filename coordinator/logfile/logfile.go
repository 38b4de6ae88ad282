// Package logfile writes a log that is put aside when it grows too large.
package logfile

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"sync"
)

// Usual is the size in bytes at which Afar's logs are put aside.
const Usual = 10 << 20

// A File is a log at Path. When it would grow beyond Max, it is put aside as Path.1, the one
// before it becomes Path.2, and so on. Each Write appends whole lines. A line that a crash or a
// full disk cut off is ended before the next one, and a file that somebody moved or deleted is
// made again. Safe for concurrent use; one process writes it at a time.
type File struct {
	Path string
	Max  int64
	Keep int // how many files are kept, at least 2; 0 keeps all

	mu   sync.Mutex
	f    *os.File // nil until it is needed
	size int64
	torn bool // the last line has no end
}

// Open opens the file now, 0600, its directory 0700. Otherwise the first Write does so.
func (l *File) Open() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.open()
}

// Write appends p, which is one or more lines, to one file with one write.
func (l *File) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.prepare(int64(len(p))); err != nil {
		return 0, err
	}
	line := p
	if l.torn {
		line = append([]byte{'\n'}, p...)
	}
	n, err := l.f.Write(line)
	l.size += int64(n)
	if n > 0 {
		l.torn = line[n-1] != '\n'
	}
	return max(0, n-len(line)+len(p)), err
}

// Close closes the file. A later Write opens it again.
func (l *File) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.close()
}

// prepare makes sure that the open file is the one at Path, with room for more bytes.
func (l *File) prepare(more int64) error {
	if !l.inPlace() {
		if err := l.open(); err != nil {
			return err
		}
	}
	if l.size == 0 || l.size+more <= l.Max {
		return nil
	}
	_ = l.close() // its lines are written
	l.putAside()
	return l.open()
}

func (l *File) inPlace() bool {
	if l.f == nil {
		return false
	}
	own, err := l.f.Stat()
	if err != nil {
		return false
	}
	there, err := os.Stat(l.Path)
	return err == nil && os.SameFile(own, there)
}

func (l *File) open() error {
	_ = l.close() // its lines are written
	if err := os.MkdirAll(filepath.Dir(l.Path), 0o700); err != nil {
		return fmt.Errorf("open log: %w", err)
	}
	f, err := os.OpenFile(l.Path, os.O_APPEND|os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return fmt.Errorf("open log: %w", err)
	}
	size, torn, err := end(f)
	if err != nil {
		f.Close()
		return fmt.Errorf("open log: %w", err)
	}
	l.f, l.size, l.torn = f, size, torn
	return nil
}

// end returns the size of a file, and whether its last line has no end.
func end(f *os.File) (size int64, torn bool, err error) {
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return 0, false, err
	}
	last := make([]byte, 1)
	if _, err := f.ReadAt(last, info.Size()-1); err != nil && !errors.Is(err, io.EOF) {
		return 0, false, err
	}
	return info.Size(), last[0] != '\n', nil
}

func (l *File) close() error {
	if l.f == nil {
		return nil
	}
	f := l.f
	l.f = nil
	return f.Close()
}

// putAside moves each file one place back, up to the first free place. So a process that is
// killed here loses nothing. Where a move is not possible the log goes on in the file that is
// there.
func (l *File) putAside() {
	for i := l.free(); i > 0; i-- {
		if os.Rename(l.older(i-1), l.older(i)) != nil {
			return
		}
	}
}

// free returns the first place without a file, or the last place that is kept.
func (l *File) free() int {
	i := 1
	for i != l.Keep-1 {
		if _, err := os.Lstat(l.older(i)); err != nil {
			break
		}
		i++
	}
	return i
}

func (l *File) older(i int) string {
	if i == 0 {
		return l.Path
	}
	return l.Path + "." + strconv.Itoa(i)
}
