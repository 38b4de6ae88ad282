package ask

import (
	"cmp"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/grant"
	"github.com/afar-sh/afar/coordinator/internal/session"
)

// The default time limits of asks.
const (
	AttendedFor   = 30 * time.Minute // afterwards only the local dialog stays
	UnattendedFor = 10 * time.Minute // afterwards the call is refused
	SubagentFor   = 45 * time.Second // short, because a subagent's dialog opens only after the hook
	RedialFor     = 5 * time.Second  // the time for a hook to reconnect after its connection broke
)

// Times are the person's own time limits for an ask, fixed when it is opened. A zero value
// means the default.
type Times struct {
	Grace      time.Duration `json:"grace,omitempty"`      // how long the card waits for an answer at the terminal
	Attended   time.Duration `json:"attended,omitempty"`   // replaces AttendedFor
	Unattended time.Duration `json:"unattended,omitempty"` // replaces UnattendedFor
	Subagent   time.Duration `json:"subagent,omitempty"`   // replaces SubagentFor
	Grant      time.Duration `json:"grant,omitempty"`      // how long an allow for the session lasts
}

func (t Times) grace() time.Duration      { return cmp.Or(t.Grace, session.Grace) }
func (t Times) attended() time.Duration   { return cmp.Or(t.Attended, AttendedFor) }
func (t Times) unattended() time.Duration { return cmp.Or(t.Unattended, UnattendedFor) }
func (t Times) subagent() time.Duration   { return cmp.Or(t.Subagent, SubagentFor) }

// GrantFor returns how long an allow for the session lasts.
func (t Times) GrantFor() time.Duration { return cmp.Or(t.Grant, grant.For) }
