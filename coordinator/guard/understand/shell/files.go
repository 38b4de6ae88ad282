package shell

import (
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/fspath"
	"github.com/afar-sh/afar/coordinator/guard/protected"
)

// Deletes reports a deletion; "link/" deletes what the link points to.
func (sh *Shell) Deletes(kind effect.Kind, op effect.Op, word string) {
	p := sh.Path(word)
	if strings.HasSuffix(p, EveryFile) {
		kind = effect.DeleteTree
	}
	if len(word) > 1 && strings.HasSuffix(word, "/") && p != "/" {
		p += "/"
	}
	sh.Effect(kind, op, p)
}

// EveryFile is what an unnarrowed find yields below its root.
const EveryFile = "/**"

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
