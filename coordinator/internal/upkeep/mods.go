package upkeep

import (
	"cmp"
	"path/filepath"

	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/host/claude"
	"github.com/afar-sh/afar/coordinator/host/claude/mods"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/wire"
)

// Overrules names the mods that could overrule the guard in a session.
func (a *Auditor) Overrules(v session.Session) (ids []string) {
	for _, m := range mods.Find(a.hostDir(v), v.Project, home.PluginID) {
		ids = append(ids, m.ID)
	}
	return ids
}

// hostDir returns the host's configuration directory of a session.
func (a *Auditor) hostDir(v session.Session) string {
	return cmp.Or(claude.ConfigDir(v.Transcript), a.dirs.HostDir())
}

// Guard returns how hard it is to bypass the guard, in the person's own set-up and in the
// sessions that run now.
func (a *Auditor) Guard() wire.Guard {
	hostDir := a.dirs.HostDir()
	grade, why := mods.GradeOf(hostDir, filepath.Dir(a.bin), home.PluginID)
	out := wire.Guard{Grade: string(grade), Why: why, Mods: []wire.Mod{}}
	found := mods.Find(hostDir, "", home.PluginID)
	for _, v := range a.core.Sessions() {
		if v.State != session.Ended {
			found = append(found, mods.Find(a.hostDir(v), v.Project, home.PluginID)...)
		}
	}
	seen := map[string]bool{}
	for _, m := range found {
		if key := m.ID + "\n" + m.Dir; !seen[key] {
			seen[key] = true
			out.Mods = append(out.Mods, wire.Mod(m))
		}
	}
	return out
}
