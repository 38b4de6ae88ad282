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
func otherNames(toks []Token, lang string) map[string]string {
	var names map[string]string
	give := func(name, meaning string) {
		if callKind(unqualified(meaning), meaning, lang) == "" || callKind(name, name, lang) != "" {
			return
		}
		if names == nil {
			names = map[string]string{}
		}
		names[name] = meaning
	}
	for i := 0; i+2 < len(toks); i++ {
		a, b, c := toks[i], toks[i+1], toks[i+2]
		if a.Kind == 'n' && (b.Kind == '=' || b.Kind == 'n') {
			if name, meaning := passesOn(toks[i:], lang); name != "" {
				give(name, meaning)
			}
		}
		switch {
		case a.Kind != 'n' || c.Kind != 'n' && b.Kind != '=':
		case b.Text == "as", b.Kind == ':' && lang == "js":
			give(c.Text, a.Text)
		case b.Kind == '=':
			give(a.Text, namedLast(toks[i+2:]))
		}
	}
	return names
}

// passesOn reads the beginning of a function that passes its parameter to a known
// call: def f(x): run(x), f = lambda x: run(x), const f = x => run(x). It returns
// the names of the function and the call, or "".
func passesOn(toks []Token, lang string) (name, call string) {
	switch {
	case lex.OneOf(toks[0].Text, "def function sub"):
		name, toks = toks[1].Text, toks[2:]
	case toks[0].Kind == 'n' && toks[1].Kind == '=':
		name, toks = toks[0].Text, toks[2:]
		if lex.OneOf(toks[0].Text, "lambda async function") {
			toks = toks[1:]
		} else if !isArrow(toks) {
			return "", ""
		}
	default:
		return "", ""
	}
	params, body := parameters(toks)
	for i := 0; i+1 < len(body) && i < 40; i++ {
		short := unqualified(body[i].Text)
		if body[i].Kind != 'n' || callKind(short, body[i].Text, lang) == "" {
			continue
		}
		rest := body[i+1:]
		if rest[0].Kind == '(' && len(rest) > 1 {
			rest = rest[1:]
		}
		if slices.Contains(params, rest[0].Text) {
			return name, body[i].Text
		}
	}
	return "", ""
}

// isArrow reports whether toks begin with "x =>" or "(x) =>".
func isArrow(toks []Token) bool {
	for i := 0; i+1 < len(toks) && i < 12; i++ {
		if toks[i].Kind == '=' {
			return toks[i+1].Kind == '>'
		}
		if toks[i].Kind != 'n' && !strings.ContainsRune("(),:", rune(toks[i].Kind)) {
			return false
		}
	}
	return false
}

// parameters returns the names of a function's parameters, and its body. In Perl
// parameters have no names.
func parameters(toks []Token) (names []string, body []Token) {
	names = []string{"@_", "$_"}
	for i := 0; i < len(toks) && i < 16; i++ {
		switch t := toks[i]; {
		case t.Kind == 'n':
			names = append(names, t.Text)
		case t.Kind == ')', t.Kind == '{', t.Kind == ':' && i > 0 && toks[0].Kind != '(', t.Kind == '>':
			return names, toks[i+1:]
		}
	}
	return names, nil
}

// namedLast returns the name at the end of an expression such as require("x").y,
// or "" if the expression calls it.
func namedLast(toks []Token) string {
	last := ""
	for i := 0; i < len(toks) && i < 8; i++ {
		switch t := toks[i]; {
		case t.Kind == ';':
			return last
		case t.Kind == 'n' && i > 0 && (toks[i-1].Kind == 'n' || toks[i-1].Kind == ')'):
			return last
		case t.Kind == 'n' && (i+1 == len(toks) || toks[i+1].Kind != '('):
			last = t.Text
		case t.Kind == '(' && last != "":
			return ""
		}
	}
	return last
}
