// Package appserver is the adapter for codex. It speaks the JSON-RPC of `codex app-server` on
// stdin and stdout. docs/agents.md says what was seen of the program.
package appserver

import (
	"fmt"
	"slices"

	"github.com/afar-sh/afar/coordinator/host"
	"github.com/afar-sh/afar/coordinator/internal/run"
)

// Name is the name of the agent, of its protocol and of its program.
const Name = "codex"

// Agent is the adapter for codex.
type Agent struct{}

// Abilities returns what codex can do.
func (Agent) Abilities(string) host.Abilities {
	return host.Abilities{
		Modes:     modes(),
		Guard:     host.AskedCalls,
		Approvals: true,
		Resume:    true,
		Interrupt: true,
		Usage:     host.TokensOnly,
	}
}

// modes are the permission modes. Codex is in its strictest one in each of them, and asks. In
// acceptEdits Afar allows edits in the directory; in plan it refuses whatever codex asks for.
func modes() []string { return []string{run.AcceptEdits, run.Manual, run.Plan} }

// Start returns the arguments of the program. All else is said in the dialogue.
func (Agent) Start(t host.Turn) (host.Start, error) {
	if !slices.Contains(modes(), t.Mode) {
		return host.Start{}, fmt.Errorf("unknown permission mode %.60q of codex; want one of %q", t.Mode, modes())
	}
	if err := host.CheckThread(t.Thread); err != nil {
		return host.Start{}, err
	}
	if err := host.CheckModel(t.Model); err != nil {
		return host.Start{}, err
	}
	return host.Start{Args: []string{"app-server"}}, nil
}

// Talk returns the dialogue of one turn.
func (Agent) Talk(t host.Turn, prompt string) host.Talk { return newTalk(t, prompt) }
