package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
)

// A frame holds what a running function hides: the values that its local variables
// have for its caller.
type frame struct{ hidden []hidden }

type hidden struct {
	vars  map[string]Value // of the scope that made the variable local
	name  string
	value Value
	known bool
}

// localize makes a variable local to the running function. Its value is unknown until
// it is assigned.
func (sh *Shell) localize(name string) {
	if sh.frame == nil || len(sh.frame.hidden) >= MaxAliases*MaxAliases {
		return
	}
	if sh.vars == nil {
		sh.vars = map[string]Value{}
	}
	old, known := sh.vars[name]
	sh.frame.hidden = append(sh.frame.hidden, hidden{vars: sh.vars, name: name, value: old, known: known})
	delete(sh.Eval.constant, name)
	sh.vars[name] = Value{partial.Unknown}
}

// leave gives back what the function hid, last first.
func (sh *Shell) leave() {
	for i := len(sh.frame.hidden) - 1; i >= 0; i-- {
		h := sh.frame.hidden[i]
		delete(sh.Eval.constant, h.name)
		if h.known {
			h.vars[h.name] = h.value
		} else {
			delete(h.vars, h.name)
		}
	}
}

// decl evaluates declare, local, export, readonly and the like.
func (sh *Shell) decl(c *syntax.DeclClause) {
	if len(c.Args) == 0 {
		sh.Print(partial.UnknownSecret)
	}
	references := makesReferences(c)
	isLocal := c.Variant.Value == "local" || lex.OneOf(c.Variant.Value, "declare typeset nameref") && !hasFlag(c, 'g')
	constant := c.Variant.Value == "readonly" || hasFlag(c, 'r')
	for _, a := range c.Args {
		if a.Name == nil {
			sh.declareWord(a, isLocal, len(c.Args) == 1)
			continue
		}
		if references && a.Value != nil {
			sh.Eval.refer(a.Name.Value, lex.First(sh.text(a.Value)))
			continue
		}
		sh.declareName(a, isLocal)
		if a.Value != nil {
			sh.RunVariable(a.Name.Value)
		}
		if constant {
			sh.Eval.keeps(sh.Eval.named(a.Name.Value))
		}
	}
}

// declareName assigns one variable. The value is evaluated before the name is local,
// as in local d=$d.
func (sh *Shell) declareName(a *syntax.Assign, isLocal bool) {
	if !isLocal || sh.frame == nil {
		sh.assignment(a)
		return
	}
	name := a.Name.Value
	switch {
	case a.Array != nil:
		v := sh.elements(a.Array)
		sh.localize(name)
		sh.Assign(name, v)
	case a.Value != nil && !a.Append:
		v := sh.text(a.Value)
		sh.localize(name)
		sh.vars[name] = nil
		sh.Assign(name, v)
	default:
		sh.localize(name)
		sh.assignment(a)
	}
}

// declareWord evaluates an operand other than a plain assignment: an option, or a word
// such as "name=$text".
func (sh *Shell) declareWord(a *syntax.Assign, isLocal, alone bool) {
	if a.Value == nil {
		return
	}
	if alone && a.Value.Lit() == "-p" {
		sh.Print(partial.UnknownSecret)
	}
	for _, word := range sh.text(a.Value) {
		name, text, ok := strings.Cut(word, "=")
		if !ok || name == "" || partial.HasHole(name) {
			continue
		}
		if isLocal {
			sh.localize(name)
		}
		sh.Assign(name, Value{text})
	}
}

// hasFlag reports whether a clause has an option.
func hasFlag(c *syntax.DeclClause, flag byte) bool {
	for _, a := range c.Args {
		if a.Name == nil && a.Value != nil && lex.IsClusterWith(a.Value.Lit(), flag) {
			return true
		}
	}
	return false
}
