// The hook binary for the host's event PermissionRequest.
package main

import (
	"github.com/afar-sh/afar/hooks"
	"github.com/afar-sh/afar/hooks/judge"
)

func main() { hooks.Main(hooks.PermissionRequest(judge.Call)) }
