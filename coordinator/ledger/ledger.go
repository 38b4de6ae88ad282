// Package ledger keeps the hooks' own record of a session's calls: which of them
// the guard saw, and which it denied. The hooks write it without the coordinator,
// so it has no gap when the coordinator is away. It is read to find a call that ran
// although the guard denied it or never saw it.
//
// A session's ledger begins when SessionStart runs. Without a ledger nothing is
// known of the session's calls.
package ledger

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// A Verdict is what the ledger says about a call.
type Verdict string

// The verdicts.
const (
	Unknown Verdict = ""      // there is no ledger, or it cannot be read
	Never   Verdict = "never" // the guard did not see the call
	Seen    Verdict = "seen"  // the guard saw it, and did not deny it
	Denied  Verdict = "deny"
)

// mostRead bounds the size of a ledger, in bytes. That is enough for the calls of some
// days.
const mostRead = 8 << 20

// Begin begins the ledger of a session. It does nothing if there is one already.
func Begin(dir, session string, now time.Time) error {
	path := File(dir, session)
	if path == "" {
		return errors.New("begin ledger: the session's id cannot be a file name")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, os.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = f.WriteString(began + strconv.FormatInt(now.UnixMilli(), 10) + "\n")
	if err = errors.Join(err, f.Close()); err != nil {
		os.Remove(path) // a ledger with half a first line cannot be read
	}
	return err
}

// Write adds a verdict on a call to a ledger that has begun. If that fails it removes
// the ledger, because a ledger with a gap would be wrong.
func Write(dir, session, call string, v Verdict) {
	if call == "" || strings.ContainsAny(call, " \r\n") {
		return
	}
	path := File(dir, session)
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if errors.Is(err, os.ErrNotExist) {
		return
	}
	if err == nil {
		_, err = f.WriteString(call + " " + string(v) + "\n")
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		os.Remove(path)
	}
}

// A Ledger is a ledger that was read. The zero value knows nothing.
type Ledger struct {
	Began time.Time
	calls map[string]Verdict
}

// Read returns the ledger of a session. If it is missing, too long or damaged, Read
// returns the zero value.
func Read(dir, session string) Ledger {
	f, err := os.Open(File(dir, session))
	if err != nil {
		return Ledger{}
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, mostRead+1))
	if err != nil || len(raw) > mostRead {
		return Ledger{}
	}
	return parse(string(raw))
}

// tail is how much of the end of a ledger Of reads first: the calls of some minutes.
const tail = 16 << 10

// Of returns what the ledger of a session says about a call. A call of a moment ago is found without
// reading all of a long ledger.
func Of(dir, session, call string) Verdict {
	if v, ok := ofLate(File(dir, session), call); ok {
		return v
	}
	return Read(dir, session).Of(call)
}

// ofLate looks for a call in the end of a long ledger. ok is false if it is not there.
func ofLate(path, call string) (v Verdict, ok bool) {
	f, err := os.Open(path)
	if err != nil {
		return "", false
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || info.Size() <= tail || info.Size() > mostRead {
		return "", false
	}
	head, end := make([]byte, len(began)), make([]byte, tail)
	_, err = f.ReadAt(head, 0)
	_, failed := f.ReadAt(end, info.Size()-tail)
	if err != nil || failed != nil || string(head) != began || end[tail-1] != '\n' {
		return "", false
	}
	i := strings.LastIndex(string(end), "\n"+call+" ") // the last one counts
	if i < 0 || call == "" {
		return "", false
	}
	line, _, _ := strings.Cut(string(end[i+1:]), "\n")
	return Verdict(strings.TrimPrefix(line, call+" ")), true
}

// began begins a ledger.
const began = "began "

// parse returns the ledger in a text, or the zero value if the text is damaged.
func parse(text string) Ledger {
	head, ok := strings.CutPrefix(text, began)
	if !ok || !strings.HasSuffix(text, "\n") {
		return Ledger{}
	}
	ms, lines, _ := strings.Cut(head, "\n")
	at, err := strconv.ParseInt(ms, 10, 64)
	if err != nil {
		return Ledger{}
	}
	l := Ledger{Began: time.UnixMilli(at), calls: map[string]Verdict{}}
	for line := range strings.Lines(lines) {
		call, verdict, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		l.calls[call] = Verdict(verdict) // the last one counts
	}
	return l
}

// Of returns what the ledger says about a call.
func (l Ledger) Of(call string) Verdict {
	if l.calls == nil || call == "" {
		return Unknown
	}
	if v, ok := l.calls[call]; ok {
		return v
	}
	return Never
}

// Forget removes the ledgers that were last written before a time.
func Forget(dir string, before time.Time) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		if !e.Type().IsRegular() {
			continue
		}
		if info, statErr := e.Info(); statErr == nil && info.ModTime().Before(before) {
			err = errors.Join(err, os.Remove(filepath.Join(dir, e.Name())))
		}
	}
	return err
}

// idCharacters are the characters that the host uses in the id of a session.
const idCharacters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

// File returns the path of a session's ledger, or "" for an id that the host
// would not choose. No file has the path "".
func File(dir, session string) string {
	hasOthers := strings.Trim(session, idCharacters) != ""
	if session == "" || len(session) > 100 || hasOthers {
		return ""
	}
	return filepath.Join(dir, session)
}
