package judge

import (
	"path"
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/fspath"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"github.com/afar-sh/afar/coordinator/guard/protected"
)

// losesWork reports whether an effect destroys files that no commit has as they are and
// that are older than the session. It asks git last: most calls touch no such file.
func losesWork(j *judging, e *effect.Effect) bool {
	tree := e.Kind == effect.DeleteTree || e.Kind == effect.MoveAway
	switch {
	case e.Away != "", j.ctx.Unsaved == nil, keepsContent(j, e):
		return false
	case e.From != "":
		return j.overlays(e)
	}
	target := strings.TrimSuffix(j.resolvedPattern(e.Target), "/**")
	plain, whole := fspath.IsExact(target), target
	if tree {
		whole = strings.TrimSuffix(target, "/") + "/"
	}
	switch {
	case plain && !j.older(whole), tree && j.generated(whole):
		return false
	}
	lost := newPattern(target, tree)
	return slices.ContainsFunc(j.ctx.Unsaved(lost.base), func(file Unsaved) bool {
		switch {
		case !lost.takes(file.Path), j.generated(file.Path), j.history.kept(file):
			return false
		case plain && !tree: // it was asked already
			return true
		case !plain && strings.HasSuffix(file.Path, "/"):
			return j.losesBelow(lost, file.Path)
		}
		return j.older(file.Path)
	})
}

// losesBelow reports whether a pattern takes a file of an untracked directory that is older than the
// session.
func (j *judging) losesBelow(lost pattern, dir string) bool {
	files, known := j.filesIn(dir)
	if !known && j.older(dir) {
		return true
	}
	return slices.ContainsFunc(files, func(file string) bool {
		return lost.takes(file) && !j.generated(file) && j.older(file)
	})
}

// filesIn returns the paths in a directory, which ends with a slash, as those of directories do.
func (j *judging) filesIn(dir string) (files []string, known bool) {
	if j.ctx.FileText == nil {
		return nil, false
	}
	names, known := j.ctx.FileText(dir)
	for name := range strings.Lines(names) {
		files = append(files, dir+strings.TrimSuffix(name, "\n"))
	}
	return files, known
}

// nothingUnsaved reports whether it is known that a path that git restores holds nothing
// that this would overwrite.
func nothingUnsaved(j *judging, e *effect.Effect) bool {
	switch {
	case !plainHere(e), !j.knownHere(e), j.ctx.Unsaved == nil, strings.Contains(e.Target, ":"): // magic of a pathspec
		return false
	}
	target := j.realTarget(e.Target, e.Target)
	files := j.ctx.Unsaved(target)
	restored := newPattern(target, true)
	fromIndex := e.Op == effect.RestoreIndexed // it has what is staged, and nothing in place of what is untracked
	return files != nil && !slices.ContainsFunc(files, func(file Unsaved) bool {
		switch {
		case !restored.takes(file.Path), fromIndex && (file.Staged || file.Untracked):
			return false
		}
		return !j.history.kept(file)
	})
}

// stagesSecret reports whether git would add a credential that is older than the session, or the
// call commits one. Those of tests and examples do not count.
func stagesSecret(j *judging, e *effect.Effect) bool {
	switch {
	case e.Op == effect.CommittedSecret:
		return true
	case e.Away != "", j.ctx.Unsaved == nil:
		return false
	}
	added := newPattern(j.resolvedPattern(e.Target), true)
	const levels = 3
	return slices.ContainsFunc(j.ctx.Unsaved(added.base), func(file Unsaved) bool {
		return added.takes(file.Path) && j.holdsOldSecret(file.Path, levels)
	})
}

// holdsOldSecret reports whether a file is a credential that is older than the session. A path with
// a slash at the end is a directory, which is looked into for some levels.
func (j *judging) holdsOldSecret(file string, levels int) bool {
	switch directory := strings.HasSuffix(file, "/"); {
	case directory && levels > 0:
		files, _ := j.filesIn(file)
		return slices.ContainsFunc(files, func(f string) bool { return j.holdsOldSecret(f, levels-1) })
	case directory, protected.Committed(file), forTests(file):
		return false
	}
	return protected.SecretPath(file, j.home) && j.older(file)
}

