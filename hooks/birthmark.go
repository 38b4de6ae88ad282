package hooks

import (
	"bytes"
	"os"
	"runtime"

	"github.com/afar-sh/afar/coordinator/birthmark"
	"github.com/afar-sh/afar/coordinator/host/claude"
)

// birthmark makes each shell of the session mark itself and every process that
// it starts. A process that has detached itself can still be recognised as the
// session's. The mark is a resource limit, so it works only on Linux, and only if
// the host provides a file for the shells to source.
func (h *hook) birthmark() {
	path := h.getenv.File()
	if runtime.GOOS != "linux" || !claude.IsSessionFile(path, h.str(claude.FieldSession)) {
		return
	}
	if old, _ := os.ReadFile(path); bytes.Contains(old, []byte(birthmark.Line)) {
		return
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return
	}
	defer f.Close()
	_, _ = f.WriteString("\n" + birthmark.Line) // without the line nothing is marked
}
