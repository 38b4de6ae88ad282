package script

import (
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/protected"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
)

// A program in a file is longer than code on the command line, and it has methods and
// keywords of its own with the names of known calls. So a name counts only if it leads
// to a known library.

// libraries are the receivers of calls that work on files and processes.
const libraries = "os shutil fs fsp fse promises path pathlib Path File FileUtils Dir IO Deno Bun subprocess " +
	"child_process cp sp"

// doubtful reports whether a name in a program probably is not the call of that kind:
// a method of an unknown object, or the keyword delete.
func doubtful(sh *shell.Shell, kind, name string, consts map[string]string) bool {
	if !sh.InProgram() || !lex.OneOf(kind, "tree unlink move empty kill") {
		return false
	}
	i := strings.LastIndexByte(name, '.')
	if i <= 0 {
		return name == "delete"
	}
	receiver := name[:i]
	_, known := consts[receiver]
	return !known && !lex.OneOf(unqualified(receiver), libraries)
}

// readProtected reports a program text that leads to Afar's page or to the cookies of a
// browser. In a file a single string or name has to do so.
func readProtected(sh *shell.Shell, text string, toks []Token) {
	steers := sh.Eval.Site.Page.Code(text)
	reads := sh.Place.Away == "" && protected.ReadsBrowser(text)
	if !sh.InProgram() {
		toks = []Token{{Text: text}}
	}
	for _, t := range toks {
		if !steers && !reads {
			return
		}
		sh.AtOffset(text, t.At)
		if steers && (!sh.InProgram() || sh.Eval.Site.Page.URL(t.Text)) {
			sh.Effect(effect.SteerAfar, effect.WebPage, lex.Clip(t.Text, 300))
			steers = false
		}
		if reads && (!sh.InProgram() || protected.ReadsBrowser(t.Text)) {
			sh.Effect(effect.ReadFile, effect.Cookies, lex.Clip(t.Text, 300))
			reads = false
		}
	}
}

// maxKinds bounds the names whose kind is kept.
const maxKinds = 4096

// kindOf returns the kind of call that a name stands for. It keeps what it finds,
// because the names of a long program repeat.
func kindOf(sh *shell.Shell, name, lang string) string {
	key := [2]string{lang, name}
	kind, known := sh.Eval.CallKinds[key]
	if known {
		return kind
	}
	kind = callKind(unqualified(name), name, lang)
	if sh.Eval.CallKinds == nil {
		sh.Eval.CallKinds = map[[2]string]string{}
	}
	if len(sh.Eval.CallKinds) < maxKinds {
		sh.Eval.CallKinds[key] = kind
	}
	return kind
}
