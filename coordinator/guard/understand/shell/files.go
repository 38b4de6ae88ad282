package shell

import (
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/fspath"
	"github.com/afar-sh/afar/coordinator/guard/protected"
)

// Deletes reports a deletion. A slash at the end of word is kept, because "link/"
// deletes the target of the link.
func (sh *Shell) Deletes(kind effect.Kind, op effect.Op, word string) {
	p := sh.Path(word)
	if strings.HasSuffix(p, EveryFile) {
		kind = effect.DeleteTree
	}
	if len(word) > 1 && strings.HasSuffix(word, "/") && p != "/" {
		p += "/"
	}
	sh.Effect(kind, op, p)
	if sh.uncertain == 0 {
		sh.Eval.dropLink(p)
	}
}

// Overlays reports a copy of a tree into a directory. It replaces the files there that have the
// names of files in the tree.
func (sh *Shell) Overlays(dir, tree string) {
	dir, away := sh.Place.locate(dir)
	sh.report(effect.Effect{Kind: effect.WriteFile, Target: dir, Away: away, From: tree})
}

// EveryFile stands for all files below the root of a find without conditions.
const EveryFile = "/**"

// IsOwn reports whether a path is a policy file or one of Afar's own files.
func (sh *Shell) IsOwn(p string) bool {
	if strings.EqualFold(fspath.Base(p), protected.PolicyFile) {
		return true
	}
	for _, dir := range sh.Eval.Site.Own {
		if fspath.Within(p, dir) {
			return true
		}
	}
	return false
}
