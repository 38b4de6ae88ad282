package hooks

import (
	"os"
	"time"

	"github.com/afar-sh/afar/coordinator/wire"
)

// turnFor is the limit for asking whether the turn should end. The hook asks only
// shortly after the person stopped a turn.
const turnFor = 2 * time.Second

// halted returns why the running turn should end, "" if it should not. It asks the
// coordinator only if the coordinator's mark exists, so it usually costs one look at
// the disk.
func (h *hook) halted(over string) (reason string) {
	if _, err := os.Lstat(h.client.Dirs.Halts()); err != nil {
		return ""
	}
	r, _ := call(h, wire.OpTurn, wire.TurnRequest{HookCall: h.hookCall(), Over: over}, turnFor)
	if !r.Block {
		return "" // without an answer the turn goes on
	}
	return r.Reason
}
