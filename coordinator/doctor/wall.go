package doctor

import (
	"fmt"
	"os"
	"strings"

	"github.com/afar-sh/afar/coordinator/wall"
	"github.com/afar-sh/afar/coordinator/wire"
)

// wall says whether runs are behind a wall, and what the kernel does not stop.
func (x Exam) wall() wire.Check {
	if missing := wall.Missing(); missing != "" {
		return off("wall", missing, "")
	}
	if x.unset != nil || x.set.Runs.Wall == wall.Off { // the check of the settings says what is wrong there
		return off("wall", fmt.Sprintf("runs work without a wall; this kernel has one (Landlock ABI %d)", wall.ABI()),
			"runs.wall = \"on\" in config.toml; `afar wall --print` shows what it would let through")
	}
	root := ""
	if os.Geteuid() == 0 {
		root = "; you are root, who sees more than others behind it"
	}
	return ok("wall", "runs are behind a wall (%s, Landlock ABI %d). Not stopped: %s%s",
		x.set.Runs.Wall, wall.ABI(), strings.Join(wall.Gaps(wall.ABI()), "; "), root)
}

// sandboxes names the sessions in which the host's own sandbox is on. The guard does not rely on it: nothing that a hook
// gets says whether it holds for a call, and settings that a project brings open it.
func sandboxes(sessions []wire.Session) []wire.Check {
	var names []string
	for _, s := range sessions {
		if s.Sandbox {
			names = append(names, s.Token)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return []wire.Check{ok("sandbox", "settings switch Claude Code's own sandbox on in %s. The guard asks there as elsewhere, "+
		"because settings of a project can open it", strings.Join(names, ", "))}
}
