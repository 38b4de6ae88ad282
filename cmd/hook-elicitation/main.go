// The hook binary for the host's event Elicitation.
package main

import "github.com/afar-sh/afar/hooks"

func main() { hooks.Main(hooks.Elicitation) }
