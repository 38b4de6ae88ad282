package guard

import (
	"slices"
	"strings"
)

// Names that a program text gives to calls that we know.

// unqualified is the last part of a name: rmtree of shutil.rmtree.
func unqualified(name string) string { return name[strings.LastIndexAny(name, ".:")+1:] }

// otherNames are the names that a program gives to calls we know: import x as
// y, {x: y} = …, y = x.
func otherNames(toks []token, lang string) map[string]string {
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
		if a.kind == 'n' && (b.kind == '=' || b.kind == 'n') {
			if name, meaning := passesOn(toks[i:], lang); name != "" {
				give(name, meaning)
			}
		}
		switch {
		case a.kind != 'n' || c.kind != 'n' && b.kind != '=':
		case b.text == "as", b.kind == ':' && lang == "js":
			give(c.text, a.text)
		case b.kind == '=':
			give(a.text, namedLast(toks[i+2:]))
		}
	}
	return names
}

// passesOn reads the beginning of a function that hands its parameter to a call we
// know: def f(x): run(x), f = lambda x: run(x), const f = x => run(x). It returns the
// function's name and the call's, or nothing.
func passesOn(toks []token, lang string) (name, call string) {
	switch {
	case oneOf(toks[0].text, "def function sub"):
		name, toks = toks[1].text, toks[2:]
	case toks[0].kind == 'n' && toks[1].kind == '=':
		name, toks = toks[0].text, toks[2:]
		if oneOf(toks[0].text, "lambda async function") {
			toks = toks[1:]
		} else if !isArrow(toks) {
			return "", ""
		}
	default:
		return "", ""
	}
	params, body := parameters(toks)
	for i := 0; i+1 < len(body) && i < 40; i++ {
		short := unqualified(body[i].text)
		if body[i].kind != 'n' || callKind(short, body[i].text, lang) == "" {
			continue
		}
		rest := body[i+1:]
		if rest[0].kind == '(' && len(rest) > 1 {
			rest = rest[1:]
		}
		if slices.Contains(params, rest[0].text) {
			return name, body[i].text
		}
	}
	return "", ""
}

// isArrow is true of "x =>" and "(x) =>".
func isArrow(toks []token) bool {
	for i := 0; i+1 < len(toks) && i < 12; i++ {
		if toks[i].kind == '=' {
			return toks[i+1].kind == '>'
		}
		if toks[i].kind != 'n' && !strings.ContainsRune("(),:", rune(toks[i].kind)) {
			return false
		}
	}
	return false
}

// parameters are the names before a function's body, and the body. Perl's have no
// names of their own.
func parameters(toks []token) (names []string, body []token) {
	names = []string{"@_", "$_"}
	for i := 0; i < len(toks) && i < 16; i++ {
		switch t := toks[i]; {
		case t.kind == 'n':
			names = append(names, t.text)
		case t.kind == ')', t.kind == '{', t.kind == ':' && i > 0 && toks[0].kind != '(', t.kind == '>':
			return names, toks[i+1:]
		}
	}
	return names, nil
}

// namedLast is the name at the end of an expression such as
// require("x").y, "" if the expression calls it.
func namedLast(toks []token) string {
	last := ""
	for i := 0; i < len(toks) && i < 8; i++ {
		switch t := toks[i]; {
		case t.kind == ';':
			return last
		case t.kind == 'n' && i > 0 && (toks[i-1].kind == 'n' || toks[i-1].kind == ')'):
			return last
		case t.kind == 'n' && (i+1 == len(toks) || toks[i+1].kind != '('):
			last = t.text
		case t.kind == '(' && last != "":
			return ""
		}
	}
	return last
}
