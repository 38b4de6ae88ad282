package shell

import (
	"path"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/fspath"
	"github.com/afar-sh/afar/coordinator/guard/partial"
)

// What a call has moved is still what it was: to delete it at its new place loses it.

// A move is a file, a tree or a pattern that a call has moved. At from it lay before the call.
type move struct{ from, to string }

// Moved notes that a file or a tree is at another path now, or in it if that is a directory.
func (sh *Shell) Moved(from, to string) {
	from, to = sh.Path(from), sh.Path(to)
	for i := range sh.Eval.links {
		if l := &sh.Eval.links[i]; l.path == from {
			l.path = to
		}
	}
	if sh.Place.Away != "" || partial.HasHole(from+to) || len(sh.Eval.moves) >= 2*MaxAliases {
		return
	}
	base := "/" + fspath.Base(from)
	for _, origin := range append(sh.Eval.origins(from, true), from) {
		sh.Eval.moves = append(sh.Eval.moves, move{origin, to}, move{origin, to + base})
	}
}

// origins returns where that lay before the call which now is at a path; with tree, also what now
// is below it.
func (a *aliases) origins(p string, tree bool) (out []string) {
	folder, all := strings.CutSuffix(p, "/*")
	for _, m := range a.moves {
		matches, _ := path.Match(p, m.to)
		switch {
		case fspath.Within(p, m.to):
			out = append(out, m.from+p[len(m.to):])
		case matches, tree && fspath.Within(m.to, p), tree && all && fspath.Within(m.to, folder):
			out = append(out, m.from)
		}
	}
	return out
}

// isGone reports whether the call has moved away what was at a path.
func (a *aliases) isGone(p string) bool {
	for _, m := range a.moves {
		if fspath.Within(p, m.from) && !fspath.Within(m.to, p) {
			return true
		}
	}
	return false
}

// followsMoves returns an effect as it is after the moves of this call, and the same effect on
// what has been moved to its target.
func (sh *Shell) followsMoves(e effect.Effect) (now effect.Effect, moved []effect.Effect) {
	overwrites := e.Kind == effect.WriteFile && (e.Op == "" || e.Op == effect.Truncate)
	switch {
	case len(sh.Eval.moves) == 0, e.Away != "":
		return e, nil
	case overwrites, e.Kind == effect.DeleteFile, e.Kind == effect.DeleteTree, e.Kind == effect.ReadFile:
	default:
		return e, nil
	}
	for _, from := range sh.Eval.origins(e.Target, e.Kind == effect.DeleteTree) {
		again := e
		again.Target = from
		moved = append(moved, again)
	}
	if overwrites && sh.uncertain == 0 && sh.Eval.isGone(e.Target) {
		e.Op = effect.Create
	}
	return e, moved
}
