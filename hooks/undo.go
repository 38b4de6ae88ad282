package hooks

import (
	"os"
	"path/filepath"
	"time"

	"github.com/afar-sh/afar/coordinator/host/claude"
	"github.com/afar-sh/afar/coordinator/wire"
)

// snapshotFor bounds what a snapshot may cost before the person is asked, a
// coordinator's start included.
const snapshotFor = 5 * time.Second

// snapshot has what a risky call may destroy kept before the host opens its
// dialog: after a yes there the tool runs at once. It returns a sentence for
// the person, "" where there is nothing to lose.
func (h *hook) snapshot(d Judgement) string {
	if h.off() || !d.Loses {
		return ""
	}
	r, err := h.callStarting(wire.OpUndoTake, wire.UndoTakeRequest{HookCall: h.hookCall()}, snapshotFor)
	switch {
	case err == nil && r.str("line") != "":
		return " (" + r.str("line") + ")"
	case err != nil && inRepository(h.str(claude.FieldCwd)):
		return " (no snapshot: Afar's coordinator did not answer)"
	}
	return ""
}

// inRepository reports whether a directory looks like a part of one.
func inRepository(dir string) bool {
	for ; filepath.IsAbs(dir); dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return true
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	return false
}
