// Package acp drives agents that speak the Agent Client Protocol: JSON-RPC on stdin and
// stdout, in which the agent asks before it acts. Of the protocol it needs a dozen messages,
// so it reads them itself and keeps what it does not know.
package acp

import (
	"github.com/afar-sh/afar/coordinator/host"
	"github.com/afar-sh/afar/coordinator/internal/run"
)

// Protocol is the name of the protocol in the settings.
const Protocol = "acp"

// Agent is the adapter for all programs that speak the protocol.
type Agent struct{}

// A program is what Afar knows of one program that speaks the protocol.
type program struct {
	guard string   // which calls the guard judges
	args  []string // that make it ask
	env   []string // that make it ask, whatever the settings of the folder say
	mode  string   // its asking mode, "" if it has none
	plan  string   // its mode for plans, "" if it has none
}

// programs are the known programs, by name.
var programs = map[string]program{
	"gemini": {
		guard: host.AskedCalls,
		args:  []string{"--approval-mode", "default"},
		mode:  "default",
		plan:  "plan",
	},
	"opencode": {
		guard: host.EveryCall,
		env:   []string{`OPENCODE_PERMISSION={"*":"ask"}`},
		mode:  "build",
		plan:  "plan",
	},
}

// of returns what is known of a program. An unknown one asks when it wants to.
func of(name string) program {
	p, ok := programs[name]
	if !ok {
		p.guard = host.AskedCalls
	}
	return p
}

// Abilities returns what a program can do.
func (Agent) Abilities(name string) host.Abilities {
	p := of(name)
	modes := []string{run.AcceptEdits, run.Manual}
	if p.plan != "" {
		modes = append(modes, run.Plan)
	}
	return host.Abilities{
		Modes:     modes,
		Guard:     p.guard,
		Approvals: true,
		Resume:    true,
		Interrupt: true,
		Usage:     host.TokensOnly,
	}
}

// Start returns how a program is started for a turn.
func (Agent) Start(t host.Turn) (start host.Start, err error) {
	if err := check(t); err != nil {
		return start, err
	}
	p := of(t.Program)
	return host.Start{Args: p.args, Env: p.env}, nil
}

func check(t host.Turn) error {
	if err := host.CheckConversation(t.Conversation); err != nil {
		return err
	}
	if err := host.CheckThread(t.Thread); err != nil {
		return err
	}
	return host.CheckModel(t.Model)
}

// Talk returns the dialogue of a turn.
func (Agent) Talk(t host.Turn, prompt string) host.Talk { return newTalk(t, prompt) }
