// Command agent-run is what stands between an agent and the coordinator. It drives one turn of
// a run, as the parent of the agent's process; the coordinator starts it. As `agent-run mcp` it
// passes on the tool calls of an agent; `afar mcp` becomes it.
package main

import (
	"os"
	"slices"

	"github.com/afar-sh/afar/coordinator/agentrun"
	"github.com/afar-sh/afar/coordinator/relay"
)

func main() {
	if slices.Equal(os.Args[1:], []string{"mcp"}) {
		os.Exit(relay.Main())
	}
	os.Exit(agentrun.Main(os.Args[1:], os.Getenv))
}
