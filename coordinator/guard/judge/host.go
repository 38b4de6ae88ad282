package judge

import (
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/fspath"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/protected"
)

// modFile reports whether the target makes the host load a mod: it lies in
// dev-mods, or it lists the hooks and modules of a skill.
func modFile(j *judging, e *effect.Effect) bool {
	return j.eitherHere(e, j.loadsMod)
}

// loadsMod is modFile for one path.
func (j *judging) loadsMod(p string) bool {
	tail, _ := protected.HostFolder(p, j.ctx.Env)
	if fspath.Within(tail, "/dev-mods") {
		return true
	}
	rest, ok := strings.CutPrefix(tail, "/skills/")
	if !ok {
		return false
	}
	_, file, _ := strings.Cut(rest, "/")
	return fspath.WithinAny(file, "hooks .claude-plugin") || lex.OneOf(fspath.Base(file), "hooks.json plugin.json")
}

// skillFile reports whether the target is a skill of the host, a file of one, or
// the folder of all skills.
func skillFile(j *judging, e *effect.Effect) bool {
	if e.Op == effect.Create {
		return false
	}
	return j.eitherHere(e, func(p string) bool {
		tail, _ := protected.HostFolder(p, j.ctx.Env)
		return fspath.Within(tail, "/skills")
	})
}
