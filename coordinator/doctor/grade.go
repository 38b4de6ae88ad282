package doctor

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/host/claude"
	"github.com/afar-sh/afar/coordinator/host/claude/mods"
	"github.com/afar-sh/afar/coordinator/wire"
)

// guardChecks returns how hard it is to get past the guard: its grade, the mods that
// can overrule it, and the settings that switch hooks off.
func (x Exam) guardChecks() []wire.Check {
	hostDir, project := x.hostDir(), x.Project
	grade, why := mods.GradeOf(hostDir, filepath.Dir(x.Bin), home.PluginID)
	checks := []wire.Check{gradeCheck(grade, why), modsCheck(grade, mods.Find(hostDir, project, home.PluginID))}
	checks = append(checks, hooksOffChecks(hostDir, project)...)
	return append(checks, x.weakened(hostDir, project)...)
}

// weakened returns a check for each variable of the client that weakens the guard, in the
// person's environment and in the settings.
func (x Exam) weakened(hostDir, project string) (checks []wire.Check) {
	for _, name := range claude.Weakening {
		places := map[string]string{"the environment": x.Getenv(name)}
		for _, path := range mods.SettingsFiles(hostDir, project) {
			var settings struct {
				Env map[string]any `json:"env"`
			}
			raw, _ := os.ReadFile(path) // most are not there
			_ = json.Unmarshal(raw, &settings)
			if v, ok := settings.Env[name]; ok {
				places[path] = fmt.Sprint(v)
			}
		}
		for _, place := range slices.Sorted(maps.Keys(places)) {
			if v := places[place]; v != "" && v != "0" && v != "false" {
				checks = append(checks, off("weakened", name+" is set in "+place+
					": in sessions with it the guard may not see each call, or its questions are lost", "remove it"))
			}
		}
	}
	return checks
}

func gradeCheck(grade mods.Grade, why string) wire.Check {
	switch grade {
	case mods.Locked:
		return ok("grade", "locked: settings that only root writes keep the guard on and other mods out")
	case mods.Held:
		return ok("grade",
			"held: the guard is on, and no other mod overrules what it denies or asks; one that answers calls itself, "+
				"and a session that a project starts without Afar, raise an alarm")
	}
	return off("grade", "plain: another plugin's mod can overrule the guard; "+why,
		installFix+" without --no-hold, or see afar lock --print")
}

func modsCheck(grade mods.Grade, found []mods.Mod) wire.Check {
	var names []string
	for _, m := range found {
		names = append(names, m.ID+" ("+strings.Join(m.Events, ", ")+") in "+m.Dir)
	}
	text := strings.Join(names, "; ")
	switch {
	case len(found) == 0:
		return ok("mods", "no other enabled plugin can decide about calls")
	case grade == mods.Locked:
		return ok("mods", "kept out by the lock: %s", text)
	case grade == mods.Held:
		return ok("mods", "held, but for calls that they answer themselves: %s", text)
	}
	return off("mods", "can overrule the guard: "+text, "switch off what you do not trust: claude plugin disable NAME")
}

// hooksOffChecks returns a check for each settings file that switches all hooks off.
func hooksOffChecks(hostDir, project string) (checks []wire.Check) {
	for _, path := range mods.SettingsFiles(hostDir, project) {
		if mods.HooksOff(path) {
			checks = append(checks,
				bad("hooks", path+" switches all hooks off: sessions that read it run without the guard",
					"take disableAllHooks out of it"))
		}
	}
	return checks
}
