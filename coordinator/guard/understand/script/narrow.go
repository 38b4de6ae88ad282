package script

import (
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
)

// A loop over files mostly looks at their names: if f.endswith(".pyc"), if f == "x.tmp". Only the
// files with such a name count then.

// longestTest bounds the tokens from the head of a loop in which a test of its variable is looked for.
const longestTest = 48

// narrowed returns the pattern of the files that a loop takes whose head is at token i: those of
// the pattern whose names pass the first test of the loop's variable.
func (r *reading) narrowed(files, name string, i int) string {
	end, every := strings.CutSuffix(files, shell.EveryFile)
	if every {
		end += "/" + partial.Unknown + "/"
	} else if end, every = strings.CutSuffix(files, "*"); !every {
		return files
	}
	for j := i; j < min(i+longestTest, len(r.toks)); j++ {
		wanted, n := nameTest(r.toks, j, name)
		if n == 0 {
			continue
		}
		if negated(r.toks, j) != skips(r.toks, j+n) {
			return files
		}
		return end + wanted
	}
	return files
}

// nameTest reads a test of the name for which a variable stands. It returns the pattern of the
// names that pass, and the number of tokens, 0 if none begins at the i-th.
func nameTest(toks []Token, i int, variable string) (string, int) {
	t := toks[i]
	if t.Kind == 'r' {
		return expressionTest(toks, i, variable)
	}
	object, method, _ := strings.Cut(t.Text, ".")
	if object != variable || t.Kind != 'n' {
		return "", 0
	}
	method = strings.TrimPrefix(method, "name.")
	at := i + 1
	for tokenAt(toks, at).in("?([{=") || textAt(toks, at) == "in" {
		at++
	}
	text := textAt(toks, at)
	switch compares := Shaped(toks, i+1, "==") || textAt(toks, i+1) == "in"; {
	case kindAt(toks, at) != 's':
	case lex.OneOf(method, "endswith endsWith end_with"), compares && method == "suffix":
		return "*" + text, at - i
	case lex.OneOf(method, "startswith startsWith start_with"):
		return text + "*", at - i
	case !compares:
	case method == "", method == "name":
		return text, at - i
	}
	return "", 0
}

// expressionTest is nameTest for a regular expression: /\.md$/.test(x), and /\.md$/ of Perl.
func expressionTest(toks []Token, i int, variable string) (string, int) {
	end, ok := strings.CutPrefix(toks[i].Text, `/\.`)
	name, _, closed := strings.Cut(end, "$/")
	plain := strings.Trim(strings.ToLower(name), "abcdefghijklmnopqrstuvwxyz0123456789") == ""
	switch {
	case !ok, !closed, !plain:
		return "", 0
	case variable == "$_":
		return "*." + name, 1
	case Shaped(toks, i+1, ".n(n)") && textAt(toks, i+4) == variable:
		return "*." + name, 5
	}
	return "", 0
}

// negated reports whether the test at token i holds for the names that do not pass.
func negated(toks []Token, i int) bool {
	return kindAt(toks, i-1) == '!' || lex.OneOf(textAt(toks, i-1), "not unless")
}

// skips reports whether the condition that ends near token i leads to the next round of the loop.
func skips(toks []Token, i int) bool {
	for j := i; j < i+10; j++ {
		switch t := tokenAt(toks, j); {
		case lex.OneOf(t.Text, "continue next"):
			return true
		case t.Kind == 'n':
			return false
		}
	}
	return false
}
