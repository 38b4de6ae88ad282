// The hook binary for the host's event SubagentStart.
package main

import "github.com/afar-sh/afar/hooks"

func main() { hooks.Main(hooks.SubagentStart) }
