// The hook binary for the host's event PreToolUse.
package main

import (
	"github.com/afar-sh/afar/hooks"
	"github.com/afar-sh/afar/hooks/judge"
)

func main() { hooks.Main(hooks.PreToolUse(judge.Call)) }
