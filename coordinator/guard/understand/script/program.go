package script

import (
	"slices"
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
func (r *reading) doubtful(kind, name string) bool {
	if !r.sh.InProgram() || !lex.OneOf(kind, "tree unlink move empty kill") {
		return false
	}
	i := strings.LastIndexByte(name, '.')
	if i <= 0 {
		return name == "delete"
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

// AppleScript reports the keystrokes that a script types, and runs the text that
// it passes to a shell.
func AppleScript(sh *shell.Shell, code string) {
	if typesKeys(code) {
		sh.Effect(effect.TypeInto, "", "osascript")
	}
	readText(sh, code, "applescript")
	toks := Tokenize(code, "applescript")
	if op := applePower(toks); op != "" {
		sh.Effect(effect.Power, effect.Named(op), "")
	}
	for i := range toks {
		if Shaped(toks, i, "nnns") && toks[i].Text+" "+toks[i+1].Text == "do shell" {
			sh.RunText(toks[i+3].Text)
		}
	}
}

// typesKeys reports whether a script types into a window or runs text in a terminal.
func typesKeys(code string) bool {
	for _, words := range [...]string{"keystroke", "key code", "write text"} {
		if strings.Contains(code, words) {
			return true
		}
	}
	return strings.Contains(code, "do script") && strings.Contains(code, "Terminal")
}

// applePower is what a script tells the system to do with the machine.
func applePower(toks []Token) string {
	system := false
	for i, t := range toks {
		switch {
		case t.Kind == 's':
			system = system ||
				lex.OneOf(strings.ReplaceAll(strings.ToLower(t.Text), " ", "-"), "system-events finder loginwindow")
		case t.Kind != 'n' || !system:
		case t.Text == "restart", t.Text == "sleep":
			return t.Text
		case lex.OneOf(t.Text, "shut log") && lex.OneOf(textAt(toks, i+1), "down out"):
			return t.Text + " " + toks[i+1].Text
		}
	}
	return ""
}

// Names that a program text gives to calls that we know.

// unqualified returns the last part of a name, such as rmtree of shutil.rmtree.
func unqualified(name string) string { return name[strings.LastIndexAny(name, ".:")+1:] }

// otherNames returns the names that a program gives to known calls, as in
// import x as y, {x: y} = … and y = x.
func (r *reading) otherNames() map[string]string {
	names := map[string]string{}
	for i := 0; i+2 < len(r.toks); i++ {
		if r.toks[i].Kind != 'n' {
			continue
		}
		for _, given := range [...]alias{r.passesOn(r.toks[i:]), namedAgain(r.toks[i:], r.lang)} {
			if given.name != "" && r.isNew(given) {
				names[given.name] = given.meaning
			}
		}
	}
	return names
}

// An alias is another name for a call.
type alias struct{ name, meaning string }

// isNew reports whether the alias means a known call and is not the name of one.
func (r *reading) isNew(a alias) bool {
	return r.callNamed(a.meaning).kind != "" && r.callNamed(a.name).kind == ""
}

// namedAgain reads "x as y", "x: y" in JavaScript and "y = x" at the start of toks.
func namedAgain(toks []Token, lang string) alias {
	switch a, b := toks[0], toks[1]; {
	case b.Kind == '=':
		return alias{a.Text, namedLast(toks[2:])}
	case toks[2].Kind != 'n':
	case b.Text == "as", b.Kind == ':' && lang == "js":
		return alias{toks[2].Text, a.Text}
	}
	return alias{}
}

// passesOn reads the beginning of a function that passes its parameter to a known
// call: def f(x): run(x), f = lambda x: run(x), const f = x => run(x).
func (r *reading) passesOn(toks []Token) alias {
	name, toks := functionNamed(toks)
	if name == "" {
		return alias{}
	}
	params, body := parameters(toks)
	for i := 0; i < min(len(body)-1, 40); i++ {
		if body[i].Kind != 'n' || r.callNamed(body[i].Text).kind == "" {
			continue
		}
		first := body[i+1]
		if first.Kind == '(' {
			first = tokenAt(body, i+2)
		}
		if slices.Contains(params, first.Text) {
			return alias{name, body[i].Text}
		}
	}
	return alias{}
}

// functionNamed reads the name of a function that begins at the first of toks, and
// returns it with the tokens from its parameters on. The name is "" if none begins.
func functionNamed(toks []Token) (name string, rest []Token) {
	switch {
	case lex.OneOf(toks[0].Text, "def function sub"):
		if toks[1].Kind == 'n' {
			return toks[1].Text, toks[2:]
		}
	case toks[1].Kind != '=':
	case lex.OneOf(toks[2].Text, "lambda async function"):
		return toks[0].Text, toks[3:]
	case isArrow(toks[2:]):
		return toks[0].Text, toks[2:]
	}
	return "", nil
}

// isArrow reports whether toks begin with "x =>" or "(x) =>".
func isArrow(toks []Token) bool {
	for i, t := range toks[:min(12, len(toks))] {
		if t.Kind == '=' {
			return kindAt(toks, i+1) == '>'
		}
		if !t.in("n(),:") {
			return false
		}
	}
	return false
}

// parameters returns the names of a function's parameters, and its body. In Perl
// parameters have no names.
func parameters(toks []Token) (names []string, body []Token) {
	names = []string{"@_", "$_"}
	ends := "){>"
	if kindAt(toks, 0) != '(' {
		ends = "){>:"
	}
	for i, t := range toks[:min(16, len(toks))] {
		switch {
		case t.Kind == 'n':
			names = append(names, t.Text)
		case t.in(ends) && i+1 < len(toks):
			return names, toks[i+1:]
		}
	}
	return names, nil
}

// namedLast returns the name at the end of an expression such as require("x").y,
// or "" if the expression calls it.
func namedLast(toks []Token) string {
	last := ""
	for i, t := range toks[:min(8, len(toks))] {
		switch t.Kind {
		case ';':
			return last
		case 'n':
			if tokenAt(toks, i-1).in("n)") {
				return last
			}
			if kindAt(toks, i+1) != '(' {
				last = t.Text
			}
		case '(':
			if last != "" {
				return ""
			}
		}
	}
	return last
}

// TclShells runs the text in braces after -c, which is one word for a shell.
func TclShells(sh *shell.Shell, text string) {
	for sh.Spend(1) {
		_, rest, found := strings.Cut(text, "-c {")
		if !found {
			return
		}
		code, n := delimited("{" + rest)
		sh.RunText(code)
		text = rest[n-1:]
	}
}
