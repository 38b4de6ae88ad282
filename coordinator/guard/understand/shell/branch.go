package shell

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell/expand"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell/grammar"
	"mvdan.cc/sh/v3/syntax"
)

// A branch is left out if its condition is known not to hold. Scripts choose by their arguments:
// "./x.sh up" runs only the branch "up". Commands choose by a variable such as DRY_RUN.

// missing reports whether a positional parameter was not passed to a file. Its value
// then counts as unknown, because scripts check their arguments.
func (sh *Shell) missing(name string) bool {
	switch {
	case sh.exact, sh.params == nil, sh.file() == nil, !lex.OneOf(name, "1 2 3 4 5 6 7 8 9"):
		return false
	}
	return int(name[0]-'0') > len(sh.params)
}

// placeholder reports whether the old value of a variable of a file is only there
// until a branch sets it.
func (sh *Shell) placeholder(old expand.Value) bool {
	return len(old) == 1 && old[0] == "" && sh.file() != nil
}

// required returns the value of ${x:?}, which ends a script if it is empty.
func (sh *Shell) required(v expand.Value) expand.Value {
	if sh.file() == nil || !slices.Contains(v, "") {
		return v
	}
	return v.Each(func(s string) string {
		if s == "" {
			return partial.Unknown
		}
		return s
	})
}

// known returns the text of a word if it has exactly one value.
func (sh *Shell) known(w *syntax.Word) (string, bool) {
	if w == nil {
		return "", false
	}
	child := sh.Sub()
	child.exact = true
	v := child.text(w)
	if len(v) != 1 || partial.HasHole(v[0]) {
		return "", false
	}
	return v[0], true
}

// An ending says whether the code of a file or of a function has ended.
type ending uint8

const (
	running  ending = iota
	returned        // from a function or a sourced file
	exited
)

// ends notes that a command ended the code around it, if it surely ran.
func (sh *Shell) ends(c Command) {
	if sh.doubt > 0 {
		return
	}
	switch c.Name {
	case "exit":
		sh.ended = exited
	case "exec":
		if len(c.Args) > 0 {
			sh.ended = exited
		}
	case "return":
		sh.ended = returned
	}
}

// reaches reports whether the second command of a list runs, and whether that is known.
func (sh *Shell) reaches(c *syntax.BinaryCmd) (runs, known bool) {
	holds, known := sh.truth([]*syntax.Stmt{c.X})
	return holds == (c.Op == syntax.AndStmt), known
}

// branch runs the commands of one branch, unless its condition is known not to hold.
// It reports whether the branch surely ran.
func (sh *Shell) branch(c *syntax.IfClause, in *string) (taken bool) {
	holds, known := sh.truth(c.Cond)
	switch {
	case len(c.Cond) == 0: // else
		taken = true
	case !known:
		sh.doubt++
	case !holds:
		return false
	default:
		taken = true
	}
	sh.stmts(c.Then, in)
	return taken
}

// truth reports whether a condition holds, and whether that is known.
func (sh *Shell) truth(cond []*syntax.Stmt) (holds, known bool) {
	if len(cond) != 1 {
		return false, false
	}
	switch c := cond[0].Cmd.(type) {
	case *syntax.CallExpr:
		holds, known = sh.testCall(c.Args)
	case *syntax.TestClause:
		holds, known = sh.testExpr(c.X)
	}
	return holds != cond[0].Negated, known
}

// testCall is truth for "test a = b" and "[ a = b ]".
func (sh *Shell) testCall(words []*syntax.Word) (holds, known bool) {
	switch {
	case len(words) < 3, len(words) > 5, !lex.OneOf(words[0].Lit(), "test ["):
		return false, false
	}
	words = words[1:]
	if words[len(words)-1].Lit() == "]" {
		words = words[:len(words)-1]
	}
	texts := make([]string, len(words))
	for i, w := range words {
		text, ok := sh.known(w)
		if !ok {
			return false, false
		}
		texts[i] = text
	}
	return tested(texts)
}

