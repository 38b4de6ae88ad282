// The hook binary for the host's event PostToolBatch.
package main

import "github.com/afar-sh/afar/hooks"

func main() { hooks.Main(hooks.PostToolBatch) }
