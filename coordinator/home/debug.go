package home

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// HooksLog holds one line for each hook that ran while debugging was on.
func (d Dirs) HooksLog() string { return filepath.Join(d.State, "log", "hooks.log") }

// PayloadLog holds what these hooks read and printed, masked. Only the coordinator
// writes it.
func (d Dirs) PayloadLog() string { return filepath.Join(d.State, "log", "payloads.log") }

// DebugMark exists while the person records what hooks do. The guard keeps
// sessions out of its directory.
func (d Dirs) DebugMark() string { return filepath.Join(d.State, "debug") }

// A Debug says what is recorded of hooks, and until when.
type Debug struct {
	Payloads bool // record payloads too, not only lines
	Until    time.Time
}

// LeaveDebug begins the recording of hooks, until d.Until.
func LeaveDebug(dirs Dirs, d Debug) error {
	what := "lines"
	if d.Payloads {
		what = "payloads"
	}
	return LeaveMark(dirs.DebugMark(), what+" "+strconv.FormatInt(d.Until.UnixMilli(), 10))
}

// EndDebug ends the recording that LeaveDebug began.
func EndDebug(dirs Dirs) error {
	if err := os.Remove(dirs.DebugMark()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("end debugging: %w", err)
	}
	return nil
}

// Debugging returns what is recorded now, or the zero value and false if nothing is. It
// reads only one file, because every hook calls it.
func Debugging(dirs Dirs, now time.Time) (d Debug, on bool) {
	raw, err := slurp(dirs.DebugMark())
	if err != nil {
		return Debug{}, false
	}
	what, until, _ := strings.Cut(string(raw), " ")
	ms, err := strconv.ParseInt(until, 10, 64)
	known := slices.Contains([]string{"lines", "payloads"}, what)
	if err != nil || !known || ms <= now.UnixMilli() {
		return Debug{}, false
	}
	return Debug{Payloads: what == "payloads", Until: time.UnixMilli(ms)}, true
}

// AppendLine appends a line to a log that many processes write, with mode 0600. It
// moves a log that reaches max bytes to path.1, in place of the earlier one. While
// that is not possible, the log grows to at most twice max. AppendLine refuses a
// path that is not a regular file of this user.
func AppendLine(path string, line []byte, max int64) error {
	if err := ensurePrivate(filepath.Dir(path)); err != nil {
		return err
	}
	putAside(path, int64(len(line)), max)
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY|noFollow, 0o600)
	if err != nil {
		return fmt.Errorf("append to log: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() || !isOurs(info) {
		return fmt.Errorf("append to log: %s is not a regular file of this user", path)
	}
	if info.Size() > 2*max {
		return fmt.Errorf("append to log: %s cannot be put aside", path)
	}
	if _, err := f.Write(line); err != nil {
		return fmt.Errorf("append to log: %w", err)
	}
	return nil
}

// putAside makes room for n more bytes. One process at a time does it; the others
// continue with the existing file.
func putAside(path string, n, max int64) {
	if !full(path, n, max) {
		return
	}
	lock, err := TryLock(path + ".lock")
	if err != nil || lock == nil {
		return
	}
	defer lock.Release()
	if full(path, n, max) { // no other process has done it meanwhile
		_ = os.Rename(path, path+".1")
	}
}

func full(path string, n, max int64) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Size() > 0 && info.Size()+n > max
}
