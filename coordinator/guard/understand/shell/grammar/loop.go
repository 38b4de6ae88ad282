package grammar

import (
	"slices"
	"strconv"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/lex"
	"mvdan.cc/sh/v3/syntax"
)

// mostRounds bounds the processes that a loop may start without waiting for any.
const mostRounds = 4096

// StartsProcess reports whether a statement runs in the background, or is a group of
// such statements.
func StartsProcess(st *syntax.Stmt) bool {
	if st.Background {
		return true
	}
	var group []*syntax.Stmt
	switch c := st.Cmd.(type) {
	case *syntax.Subshell:
		group = c.Stmts
	case *syntax.Block:
		group = c.Stmts
	}
	return len(group) > 0 && !slices.ContainsFunc(group, func(s *syntax.Stmt) bool { return !s.Background })
}

// ReturnsAtOnce reports whether a statement takes no time.
func ReturnsAtOnce(st *syntax.Stmt) bool {
	switch c := st.Cmd.(type) {
	case *syntax.ArithmCmd, *syntax.LetClause, *syntax.DeclClause, *syntax.TestClause:
		return true
	case *syntax.CallExpr:
		return len(c.Args) == 0 || lex.OneOf(c.Args[0].Lit(), ": [ echo printf test true")
	}
	return false
}

// Endless reports whether the condition of a loop never ends it.
func Endless(c *syntax.WhileClause) bool {
	if len(c.Cond) != 1 {
		return false
	}
	st := c.Cond[0]
	holds, known := constantly(st.Cmd)
	return known && (holds != st.Negated) != c.Until
}

// constantly returns whether a condition holds. known is false if that may change.
func constantly(cmd syntax.Command) (holds, known bool) {
	switch c := cmd.(type) {
	case *syntax.CallExpr:
		return constantCall(c.Args)
	case *syntax.TestClause:
		w, ok := c.X.(*syntax.Word)
		return true, ok && w.Lit() != ""
	case *syntax.ArithmCmd:
		n, ok := Number(c.X)
		return n != 0, ok
	}
	return false, false
}

func constantCall(args []*syntax.Word) (holds, known bool) {
	var words []string
	for _, w := range args {
		if w.Lit() == "" {
			return false, false
		}
		words = append(words, w.Lit())
	}
	switch lex.First(words) {
	case "true", ":", "echo", "printf":
		return true, true
	case "false":
		return false, true
	case "[":
		return len(words) == 3, len(words) <= 3
	case "test":
		return len(words) == 2, len(words) <= 2
	case "sleep":
		return true, len(words) == 2 && strings.Trim(words[1], "0.") == ""
	}
	return false, false
}

// Repeats reports whether a for loop has more than mostRounds rounds, or no end.
func Repeats(loop syntax.Loop) bool {
	switch l := loop.(type) {
	case *syntax.CStyleLoop:
		return l.Cond == nil || holdsLong(l.Cond)
	case *syntax.WordIter:
		for _, w := range l.Items {
			if countedWords(w) > mostRounds {
				return true
			}
		}
	}
	return false
}

// holdsLong reports whether the condition of a counting loop is a number that is not
// zero, or compares the counter with a large number.
func holdsLong(x syntax.ArithmExpr) bool {
	if n, ok := Number(x); ok {
		return n != 0
	}
	b, ok := x.(*syntax.BinaryArithm)
	if !ok {
		return false
	}
	n, ok := Number(b.Y)
	return ok && n > mostRounds && lex.OneOf(b.Op.String(), "< <=")
}

// countedWords returns the number of words that {1..n} or $(seq n) makes, 0 for any
// other word.
func countedWords(w *syntax.Word) int {
	syntax.SplitBraces(w)
	for _, part := range w.Parts {
		var numbers []*syntax.Word
		switch p := part.(type) {
		case *syntax.BraceExp:
			if p.Sequence {
				numbers = p.Elems[:2]
			}
		case *syntax.CmdSubst:
			for _, st := range p.Stmts {
				if name, args := Simple(st.Cmd); name == "seq" {
					numbers = args
				}
			}
		}
		if len(numbers) > 0 {
			n, _ := strconv.Atoi(numbers[len(numbers)-1].Lit())
			return n
		}
	}
	return 0
}

// Number returns the value of a number that is written out.
func Number(x syntax.ArithmExpr) (int, bool) {
	if minus, ok := x.(*syntax.UnaryArithm); ok && minus.Op == syntax.Minus {
		n, ok := Number(minus.X)
		return -n, ok
	}
	w, ok := x.(*syntax.Word)
	if !ok {
		return 0, false
	}
	n, err := strconv.Atoi(w.Lit())
	return n, err == nil
}