// forTests reports whether a path says that a file is for tests, or an example.
func forTests(file string) bool {
	return lex.ContainsAny(lex.VerbWords(file), "test tests testdata spec fixture fixtures example examples "+
		"sample samples mock mocks dummy fake")
}

// overlays reports whether a copy of a tree replaces such a file: the tree has one of the same
// name.
func (j *judging) overlays(e *effect.Effect) bool {
	if !plainHere(e) || j.ctx.Exists == nil {
		return false
	}
	dir := j.real(e.Target) + "/"
	return slices.ContainsFunc(j.ctx.Unsaved(dir), func(file Unsaved) bool {
		name, below := strings.CutPrefix(file.Path, dir)
		switch {
		case !below, strings.HasSuffix(name, "/"), j.generated(file.Path), !j.ctx.Exists(e.From + "/" + name):
			return false
		}
		return j.older(file.Path)
	})
}

// keepsContent reports whether a write keeps what the file had: it appends, edits
// in place, or comes after the call has read the file.
func keepsContent(j *judging, e *effect.Effect) bool {
	switch {
	case e.Kind != effect.WriteFile:
		return false
	case e.Op != "" && e.Op != effect.Truncate:
		return true
	}
	return j.history.wasRead(e.Target) || j.history.readsItself(e)
}

// A history is the files that the call has used before the effect that is judged.
type history struct {
	effects []effect.Effect
	at      int // the effect that is judged
	seen    int // the effects that are in the sets
	reads   map[string]bool
	writes  map[string]bool
	saves   []*effect.Effect // that keep work
}

// wasRead reports whether an earlier effect of the call reads the file.
func (h *history) wasRead(file string) bool {
	h.look()
	return h.reads[file]
}

// readsItself reports whether the program that writes a file also reads it. Its
// arguments may be read after the call of the function that writes.
func (h *history) readsItself(w *effect.Effect) bool {
	const near = 32
	for _, e := range h.effects[h.at:min(h.at+near, len(h.effects))] {
		switch {
		case w.Via == "", e.Via != w.Via, e.Part != w.Part:
			return false
		case e.Kind == effect.ReadFile && e.Target == w.Target:
			return true
		}
	}
	return false
}

// wasWritten reports whether an earlier effect of the call writes the file, or a
// directory that holds it.
func (h *history) wasWritten(file string) bool {
	h.look()
	for len(file) > 1 && !h.writes[file] {
		file = fspath.Dir(file)
	}
	return len(file) > 1
}

// kept reports whether the call has committed or stashed a file before.
func (h *history) kept(file Unsaved) bool {
	h.look()
	staged, stashed := file.Staged, false
	for _, e := range h.saves {
		if e.Target != "" && !fspath.Within(strings.TrimSuffix(file.Path, "/"), e.Target) {
			continue
		}
		switch e.Op {
		case effect.Stage:
			staged = true
		case effect.Commit:
			if staged {
				return true
			}
		case effect.CommitAll:
			if staged || !file.Untracked {
				return true
			}
		case effect.Stash:
			stashed = stashed || staged || !file.Untracked
		case effect.StashAll:
			stashed = true
		case effect.StashPop:
			stashed = false
		}
	}
	return stashed
}

// look brings the sets up to date.
func (h *history) look() {
	if h.reads == nil {
		h.reads, h.writes = map[string]bool{}, map[string]bool{}
	}
	for ; h.seen < h.at; h.seen++ {
		switch e := &h.effects[h.seen]; {
		case e.Away != "":
		case e.Kind == effect.KeepWork:
			h.saves = append(h.saves, e)
		case e.Kind == effect.ReadFile:
			h.reads[e.Target] = true
		case e.Kind == effect.WriteFile:
			h.writes[e.Target] = true
		}
	}
}

// older reports whether the file at a path may be older than the session; with a slash at the end,
// whether anything in it may be.
func (j *judging) older(path string) bool { return j.ctx.Older == nil || j.ctx.Older(path) }

// resolvedPattern returns a path with the links of its directories resolved, up to
// its first pattern.
func (j *judging) resolvedPattern(p string) string {
	if fspath.IsExact(p) {
		return j.realTarget(p, p)
	}
	base := beforeHole(p)
	return strings.TrimSuffix(j.real(base), "/") + p[len(base):]
}

