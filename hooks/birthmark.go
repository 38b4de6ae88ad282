package hooks

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"

	"github.com/afar-sh/afar/coordinator/home"
)

// birthmark has each shell of the session mark itself and all that it starts,
// so that a process which cut its ties is still known for a session's. It works
// where a process shows its limits; elsewhere, and where the host offers no
// such file, nothing is marked.
func (h *hook) birthmark() {
	path := h.getenv("CLAUDE_ENV_FILE")
	if runtime.GOOS != "linux" || !ofSession(path, h.str("session_id")) {
		return
	}
	if old, err := os.ReadFile(path); err == nil && bytes.Contains(old, []byte(home.BirthmarkLine)) {
		return
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return
	}
	defer f.Close()
	_, _ = f.WriteString("\n" + home.BirthmarkLine) // one that is not written marks nothing
}

// ofSession reports whether path is where the host keeps what a session's shells
// read: …/session-env/<session id>/<file>. A project can name another file in
// its settings; the person's own shells must not be marked.
func ofSession(path, session string) bool {
	dir := filepath.Dir(path)
	return session != "" && filepath.IsAbs(path) && filepath.Base(dir) == session && filepath.Base(filepath.Dir(dir)) == "session-env"
}
