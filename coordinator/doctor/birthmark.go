package doctor

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/peer"
	"github.com/afar-sh/afar/coordinator/wire"
)

// These are the programs in which a person decides, by the names of their files: shells that lead a
// terminal, and hands, which are terminal multiplexers, editors and browsers. None should have a birthmark.
var (
	shells = []string{"bash", "dash", "elvish", "fish", "ksh", "mksh", "nu", "sh", "tcsh", "xonsh", "zsh"}
	hands  = []string{
		"abduco", "brave", "chrome", "chromium", "dtach", "emacs", "epiphany", "falkon", "firefox", "firefox-bin",
		"firefox-esr", "librewolf", "microsoft-edge", "msedge", "mosh-server", "opera", "screen", "tmux", "vivaldi",
		"vivaldi-bin", "zellij",
	}
)

// birthmarks names the terminals and browsers of the person that have a session's birthmark: what is
// decided in them does not count. It returns nothing if there is none.
func birthmarks(bearers []peer.Process) []wire.Check {
	var names []string
	for _, p := range bearers {
		name := filepath.Base(p.Exe)
		if isShell := p.Leads && p.Terminal && slices.Contains(shells, name); isShell || slices.Contains(hands, name) {
			names = append(names, fmt.Sprintf("%s (process %d)", name, p.PID))
		}
	}
	if len(names) == 0 {
		return nil
	}
	more := ""
	if n := len(names) - mostBearers; n > 0 {
		names, more = names[:mostBearers], fmt.Sprintf(" and %d more", n)
	}
	return []wire.Check{off("birthmark", "what you decide here does not count, as a session started it or marked it: "+
		strings.Join(names, ", ")+more, "decide on the phone, or in a new terminal or browser that no session started")}
}

// mostBearers is how many programs are named.
const mostBearers = 5
