// Command agent-run drives one turn of a run: it is the parent of the agent's process. The
// coordinator starts it.
package main

import (
	"os"

	"github.com/afar-sh/afar/coordinator/agentrun"
)

func main() { os.Exit(agentrun.Main(os.Args[1:], os.Getenv)) }
