// The hook binary that waits behind the host's event Stop, and wakes the
// session when a text comes for it.
package main

import "github.com/afar-sh/afar/hooks"

func main() { hooks.Main(hooks.StopRewake) }
