package shell

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/lex"
)

// mostRounds bounds the processes that a loop may start without waiting for any.
const mostRounds = 4096

// forksForever reports a fork bomb if the body of a loop that does not end starts
// processes and waits for nothing: then each round adds processes as fast as the
// machine can start them.
func (sh *Shell) forksForever(body []*syntax.Stmt) {
	starts := false
	for _, st := range body {
		switch {
		case startsProcess(st):
			starts = true
		case !returnsAtOnce(st):
			return
		}
	}
	if starts {
		sh.Effect(effect.ForkBomb, effect.ForkingLoop, "")
	}
}

// startsProcess reports whether a statement runs in the background, or is a group of
// such statements.
func startsProcess(st *syntax.Stmt) bool {
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
	for _, inner := range group {
		if !inner.Background {
			return false
		}
	}
	return len(group) > 0
}

// returnsAtOnce reports whether a statement takes no time.
func returnsAtOnce(st *syntax.Stmt) bool {
	switch c := st.Cmd.(type) {
	case *syntax.ArithmCmd, *syntax.LetClause, *syntax.DeclClause, *syntax.TestClause:
		return true
	case *syntax.CallExpr:
		return len(c.Args) == 0 || lex.OneOf(c.Args[0].Lit(), ": true echo printf [ test")
	}
	return false
}

// endless reports whether the condition of a loop never ends it.
func endless(c *syntax.WhileClause) bool {
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
		n, ok := arithNumber(c.X)
		return n != 0, ok
	}
	return false, false
}

func constantCall(args []*syntax.Word) (holds, known bool) {
	if len(args) == 0 {
		return false, false
	}
	words := make([]string, len(args))
	for i, w := range args {
		if words[i] = w.Lit(); words[i] == "" {
			return false, false
		}
	}
	switch strings.Join(words, " ") {
	case "true", ":":
		return true, true
	case "false", "test", "[ ]":
		return false, true
	}
	switch words[0] {
	case "[":
		return true, len(words) == 3
	case "test":
		return true, len(words) == 2
	case "sleep":
		return true, len(words) == 2 && strings.Trim(words[1], "0.") == ""
	case "echo", "printf":
		return true, true
	}
	return false, false
}

// repeats reports whether a for loop has more than mostRounds rounds, or no end.
func repeats(loop syntax.Loop) bool {
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
	if n, ok := arithNumber(x); ok {
		return n != 0
	}
	b, ok := x.(*syntax.BinaryArithm)
	if !ok {
		return false
	}
	n, ok := arithNumber(b.Y)
	return ok && n > mostRounds && (b.Op == syntax.Lss || b.Op == syntax.Leq)
}

// countedWords returns the number of words that {1..n} or $(seq n) makes, 0 for any
// other word.
func countedWords(w *syntax.Word) int {
	if len(w.Parts) != 1 {
		return bracedNumbers(w)
	}
	sub, ok := w.Parts[0].(*syntax.CmdSubst)
	if !ok || len(sub.Stmts) != 1 {
		return bracedNumbers(w)
	}
	call, ok := sub.Stmts[0].Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) < 2 || call.Args[0].Lit() != "seq" {
		return 0
	}
	n, _ := strconv.Atoi(call.Args[len(call.Args)-1].Lit())
	return n
}

// bracedNumbers returns the last number of a word such as {1..9}, 0 for any other.
func bracedNumbers(w *syntax.Word) int {
	syntax.SplitBraces(w)
	for _, p := range w.Parts {
		if b, ok := p.(*syntax.BraceExp); ok && b.Sequence && len(b.Elems) > 1 {
			n, _ := strconv.Atoi(b.Elems[1].Lit())
			return n
		}
	}
	return 0
}
