package script

import (
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/lex"
)

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
