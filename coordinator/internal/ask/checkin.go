package ask

import (
	"crypto/sha256"
	"encoding/hex"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/session"
)

// CheckIn is the kind of ask for a session that stopped while its person is away. It
// shows the session's last message; a reply is the next instruction.
const CheckIn Kind = "check-in"

// CheckInFor is how long a check-in accepts a reply.
const CheckInFor = 24 * time.Hour

// NewCheckIn returns the check-in of a session that wants to stop. said is its last
// message; the check-in keeps it masked.
func NewCheckIn(id ID, session session.ID, said, cwd string) Ask {
	sum := sha256.Sum256([]byte(said))
	return Ask{
		ID:       id,
		Kind:     CheckIn,
		Session:  session,
		Tool:     string(CheckIn),
		Text:     keep(said),
		Hash:     hex.EncodeToString(sum[:]),
		Cwd:      cwd,
		Attended: true,
	}
}

// ForCheckIn returns d in the form that a check-in uses. A text is the next instruction;
// without a text the session stops.
func (d Decision) ForCheckIn(text string) Decision {
	d.Allow, d.Message = text == "", text
	if !d.Allow {
		d.Scope = Once
	}
	return d
}

// Replied reports whether a is a check-in that was answered with a text.
func (a Ask) Replied() bool {
	return a.Kind == CheckIn && a.Decision != nil && a.Decision.Message != ""
}

// checkInEnding returns the result of How for an answered check-in.
func (a Ask) checkInEnding() string {
	verb := "dismissed by "
	if a.Replied() {
		verb = "answered by "
	}
	return verb + a.Decision.By + " at " + a.Decision.At.Format("15:04:05")
}

// outcomeCheckIn returns the result of Outcome for a check-in.
func (a Ask) outcomeCheckIn() string {
	switch {
	case !a.Replied():
		return ""
	case a.State == Delivered:
		return "the session has it"
	}
	return "waiting for the session to take it"
}
