package hooks

import (
	"bytes"
	"os"
	"runtime"

	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/host/claude"
)

// birthmark has each shell of the session mark itself and all that it starts,
// so that a process which cut its ties is still known for a session's. It works
// where a process shows its limits; elsewhere, and where the host offers no
// such file, nothing is marked.
func (h *hook) birthmark() {
	path := h.getenv.File()
	if runtime.GOOS != "linux" || !claude.IsSessionFile(path, h.str(claude.FieldSession)) {
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
