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
	"child_process cp sp Directory Files FileManager default"

// doubtful reports whether a name in a program probably is not the call of that kind:
// a method of an unknown object, or the keyword delete.
func (r *reading) doubtful(kind, name string) bool {
	if !r.sh.InProgram() || !lex.OneOf(kind, "tree unlink move empty kill") {
		return false
	}
	i := strings.LastIndexByte(name, '.')
	if i <= 0 {
		return name == "delete" && r.lang != "groovy"
	}
	receiver := name[:i]
	_, known := r.consts[receiver]
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

// A knownCall is what a name says about the call of it.
type knownCall struct {
	short    string // the last part of the name
	kind     string // see callKinds
	maps     bool   // it calls its first argument
	destroys bool   // its name says that it deletes something of a service
	sends    bool   // it sends its arguments to another machine
	requests bool   // it may send a request with any method
	deletes  bool   // it may be a request with the method DELETE
	types    bool   // it types into a terminal
	other    bool   // nothing of that
}

// maxCall bounds the last part of the name of a known call.
const maxCall = 24

// readCall returns what a name says.
func readCall(name, lang string) knownCall {
	k := knownCall{short: unqualified(name), types: controlsTerminal(name)}
	switch {
	case k.types:
		return k
	case k.short == "", len(k.short) > maxCall:
		return knownCall{other: true}
	}
	k.kind = callKind(k.short, name, lang)
	k.maps = lex.OneOf(k.short, "map array_map array_walk call_user_func")
	k.destroys = k.kind == "" && destroysByName(k.short)
	k.sends = networkCall(k.short, name)
	k.deletes = lex.OneOf(k.short, "delete del")
	k.requests = k.deletes || k.sends || sendsRequest(k.short, name)
	k.other = k == knownCall{short: k.short}
	return k
}

// maxCalls bounds the names that are kept.
const maxCalls = 4096

// callNamed returns what a name says. It keeps what it finds, because the names of a long
// program repeat.
func (r *reading) callNamed(name string) knownCall {
	k, known := r.calls[name]
	if known {
		return k
	}
	k = readCall(name, r.lang)
	if len(r.calls) < maxCalls {
		r.calls[name] = k
	}
	return k
}
