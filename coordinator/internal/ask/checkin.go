package ask

import (
	"crypto/sha256"
	"encoding/hex"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/session"
)

// CheckIn is a session that stopped while its person is away: what it said
// last, and room for a reply, which is its next instruction.
const CheckIn Kind = "check-in"

// CheckInFor is how long a check-in takes a reply.
const CheckInFor = 24 * time.Hour

// NewCheckIn makes the check-in of a session that wants to stop; said is its
// last message, which is kept masked.
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

// ForCheckIn returns the decision as a check-in takes it: a text is the next
// instruction, without one the session rests.
func (d Decision) ForCheckIn(text string) Decision {
	d.Allow, d.Message = text == "", text
	if !d.Allow {
		d.Scope = Once
	}
	return d
}

// Replied reports whether a is a check-in that a text answered.
func (a Ask) Replied() bool {
	return a.Kind == CheckIn && a.Decision != nil && a.Decision.Message != ""
}

// howCheckIn is How of a check-in that somebody answered.
func (a Ask) howCheckIn() string {
	verb := "dismissed by "
	if a.Replied() {
		verb = "answered by "
	}
	return verb + a.Decision.By + " at " + a.Decision.At.Format("15:04:05")
}

// outcomeCheckIn is Outcome of a check-in.
func (a Ask) outcomeCheckIn() string {
	switch {
	case !a.Replied():
		return ""
	case a.State == Delivered:
		return "the session has it"
	}
	return "waiting for the session to take it"
}
