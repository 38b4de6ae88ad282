package doctor

import (
	"github.com/afar-sh/afar/coordinator/policy"
	"github.com/afar-sh/afar/coordinator/wire"
)

// policies checks the guard's policy files of the person and of this project.
func (x Exam) policies() []wire.Check {
	files := policy.Files(x.Dirs, x.Cwd, x.Project)
	if len(files) == 0 {
		return []wire.Check{ok("policy", "the guard's built-in rules, no guard.toml here")}
	}
	var out []wire.Check
	for _, f := range files {
		out = append(out, policyCheck(f))
	}
	return out
}

func policyCheck(f policy.File) wire.Check {
	switch f.State {
	case policy.Broken:
		return bad("policy", f.Path+" is broken, so only built-in rules hold: "+f.Err.Error(),
			"mend that line; `afar guard explain ls` reads it again")
	case policy.Untrusted:
		return off("policy", f.Path+" makes rules stricter; "+f.Quieted(), "look at it, then: afar guard trust "+f.Path)
	case policy.Changed:
		return off("policy", f.Path+" has changed since it was trusted; it only makes rules stricter",
			"look at it, then: afar guard trust "+f.Path)
	}
	return ok("policy", "%s is in force", f.Path)
}
