package judge

import (
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/fspath"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"github.com/afar-sh/afar/coordinator/guard/protected"
)

// A Loss is something in a repository that a call may destroy, and that Afar can
// save before the call runs.
type Loss struct {
	Dir     string // where the program works
	Path    string // the file or tree, or a pattern for them; "" is every change in the work tree
	Ignored bool   // ignored files of the work tree are lost too
	Ref     string // a ref, by any of its names; "*" is all refs
	Stashes bool
}

// Losses returns what the effects of a call may destroy on this machine. Unknown
// code may destroy anything. A file that a tool of the host edits is not a loss:
// the host can undo its own edits.
func Losses(call effect.Call, effects []effect.Effect, cwd string) (out []Loss) {
	if lex.OneOf(call.Tool, "Write Edit MultiEdit NotebookEdit") {
		return nil
	}
	for _, e := range effects {
		if e.Dir == "" {
			e.Dir = cwd
		}
		l, ok := loss(e)
		switch {
		case !ok, e.Away != "", !wholePath(l.Dir), slices.Contains(out, l):
		default:
			out = append(out, l)
		}
	}
	return out
}

func loss(e effect.Effect) (l Loss, ok bool) {
	l.Dir = e.Dir
	switch e.Kind {
	case effect.DeleteFile, effect.DeleteTree, effect.MoveAway, effect.WriteFile, effect.DeleteCopies:
		l.Path = seenPart(e.Target)
		switch {
		case e.Op == effect.Find: // some of what lies there
			return Loss{Dir: l.Path, Ignored: true}, true
		case e.Op == effect.Create, e.Kind == effect.DeleteCopies && e.Op != effect.Local:
			return l, false
		}
	case effect.Discard:
		return discarded(l, e), true
	case effect.RewriteRefs:
		l.Ref = refName(e.Target, "*", "")
		return l, true
	case effect.PushForce, effect.PushDelete: // the remote-tracking branches
		l.Ref = refName(e.Target, "refs/remotes", "refs/remotes/*/")
		return l, true
	case effect.RunUnknown, effect.Unreadable:
		return l, e.Kind == effect.Unreadable || e.Op != ""
	default:
		return l, false
	}
	return l, strings.HasPrefix(l.Path, "/")
}

func discarded(l Loss, e effect.Effect) Loss {
	switch e.Op {
	case effect.StashDrop, effect.StashClear:
		l.Stashes = true
	case effect.Worktree:
		if wholePath(e.Target) {
			l.Dir = e.Target
		}
		l.Ignored = true
	case effect.CleanAll, effect.CleanIgnored:
		l.Ignored = true
	}
	return l
}

// refName returns the ref that target names, with prefix before it. It returns
// all if target names no ref or several.
func refName(target, all, prefix string) string {
	if !fspath.IsExact(target) || strings.ContainsAny(target, " :^~@") {
		return all
	}
	return prefix + target
}

// seenPart returns the directory of a path up to its first hole, or the whole
// path if it has no hole. It returns "" if the path may be anywhere.
func seenPart(path string) string { return before(path, partial.Holes) }

func undoRef(_ *judging, e *effect.Effect) bool { return protected.HoldsUndo(e.Target) }
