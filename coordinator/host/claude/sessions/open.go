package sessions

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/afar-sh/afar/coordinator/peer"
)

// mostFiles bounds the session files that are read to find one.
const mostFiles = 10_000

// Open returns the file of the client that has a conversation open. dir is the host's
// configuration directory. A client that was killed leaves its file, which does not count.
func Open(dir, conversation string) (f File, ok bool) {
	dir = filepath.Join(dir, "sessions")
	entries, _ := os.ReadDir(dir) // without it, no client has run
	for _, e := range entries[:min(len(entries), mostFiles)] {
		if !isSession(e.Name()) {
			continue
		}
		f, err := readSession(filepath.Join(dir, e.Name()))
		if err == nil && f.Session == conversation && f.Running() {
			return f, true
		}
	}
	return File{}, false
}

// Running reports whether the client that wrote f still runs. Another process may have got its
// id.
func (f File) Running() bool { return peer.Lives(f.PID, peer.BornAt(f.ProcStart)) }

// Where says which client f is of, for people.
func (f File) Where() string {
	client := "a terminal"
	switch {
	case f.Kind == "bg":
		client = "a session of claude --bg"
	case f.Entrypoint != "cli":
		client = "claude -p"
	}
	return fmt.Sprintf("%s (process %d)", client, f.PID)
}
