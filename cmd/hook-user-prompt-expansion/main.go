// The hook binary for the host's event UserPromptExpansion.
package main

import (
	"github.com/afar-sh/afar/hooks"
	"github.com/afar-sh/afar/hooks/judge"
)

func main() { hooks.Main(hooks.UserPromptExpansion(judge.Call)) }
