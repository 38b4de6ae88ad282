// The hook binary that waits behind the host's event Stop, and wakes the
// session when a text comes for it. With --prompt the plugin's mod runs it, and it
// prints one text, for the mod to submit.
package main

import (
	"os"
	"slices"

	"github.com/afar-sh/afar/hooks"
)

func main() {
	if slices.Contains(os.Args[1:], "--prompt") {
		hooks.Main(hooks.StopPrompt)
	}
	hooks.Main(hooks.StopRewake)
}