// beforeHole returns the directory of a path up to its first pattern or hole, or
// the path itself if it has none.
func beforeHole(p string) string { return before(p, "*?["+partial.Holes) }

// before returns the directory of a path up to the first of some characters, or the path itself if
// it has none.
func before(p, characters string) string {
	i := strings.IndexAny(p, characters)
	if i < 0 {
		return p
	}
	return p[:max(strings.LastIndexByte(p[:i], '/'), 0)]
}

// A pattern is a path that may stand for several files. A part that is a hole
// stands for any number of directories.
type pattern struct {
	base  string // the directory up to the first pattern or hole, or the whole path
	parts []string
	tree  bool // what lies below the path counts too
}

// mostHoles bounds the holes of a pattern. One with more names nothing that could be
// compared.
const mostHoles = 3

func newPattern(target string, tree bool) pattern {
	target = strings.TrimSuffix(target, "/")
	p := pattern{base: beforeHole(target), parts: strings.Split(target, "/"), tree: tree}
	holes := 0
	for i, part := range p.parts {
		switch {
		case !isHole(part):
		case i == len(p.parts)-1, holes == mostHoles:
			return pattern{}
		default:
			holes++
		}
	}
	return p
}

// isHole reports whether a part of a path stands for any number of directories.
func isHole(part string) bool {
	switch strings.Trim(part, partial.Holes) {
	case "**":
		return true
	case "":
		return part != ""
	}
	return false
}

// takes reports whether the pattern may match a file, or a file in the directory
// that ends with a slash.
func (p pattern) takes(file string) bool {
	name, directory := strings.CutSuffix(file, "/")
	switch {
	case p.base == "":
		return false
	case !fspath.Within(name, p.base) && !fspath.Within(p.base, name):
		return false
	}
	return p.match(p.parts, strings.Split(name, "/"), directory)
}

func (p pattern) match(want, have []string, directory bool) bool {
	for i, part := range want {
		if i == len(have) {
			return directory
		}
		if isHole(part) { // the parts behind it match in any directory
			for n := range have[i:] {
				if p.match(want[i+1:], have[i+n:], directory) {
					return true
				}
			}
			return false
		}
		if ok, _ := path.Match(starred(part), have[i]); !ok {
			return false
		}
	}
	return p.tree || len(want) == len(have) && !directory
}

// starred returns a part of a pattern with a star for each hole.
func starred(part string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(partial.Holes, r) {
			return '*'
		}
		return r
	}, part)
}

const generatedEnds = ".log .out .tmp .pyc .o .obj .class .swp .prof .test -lock.json .lock .sum .lockb " +
	"-lock.yaml .map .tsbuildinfo .pid"

// generated reports whether a file of the project is made by a tool that can make
// it again.
func (j *judging) generated(file string) bool {
	file = strings.TrimPrefix(file, j.real(j.project)+"/")
	return lex.EndsWith(file, generatedEnds) || fspath.InMade(file, fspath.Generated)
}

// absent reports whether it is known that nothing is there to be deleted.
func absent(j *judging, e *effect.Effect) bool {
	if !plainHere(e) || j.ctx.Exists == nil || fspath.IsDrive(e.Target) { // a drive of Windows, from WSL
		return false
	}
	target := e.Target
	if e.Kind == effect.DeleteTree {
		target = strings.TrimSuffix(target, "/") + "/"
	}
	return !j.ctx.Exists(target) && !j.history.wasWritten(e.Target)
}

// overwrites reports whether it is known that the effect replaces a file that the
// session did not make.
func overwrites(j *judging, e *effect.Effect) bool {
	switch {
	case !plainHere(e), e.Op != "", j.ctx.Exists == nil,
		created(j, e),
		rebuilt(j, e),
		j.history.wasRead(e.Target):
		return false
	}
	return j.ctx.Exists(e.Target)
}

// plainHere reports whether the target is one known path of this machine.
func plainHere(e *effect.Effect) bool {
	return e.Away == "" && fspath.IsExact(e.Target)
}
