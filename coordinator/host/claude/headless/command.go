// Package headless runs turns of a conversation by `claude -p`: the arguments of the client,
// and what its output means.
package headless

import (
	"fmt"
	"strconv"

	"github.com/afar-sh/afar/coordinator/host"
	"github.com/afar-sh/afar/coordinator/host/claude"
	"github.com/afar-sh/afar/coordinator/internal/run"
)

// Name is the name of the agent, of its protocol and of its program.
const Name = "claude"

// Agent is the adapter for the client.
type Agent struct{}

// Abilities returns what the client can do.
func (Agent) Abilities(string) host.Abilities {
	return host.Abilities{
		Modes:     run.Modes(),
		Guard:     host.EveryCall,
		Approvals: true,
		Resume:    true,
		Interrupt: true,
		Usage:     host.CostAndTokens,
		Text:      true,
		Survives:  true,
		Keeps:     true,
		Terminal:  true,
	}
}

// Stream returns a reader of the lines of one turn.
func (Agent) Stream() host.Stream { return newStream() }

// protected are the settings that keep the hooks, the plugin and the guard's sight on, whatever the
// settings of the folder say. They need no quoting.
var protected = `"disableAllHooks":false,"enabledPlugins":{"afar@afar":true},` + claude.Strong

// settings also let texts from outside in.
var settings = `{` + protected + `,"crossSessionInbound":"accept"}`

// modes are the client's names of the permission modes. All supported clients know them.
var modes = map[string]string{
	run.Auto:        "auto",
	run.AcceptEdits: "acceptEdits",
	run.Manual:      "default",
	run.Plan:        "plan",
}

// modeOf returns the client's name of the permission mode, or an error if t cannot be a turn.
func modeOf(t host.Turn) (mode string, err error) {
	mode, ok := modes[t.Mode]
	if !ok {
		return "", fmt.Errorf("unknown permission mode %.60q; want one of %q", t.Mode, run.Modes())
	}
	if err := host.CheckConversation(t.Conversation); err != nil {
		return "", err
	}
	return mode, host.CheckModel(t.Model)
}

// Start returns the arguments of the client for a turn. The prompt is its stdin.
func (Agent) Start(t host.Turn) (start host.Start, err error) {
	mode, err := modeOf(t)
	if err != nil {
		return start, err
	}
	id := "--session-id"
	if t.Resumes {
		id = "--resume"
	}
	start.Args = []string{"-p", "--output-format", "stream-json", "--verbose", "--permission-mode", mode}
	if len(t.Servers) > 0 {
		if start.Servers, err = serversFile(t.Servers); err != nil {
			return start, err
		}
		start.Args = append(start.Args, "--mcp-config", t.ServersFile) // an option must follow: it takes several files
	}
	start.Args = append(start.Args, "--settings", settings, id, t.Conversation)
	if t.Model != "" {
		start.Args = append(start.Args, "--model", t.Model)
	}
	if t.BudgetUSD > 0 {
		start.Args = append(start.Args, "--max-budget-usd", strconv.FormatFloat(t.BudgetUSD, 'f', 4, 64))
	}
	return start, nil
}
