// Package acp drives agents that speak the Agent Client Protocol: JSON-RPC on stdin and
// stdout, in which the agent asks before it acts. Of the protocol it needs a dozen messages,
// so it reads them itself and keeps what it does not know.
package acp

import (
	"fmt"
	"path"
	"slices"
	"time"

	"github.com/afar-sh/afar/coordinator/host"
	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/wire"
)

// Protocol is the name of the protocol in the settings.
const Protocol = "acp"

// Agent is the adapter for all programs that speak the protocol.
type Agent struct{}

// A program is what Afar knows of one program that speaks the protocol.
type program struct {
	args  []string                  // that make it ask
	env   func(dir string) []string // that makes it ask, whatever the settings of the folder say
	mode  string                    // its asking mode, "" if it has none
	plan  string                    // its mode for plans, "" if it has none
	costs bool                      // it tells what a conversation has cost
	// resumes is the argument before the id of a conversation that the program continues, "" if
	// it needs none.
	resumes string
	// spoils is true for a program that spoils a conversation if it starts again in the minute in
	// which the conversation began.
	spoils bool
	lost   string // what a person can do when a conversation cannot be continued
}

// programs are the known programs, by name. Each makes some calls unasked: gemini reads and
// runs commands that only read, and opencode does what the person's own settings allow.
//
// The files of gemini's conversations are named by the minute and the conversation. It begins a
// new file before it looks for the one that it shall continue; in the same minute that is the same
// file. When it starts, it cleans up: it takes the new files, which stay empty, for broken, and
// removes all files of their conversations, except of the one that --resume names.
var programs = map[string]program{
	"gemini": {
		args:    []string{"--approval-mode", "default"},
		mode:    "default",
		plan:    "plan",
		resumes: "--resume",
		spoils:  true,
		lost: "another gemini in this directory has cleaned up; set general.sessionRetention.enabled to false " +
			"in ~/.gemini/settings.json, and start a new run",
	},
	"opencode": {
		env:   opencodeEnv,
		mode:  "build",
		plan:  "plan",
		costs: true,
	},
}

// opencodeEnv makes opencode ask for all calls, and leave out the settings and plugins of the
// folder, which could allow calls. The instructions of the folder stay.
func opencodeEnv(dir string) []string {
	instructions := wire.NewObject().Strs("instructions", []string{path.Join(dir, "AGENTS.md")})
	return []string{
		`OPENCODE_PERMISSION={"*":"ask"}`,
		"OPENCODE_DISABLE_PROJECT_CONFIG=1",
		"OPENCODE_CONFIG_CONTENT=" + string(instructions.Bytes()),
	}
}

// Abilities returns what a program can do.
func (Agent) Abilities(name string) host.Abilities {
	p := programs[name]
	modes := []string{run.AcceptEdits, run.Manual}
	if p.plan != "" {
		modes = append(modes, run.Plan)
	}
	can := host.Abilities{
		Modes:     modes,
		Guard:     host.AskedCalls,
		Approvals: true,
		Resume:    true,
		Interrupt: true,
		Usage:     host.TokensOnly,
	}
	if p.costs {
		can.Usage = host.CostAndTokens
	}
	return can
}

// Start returns how a program is started for a turn.
func (Agent) Start(t host.Turn) (start host.Start, err error) {
	if err := check(t); err != nil {
		return start, err
	}
	p := programs[t.Program]
	start.Args = slices.Clone(p.args)
	if p.env != nil {
		start.Env = p.env(t.Dir)
	}
	known := t.Resumes && t.Thread != ""
	if known && p.resumes != "" {
		start.Args = append(start.Args, p.resumes, t.Thread)
	}
	if known && p.spoils && !t.ThreadAt.IsZero() {
		start.NotBefore = t.ThreadAt.Truncate(time.Minute).Add(time.Minute)
		start.Waits = t.Program + " would lose a conversation that it continues in the minute in which it began it"
	}
	return start, nil
}

// check returns an error if no turn can be like t.
func check(t host.Turn) error {
	if !slices.Contains(Agent{}.Abilities(t.Program).Modes, t.Mode) {
		return fmt.Errorf("unknown permission mode %.60q; want one of %q", t.Mode, Agent{}.Abilities(t.Program).Modes)
	}
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
