// The hook binary for the hooks of other agents' terminals; see package agentguard. Its argument names the agent.
package main

import (
	"os"

	"github.com/afar-sh/afar/hooks"
	"github.com/afar-sh/afar/hooks/agentguard"
	"github.com/afar-sh/afar/hooks/judge"
)

func main() {
	agent := agentguard.Named(os.Args[1:])
	os.Exit(agentguard.Run(agent, hooks.PreToolUse(judge.Call), os.Stdin, os.Stdout, os.Stderr, os.Getenv))
}
