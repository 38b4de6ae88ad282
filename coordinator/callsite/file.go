package callsite

import (
	"bytes"
	"io"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"github.com/afar-sh/afar/coordinator/home"
)

// Bounds on the files that are read for one call.
const (
	mostBytes   = 256 << 10              // of one file
	mostNames   = 1000                   // of one directory
	readingTime = 300 * time.Millisecond // for all files; a network file system may hang
	mostStuck   = 8                      // reads of this process that hang at the same time
)

// stuck holds one token for each read that has not ended. A read that hangs cannot be
// ended, so a process stops reading when too many do.
var stuck = make(chan struct{}, mostStuck)

// A reader reads the files that one call would run.
type reader struct {
	left time.Duration
	dirs home.Dirs
	near []string // directories in which files of the policy were read before
}

func newReader(dirs home.Dirs, near ...string) *reader {
	return &reader{left: readingTime, dirs: dirs, near: near}
}

// text returns the text of a regular file, or the names in a directory if the path ends with a
// slash. It returns false for a file that is missing,
// too large or no text, and when the time for the call is over. It never waits for a
// device or a pipe, and for a file system that hangs only where the policy is read from it, too.
func (r *reader) text(path string) (string, bool) {
	if r.left > 0 && r.isNear(path) { // a thread of its own takes longer than reading the file
		raw := content(path)
		return string(raw), raw != nil
	}
	return r.apart(path, content)
}

// members returns the names of the files in an archive, one a line. It returns false if the file is
// not a readable archive, and when the time for the call is over.
func (r *reader) members(path string) (string, bool) {
	return r.apart(path, func(path string) []byte { return members(path, r.dirs) })
}

// isNear reports whether a path lies below a directory from which files were read.
func (r *reader) isNear(path string) bool {
	return slices.ContainsFunc(r.near, func(dir string) bool {
		rest, below := strings.CutPrefix(path, dir)
		return dir != "" && below && strings.HasPrefix(rest, "/")
	})
}

// apart reads a file in a goroutine of its own.
func (r *reader) apart(path string, content func(path string) []byte) (string, bool) {
	if r.left <= 0 {
		return "", false
	}
	select {
	case stuck <- struct{}{}:
	default:
		return "", false
	}
	begun := time.Now()
	defer func() { r.left -= time.Since(begun) }()
	read := make(chan []byte, 1)
	go func() {
		defer func() { <-stuck }()
		read <- content(path)
	}()
	over := time.NewTimer(r.left)
	defer over.Stop()
	select {
	case raw := <-read:
		return string(raw), raw != nil
	case <-over.C:
		return "", false
	}
}

// content returns the text of a regular file, nil if it cannot be read.
func content(path string) []byte {
	if strings.HasSuffix(path, "/") {
		return names(path)
	}
	f, size := regular(path)
	if f == nil {
		return nil
	}
	defer f.Close()
	if size > mostBytes {
		return nil
	}
	var text bytes.Buffer
	text.Grow(int(size) + bytes.MinRead)
	_, err := text.ReadFrom(io.LimitReader(f, mostBytes+1))
	raw := text.Bytes()
	if err != nil || len(raw) > mostBytes || bytes.IndexByte(raw, 0) >= 0 || !utf8.Valid(raw) {
		return nil
	}
	return raw
}

// regular opens a regular file and returns its size in bytes. It returns nil for anything else.
func regular(path string) (*os.File, int64) {
	if strings.HasPrefix(path, "/proc/") || strings.HasPrefix(path, "/sys/") || strings.HasPrefix(path, "/dev/") {
		return nil, 0
	}
	info, err := os.Stat(path) // opening a device may already do something
	if err != nil || !info.Mode().IsRegular() {
		return nil, 0
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, 0
	}
	if info, err = f.Stat(); err != nil || !info.Mode().IsRegular() {
		f.Close()
		return nil, 0
	}
	return f, info.Size()
}

// names returns the names in a directory, one a line, nil if it cannot be read. Those of directories
// end with a slash.
func names(dir string) []byte {
	f, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer f.Close()
	entries, _ := f.ReadDir(mostNames)
	out := []byte{}
	for _, e := range entries {
		if out = append(out, e.Name()...); e.IsDir() {
			out = append(out, '/')
		}
		out = append(out, '\n')
	}
	return out
}
