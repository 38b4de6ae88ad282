package ask

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/session"
)

// Terminal is the kind of ask for a dialog of the host that no hook is asked about. It tells the
// person what waits; only the terminal can answer it.
const Terminal Kind = "terminal"

// terminalFor is how long such an ask stays open at most. It ends with the dialog.
const terminalFor = 24 * time.Hour

// ErrTerminal is returned for an answer to an ask of the kind Terminal.
var ErrTerminal = errors.New("only its terminal can answer this")

// NewTerminal returns the ask for a dialog of a session. tool and text say what the dialog is
// about, as far as that is known; the ask keeps text masked.
func NewTerminal(id ID, of session.Session, tool, text string) Ask {
	sum := sha256.Sum256([]byte(tool + "\x00" + text))
	return Ask{
		ID:         id,
		Kind:       Terminal,
		Session:    of.ID,
		Tool:       tool,
		Text:       keep(text),
		Hash:       hex.EncodeToString(sum[:]),
		Cwd:        of.Cwd,
		Attended:   of.Attended,
		Background: of.Background,
	}
}
