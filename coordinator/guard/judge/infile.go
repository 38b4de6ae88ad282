package judge

import (
	"fmt"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/fspath"
)

// trusts reports whether an effect of a file needs no question. In a file only a known
// effect counts. A file of the project that was committed before the session is trusted
// with its effects, unless the call hands over what they depend on or a policy file made
// the rule stricter.
func (j *judging) trusts(e *effect.Effect, from string) bool {
	if e.Code.File == "" {
		return false
	}
	return e.Sure == effect.Possible || from == "" && !e.Code.Given && j.isKept(e.Code.File)
}

// maxKept bounds the files of a call that git is asked about.
const maxKept = 4

// isKept reports whether a file of the project is as in the last commit before the
// session began.
func (j *judging) isKept(file string) bool {
	if j.ctx.Kept == nil || !fspath.Within(file, j.project) {
		return false
	}
	return remembered(j.kept, file, maxKept, j.ctx.Kept)
}

// standsIn names a line of a file at the end of a text, "" for the call itself.
func standsIn(at effect.Spot) string {
	switch {
	case at.File == "":
		return ""
	case at.Line == 0:
		return fmt.Sprintf(" (in %s)", at.File)
	}
	return fmt.Sprintf(" (line %d of %s)", at.Line, at.File)
}
