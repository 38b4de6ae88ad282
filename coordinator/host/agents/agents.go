// Package agents lists the agents that Afar can drive, by protocol.
package agents

import (
	"fmt"
	"maps"
	"path"
	"slices"

	"github.com/afar-sh/afar/coordinator/host"
	"github.com/afar-sh/afar/coordinator/host/acp"
	"github.com/afar-sh/afar/coordinator/host/claude/headless"
	"github.com/afar-sh/afar/coordinator/host/codex/appserver"
)

// protocols are the adapters.
var protocols = map[string]host.Agent{
	headless.Name:  headless.Agent{},
	acp.Protocol:   acp.Agent{},
	appserver.Name: appserver.Agent{},
}

// Default is the name of the agent of a run that names none.
const Default = headless.Name

// Settings are the settings of an agent.
type Settings struct {
	Protocol string
	Command  []string // its program first
	EnvFile  string
}

// Program returns the name of the agent's program.
func (s Settings) Program() string { return path.Base(s.Command[0]) }

// Abilities returns what the agent can do.
func (s Settings) Abilities() (can host.Abilities, err error) {
	adapter, err := Speaking(s.Protocol)
	if err == nil {
		can = adapter.Abilities(s.Program())
	}
	return can, err
}

// Speaking returns the adapter for a protocol.
func Speaking(protocol string) (host.Agent, error) {
	a, ok := protocols[protocol]
	if !ok {
		return nil, fmt.Errorf("unknown protocol %.40q; want one of %q", protocol, slices.Sorted(maps.Keys(protocols)))
	}
	return a, nil
}
