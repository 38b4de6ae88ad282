package shell

import (
	"slices"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
)

// An exitTrap is code that a shell runs when it ends.
type exitTrap struct {
	sh   *Shell
	code string
	part string // the command that sets it
	line int
}

// AtEnd runs the code of a trap. If the target of an effect is not known yet, the code runs with
// the variables that the shell has at its end.
func (sh *Shell) AtEnd(code string) {
	u := sh.Eval
	n, steps := len(u.Effects), u.mark()
	sh.Sub().Run(code, nil)
	open := slices.ContainsFunc(u.Effects[n:], func(e effect.Effect) bool {
		return partial.HasHole(lex.Clip(e.Target, 1))
	})
	if !open || u.Budget.Spent || len(u.traps) >= MaxAliases {
		return
	}
	u.Effects = u.Effects[:n]
	u.rewind(steps)
	part := sh.here()
	u.traps = append(u.traps, exitTrap{sh: sh, code: code, part: part, line: sh.line})
}

// RunTraps runs the traps that were set since there were n, and forgets them.
func (u *Evaluation) RunTraps(n int) {
	for len(u.traps) > n {
		t := u.traps[len(u.traps)-1]
		u.traps = u.traps[:len(u.traps)-1]
		child := t.sh.Sub()
		child.at, child.Part, child.line, child.ended = spot{}, t.part, t.line, running
		child.Run(t.code, nil)
	}
}
