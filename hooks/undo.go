package hooks

import (
	"os"
	"path/filepath"
	"time"

	"github.com/afar-sh/afar/coordinator/host/claude"
	"github.com/afar-sh/afar/coordinator/wire"
)

// snapshotFor is the limit for a snapshot before the person is asked, including the
// start of a coordinator.
const snapshotFor = 5 * time.Second

// snapshot makes the coordinator save what a risky call may destroy. It does so
// before the host opens its dialog, because after a yes the tool runs at once. It
// returns a remark for the person, "" for none.
func (h *hook) snapshot(d Judgement) string {
	if h.off() || !d.Loses {
		return ""
	}
	in := wire.UndoTakeRequest{HookCall: h.hookCall()}
	r, err := callStarting(h, wire.OpUndoTake, in, snapshotFor)
	switch line := r.Line; {
	case line != "":
		return " (" + line + ")"
	case err != nil && inRepository(h.str(claude.FieldCwd)):
		return " (no snapshot: Afar's coordinator did not answer)"
	}
	return ""
}

// inRepository reports whether a directory looks like part of a git repository.
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
