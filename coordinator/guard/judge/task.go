package judge

import (
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/fspath"
	"github.com/afar-sh/afar/coordinator/guard/lex"
)

// ofAfar are the files of a task's folder that Afar writes, or from which the host takes its
// instructions, hooks and servers. They are in lower case: some file systems ignore case.
const ofAfar = "claude.md claude.local.md agents.md .claude .mcp.json"

// inWorkspace returns the region of a path in one of Afar's directories.
func (j *judging) inWorkspace(p string) region {
	slug, rest := j.inTasks(p)
	head, _, _ := strings.Cut(rest, "/")
	own := slug == j.worksOn()
	switch {
	case slug == "", own && lex.OneOf(strings.ToLower(head), ofAfar):
		return inOwn
	case !own:
		return inTask
	}
	return inNowhere
}

// inTasks returns the name of the task in whose folder a path lies, "" for none, and the
// path in that folder.
func (j *judging) inTasks(p string) (slug, rest string) {
	if j.ctx.Tasks == "" {
		return "", ""
	}
	tasks := fspath.Slashed(j.ctx.Tasks)
	below, ok := strings.CutPrefix(p, tasks+"/")
	if !ok {
		below, ok = strings.CutPrefix(p, j.real(tasks)+"/")
	}
	if !ok {
		return "", ""
	}
	slug, rest, _ = strings.Cut(below, "/")
	return slug, rest
}

// worksOn returns the name of the task that the session works on, "" for none. Few calls need
// it, so that it is looked up at the first one.
func (j *judging) worksOn() string {
	if j.task == nil {
		slug, _ := j.inTasks(j.project)
		if slug == "" {
			slug, _ = j.inTasks(j.real(j.project))
		}
		j.task = &slug
	}
	return *j.task
}

// outsideTask reports whether a session that works on a task changes something on this machine
// that is neither in the folder of the task nor temporary.
func outsideTask(j *judging, e *effect.Effect) bool { return e.Away == "" && j.worksOn() != "" }