// testExpr is truth for [[ a == b ]].
func (sh *Shell) testExpr(x syntax.TestExpr) (holds, known bool) {
	switch t := x.(type) {
	case *syntax.UnaryTest:
		w, _ := t.X.(*syntax.Word)
		if text, ok := sh.known(w); ok {
			return tested([]string{t.Op.String(), text})
		}
	case *syntax.BinaryTest:
		x, _ := t.X.(*syntax.Word)
		y, _ := t.Y.(*syntax.Word)
		left, ok := sh.known(x)
		right, also := sh.known(y)
		if ok && also && !strings.ContainsAny(right, "*?[") {
			return tested([]string{left, t.Op.String(), right})
		}
	}
	return false, false
}

// tested evaluates a test whose words are known.
func tested(words []string) (holds, known bool) {
	first, last := words[0], words[len(words)-1]
	switch len(words) {
	case 2:
		return (last == "") == (first == "-z"), lex.OneOf(first, "-z -n")
	case 3:
		if lex.OneOf(words[1], "= == !=") {
			return (first == last) == (words[1] != "!="), true
		}
		return compared(first, words[1], last)
	}
	return false, false
}

// compared evaluates a comparison of numbers, if it is one.
func compared(left, op, right string) (holds, known bool) {
	l, err := strconv.Atoi(left)
	r, also := strconv.Atoi(right)
	if err != nil || also != nil {
		return false, false
	}
	holding := map[int]string{-1: "-lt -le -ne", 0: "-eq -le -ge", 1: "-gt -ge -ne"}[cmp.Compare(l, r)]
	return lex.OneOf(op, holding), lex.OneOf(op, "-eq -ge -gt -le -lt -ne")
}

// chosen returns the items of a case clause that may run, and whether they surely do.
func (sh *Shell) chosen(c *syntax.CaseClause) (items []*syntax.CaseItem, sure bool) {
	words, ok := sh.caseWords(c)
	if !ok || slices.ContainsFunc(c.Items, func(i *syntax.CaseItem) bool { return i.Op != syntax.Break }) {
		return c.Items, false
	}
	for _, word := range words {
		for _, item := range c.Items {
			takes, surely := sh.takes(item, word)
			if takes && !slices.Contains(items, item) {
				items = append(items, item)
			}
			if sure = surely; surely {
				break
			}
		}
	}
	return items, sure && len(items) == 1
}

// caseWords returns the texts that a case clause may compare. In a loop over
// its arguments a script looks at each of them.
func (sh *Shell) caseWords(c *syntax.CaseClause) ([]string, bool) {
	if sh.uncertain > 1 && firstArgument(c.Word) {
		if n := len(sh.params); 0 < n && n <= maxGiven {
			return sh.params, !slices.ContainsFunc(sh.params, partial.HasHole)
		}
	}
	text, ok := sh.known(c.Word)
	return []string{text}, ok
}

// firstArgument reports whether a word is "$1".
func firstArgument(w *syntax.Word) bool {
	parts := w.Parts
	if len(parts) == 1 {
		if q, ok := parts[0].(*syntax.DblQuoted); ok {
			parts = q.Parts
		}
	}
	return len(parts) == 1 && paramName(parts[0]) == "1"
}

// paramName returns the name of a part that is a parameter, "" for any other part.
func paramName(part syntax.WordPart) string {
	p, ok := part.(*syntax.ParamExp)
	if !ok || p.Param == nil {
		return ""
	}
	return p.Param.Value
}

// takes reports whether an item of a case clause may match a text, and whether it
// surely does.
func (sh *Shell) takes(item *syntax.CaseItem, text string) (may, surely bool) {
	for _, p := range item.Patterns {
		pattern, ok := sh.known(p)
		switch {
		case !ok, strings.ContainsAny(pattern, "[("):
			may = true
		case lex.Like(pattern, text):
			return true, true
		}
	}
	return may, false
}

// forksForever reports a fork bomb if the body of a loop that does not end starts
// processes and waits for nothing: then each round adds processes as fast as the
// machine can start them.
func (sh *Shell) forksForever(body []*syntax.Stmt) {
	starts := false
	for _, st := range body {
		switch {
		case grammar.StartsProcess(st):
			starts = true
		case !grammar.ReturnsAtOnce(st):
			return
		}
	}
	if starts {
		sh.Effect(effect.ForkBomb, effect.ForkingLoop, "")
	}
}
