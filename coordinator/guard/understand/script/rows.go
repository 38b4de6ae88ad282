package script

import (
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
)

// A loop may take several names from each row of a list or from each entry of an object:
// for a, b in [("x", "y")], for (const [a, b] of Object.entries(o)), {"x" => "y"}.each { |a, b|.

// mostNames bounds the tokens in which a loop names what it takes.
const mostNames = 12

// rowLoops returns the loops over the rows of the list or the object that opens at a token. The
// expression for it begins at token i.
func (r *reading) rowLoops(i, open int) (loops []literalLoop) {
	if !tokenAt(r.toks, open).in("[({") {
		return nil
	}
	names := namesBefore(r.toks, i)
	if len(names) < 2 {
		names = r.namesAfter(i, open)
	}
	if len(names) < 2 {
		return nil
	}
	values := r.values(open)
	for k, name := range names {
		var items []string
		for v := k; v < len(values); v += len(names) {
			items = append(items, values[v])
		}
		if len(items) > 0 {
			loops = append(loops, literalLoop{name, items, r.loopStart(i)})
		}
	}
	return loops
}

// namesBefore returns the names that a loop gives to what stands behind its "in" or "of".
func namesBefore(toks []Token, i int) (names []string) {
	j := i - 1
	for kindAt(toks, j) == '(' || lex.OneOf(textAt(toks, j), "Object.entries sorted list iter") {
		j--
	}
	if !lex.OneOf(textAt(toks, j), "in of") {
		return nil
	}
	for k := j - 1; k > max(0, j-mostNames); k-- {
		switch t := toks[k]; {
		case t.in("[](),"):
		case t.Kind != 'n', lex.OneOf(t.Text, "for foreach const let var async"):
			return names
		default:
			names = slices.Insert(names, 0, t.Text)
		}
	}
	return nil
}

// namesAfter returns the names that a loop gives to what stands before its "as" or its "each".
func (r *reading) namesAfter(i, open int) []string {
	toks, at := r.toks, i+1
	_, method, _ := strings.Cut(toks[i].Text, ".")
	if i == open {
		at += len(inBrackets(toks[i:])) + 1
		if Shaped(toks, at, ".n") {
			method = toks[at+1].Text
			at += 2
		}
	}
	switch {
	case textAt(toks, at) == "as":
		return namesUntil(toks, at+1, ")")
	case method == "each" && Shaped(toks, at, "{|"):
		return namesUntil(toks, at+2, "|")
	case method == "each" && textAt(toks, at) == "do":
		return namesUntil(toks, at+2, "|")
	case lex.OneOf(method, "forEach map") && Shaped(toks, at, "(([n"):
		return namesUntil(toks, at+3, "]")
	}
	return nil
}

// namesUntil returns the names from token i on up to one of a kind.
func namesUntil(toks []Token, i int, end string) (names []string) {
	for j := i; j < i+mostNames; j++ {
		switch t := tokenAt(toks, j); {
		case t.in(end):
			return names
		case t.Kind == 'n':
			names = append(names, t.Text)
		}
	}
	return nil
}

// values returns the texts in the list or the object that opens at a token, also those in the lists
// in it. A hole stands for one that is not known.
func (r *reading) values(open int) (values []string) {
	depth, fresh := 0, true
	for i := open; i < min(open+maxListed, len(r.toks)); i++ {
		switch t := r.toks[i]; {
		case t.in("([{"):
			depth++
			fresh = true
		case t.in(")]}"):
			if depth--; depth == 0 {
				return values
			}
		case t.in(",:=>"):
			fresh = true
		case fresh:
			text, n := r.word(r.toks[i:])
			if n == 0 {
				text, n = partial.Unknown, 1
				if kindAt(r.toks, i+1) == '(' {
					n += len(inBrackets(r.toks[i+1:])) + 2
				}
			}
			values = append(values, text)
			i += n - 1
			fresh = false
		}
	}
	return nil
}
