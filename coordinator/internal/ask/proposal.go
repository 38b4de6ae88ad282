package ask

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/internal/session"
)

// Proposal is the kind of ask in which a session proposes a run. An allow starts the run.
const Proposal Kind = "proposal"

// proposalFor is how long a proposal accepts an answer.
const proposalFor = 24 * time.Hour

// A Proposed is the run that a session proposes.
type Proposed struct {
	Run    run.Run `json:"run"`    // not started
	Prompt string  `json:"prompt"` // as it is; the ask's Text holds it masked
	// Machine is the other machine of the fleet that starts it, by its fingerprint, and In the request to it; "" for this
	// machine.
	Machine string          `json:"machine,omitempty"`
	In      json.RawMessage `json:"in,omitempty"`
}

// NewProposal returns the ask in which a session proposes a run. does says in words what an
// allow starts.
func NewProposal(id ID, by session.ID, p Proposed, does string) Ask {
	cwd := p.Run.Dir
	if p.Machine != "" {
		cwd = "" // the directory is on another machine
	}
	sum := sha256.Sum256([]byte(fmt.Sprintf("%s\x00%s\x00%s", p.Run.ID, does, p.Prompt)))
	return Ask{
		ID:       id,
		Kind:     Proposal,
		Session:  by,
		Tool:     "run",
		Text:     keep(p.Prompt),
		Hash:     hex.EncodeToString(sum[:]),
		Cwd:      cwd,
		Does:     does,
		Proposed: &p,
	}
}

// Hookless reports whether no hook waits for the answer to a.
func (a Ask) Hookless() bool { return a.Kind == CheckIn || a.Kind == Terminal || a.Aside() }

// Starts reports whether a is a proposal that was allowed.
func (a Ask) Starts() bool { return a.Kind == Proposal && a.Decision != nil && a.Decision.Allow }

// outcomeProposal returns the result of Outcome for a proposal.
func (a Ask) outcomeProposal() string {
	switch {
	case a.Starts():
		return "run " + a.Proposed.Run.Name
	case a.Decision != nil:
		return "not started"
	}
	return ""
}
