package ask

import (
	"cmp"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/grant"
	"github.com/afar-sh/afar/coordinator/internal/session"
)

// How long asks live when nobody says otherwise.
const (
	AttendedFor   = 30 * time.Minute // then the local dialog alone stays
	UnattendedFor = 10 * time.Minute // then it is refused
	SubagentFor   = 45 * time.Second // a subagent's dialog opens only after the hook
	RedialFor     = 5 * time.Second  // a hook whose connection broke may dial again
)

// Times are the person's own times for an ask, fixed when it is opened. A zero
// one is the usual one.
type Times struct {
	Grace      time.Duration `json:"grace,omitempty"`      // at the terminal, before the card goes out
	Attended   time.Duration `json:"attended,omitempty"`   // as AttendedFor
	Unattended time.Duration `json:"unattended,omitempty"` // as UnattendedFor
	Subagent   time.Duration `json:"subagent,omitempty"`   // as SubagentFor
	Grant      time.Duration `json:"grant,omitempty"`      // of an allow for the session
}

func (t Times) grace() time.Duration      { return cmp.Or(t.Grace, session.Grace) }
func (t Times) attended() time.Duration   { return cmp.Or(t.Attended, AttendedFor) }
func (t Times) unattended() time.Duration { return cmp.Or(t.Unattended, UnattendedFor) }
func (t Times) subagent() time.Duration   { return cmp.Or(t.Subagent, SubagentFor) }

// GrantFor is how long an allow for the session lasts.
func (t Times) GrantFor() time.Duration { return cmp.Or(t.Grant, grant.For) }
