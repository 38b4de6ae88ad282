// Package agents lists the agents that Afar can drive, by protocol.
package agents

import (
	"fmt"
	"maps"
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

// Speaking returns the adapter for a protocol.
func Speaking(protocol string) (host.Agent, error) {
	a, ok := protocols[protocol]
	if !ok {
		return nil, fmt.Errorf("unknown protocol %.40q; want one of %q", protocol, slices.Sorted(maps.Keys(protocols)))
	}
	return a, nil
}
