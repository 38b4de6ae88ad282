package shell

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"github.com/afar-sh/afar/coordinator/guard/understand/argv"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell/expand"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell/grammar"
	"mvdan.cc/sh/v3/syntax"
)

// SetParams evaluates "set": it sets the positional parameters. Without arguments
// set prints all variables.
func SetParams(sh *Shell, c Command, _ argv.Options) {
	if len(c.Args) == 0 {
		sh.Print(partial.UnknownSecret)
	}
	for i, a := range c.Args {
		named := i > 0 && namesOption(c.Args[i-1])
		switch {
		case a == "--":
			sh.params = append([]string{}, c.Args[i+1:]...)
			return
		case a == "", lex.BeginsWith(a, "- +"), named:
		default:
			sh.params = append([]string{}, c.Args[i:]...)
			return
		}
	}
}

// namesOption reports whether the word after an argument of set is the name of an
// option, as in "set -euo pipefail".
func namesOption(arg string) bool { return arg == "+o" || lex.IsClusterWith(arg, 'o') }

// Shift evaluates "shift".
func Shift(sh *Shell, c Command, _ argv.Options) {
	n := 1
	if count := lex.First(c.Args); lex.IsNumber(count) && len(count) < 4 {
		n, _ = strconv.Atoi(count)
	}
	sh.params = sh.params[min(n, len(sh.params)):]
}

// ChangeDir evaluates "cd" and "pushd".
func ChangeDir(sh *Shell, c Command, o argv.Options) {
	here := sh.Place.Cwd
	defer func() { sh.Place.prev = here }()
	if c.Name == "pushd" && len(c.Args) == 0 && len(sh.stack) > 0 { // it changes places with the top
		top := len(sh.stack) - 1
		sh.Place.Cwd, sh.stack = sh.stack[top], append(sh.stack[:top:top], here)
		return
	}
	if c.Name == "pushd" {
		sh.stack = append(slices.Clip(sh.stack), here)
	}
	old, known := sh.Lookup("OLDPWD")
	roots, searched := sh.Lookup("CDPATH")
	switch {
	case slices.Contains(c.Args, "-") && known:
		sh.Place.Cwd = sh.Path(lex.First(old))
	case slices.Contains(c.Args, "-") && sh.Place.prev != "":
		sh.Place.Cwd = sh.Place.prev
	case searched && o.At(0) != "" && strings.IndexByte("/.~", o.Pos[0][0]) < 0:
		sh.Place.Cwd = sh.Path(lex.First(roots) + "/" + o.Pos[0])
	case slices.Contains(c.Args, "-"):
		sh.Place.Cwd = partial.Unknown
	case len(o.Pos) == 0:
		sh.Place.Cwd = sh.HomeText()
	default:
		sh.Place.Cwd = sh.Path(o.Pos[0])
	}
}

// PopDir evaluates "popd".
func PopDir(sh *Shell, c Command, _ argv.Options) {
	top := len(sh.stack) - 1
	if top < 0 {
		sh.Place.Cwd = partial.Unknown
		return
	}
	sh.Place.Cwd, sh.stack = sh.stack[top], sh.stack[:top]
}

// readOptions are the options of "read" with a value.
const readOptions = "p n t d u i a N"

// ReadVariable evaluates "read", "getopts" and the builtins that read lines into an array.
func ReadVariable(sh *Shell, c Command, o argv.Options) {
	if c.Name != "read" && c.In != nil {
		o = argv.ParseOptions(c.Args, "d n O s u C c")
		sh.Assign(o.At(0), expand.Value{strings.Join(SplitLines(*c.In), string(partial.SplitMark))})
		return
	}
	if c.Name == "getopts" {
		sh.Assign(o.At(1), expand.Value{partial.Unknown})
		return
	}
	for _, name := range o.All("a") {
		sh.Assign(name, expand.Value{strings.Join(sh.fieldsOf(firstLine(c.In)), string(partial.SplitMark))})
	}
	for i, name := range o.Pos {
		text := firstLine(c.In)
		if c.In != nil {
			text = sh.fieldFor(i, len(o.Pos), text)
		}
		if old, ok := sh.Lookup(name); ok && c.In == nil && sh.uncertain > 0 {
			sh.Assign(name, old)
			continue
		}
		sh.Assign(name, expand.Value{text})
	}
}

// firstLine returns the first line of an input, which may not be known.
func firstLine(in *string) string {
	if in == nil {
		return partial.Unknown
	}
	line, _, _ := strings.Cut(*in, "\n")
	return line
}

// fieldsOf splits a line as "read" does.
func (sh *Shell) fieldsOf(line string) []string {
	separators := cmp.Or(sh.separators(), " \t\n")
	return strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(separators, r) })
}

// fieldFor returns what the i-th of n variables gets of a line. The last one gets all fields that are
// left, and a single one the line itself.
func (sh *Shell) fieldFor(i, n int, line string) string {
	all := sh.fieldsOf(line)
	switch {
	case n == 1:
		return line
	case i >= len(all):
		return ""
	case i == n-1:
		return strings.Join(all[i:], " ")
	}
	return all[i]
}

// readsLines binds the variables of `while read x y` to the fields of the lines of the input.
func (sh *Shell) readsLines(cond []*syntax.Stmt, text string) {
	for _, st := range cond {
		call, ok := firstOf(st).Cmd.(*syntax.CallExpr)
		if !ok || len(call.Args) < 2 || call.Args[0].Lit() != "read" {
			continue
		}
		lines := SplitLines(text)
		if len(lines) == 0 {
			lines = []string{partial.Unknown}
		}
		for name, v := range sh.with(call.Assigns).fieldsRead(call.Args[1:], lines) {
			sh.Assign(name, v)
		}
	}
}

// firstOf returns the first command of a list, such as "read x || [ -n "$x" ]".
func firstOf(st *syntax.Stmt) *syntax.Stmt {
	for {
		list, ok := st.Cmd.(*syntax.BinaryCmd)
		if !ok || grammar.IsPipe(list) {
			return st
		}
		st = list.X
	}
}

// fieldsRead returns the values that the variables of "read" get from lines.
func (sh *Shell) fieldsRead(words []*syntax.Word, lines []string) map[string]expand.Value {
	args := make([]string, len(words))
	for i, w := range words {
		args[i] = w.Lit()
	}
	names, values := argv.ParseOptions(args, readOptions).Pos, map[string]expand.Value{}
	for _, line := range lines {
		for i, name := range names {
			values[name] = values[name].Join(expand.Value{sh.fieldFor(i, len(names), line)})
		}
	}
	return values
}

// Alias evaluates "alias".
func Alias(sh *Shell, c Command, _ argv.Options) {
	for _, a := range c.Args {
		if name, text, ok := strings.Cut(a, "="); ok && text != "" {
			sh.define(name, &function{alias: text})
		}
	}
}

// AssignWords assigns the variables in words of the form name=text.
func AssignWords(sh *Shell, c Command, _ argv.Options) {
	for _, a := range c.Args {
		if name, text, ok := strings.Cut(a, "="); ok {
			sh.Assign(name, expand.Value{text})
			sh.RunVariable(name)
		}
	}
}

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
	n, before := len(u.Effects), *u.at
	sh.Sub().Run(code, nil)
	open := slices.ContainsFunc(u.Effects[n:], func(e effect.Effect) bool {
		return partial.HasHole(lex.Clip(e.Target, 1))
	})
	if !open || u.Budget.Spent || len(u.traps) >= MaxAliases {
		return
	}
	u.Effects = u.Effects[:n]
	u.at.Steps, u.at.Effects = before.Steps, before.Effects
	part := sh.Text()
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

// Program runs "bash -c text", "bash file" and "… | bash".
func (sh *Shell) Program(c Command) {
	child := sh.Sub()
	for i := 0; i < len(c.Args); i++ {
		switch a := c.Args[i]; {
		case lex.OneOf(a, "--rcfile --init-file") && i+1 < len(c.Args):
			child.Sub().scriptNamed(c.Args[i+1])
			i++
		case lex.OneOf(a, "--command --eval"), lex.IsClusterWith(a, 'c'):
			child.shellText(c, i)
			return
		case lex.OneOf(a, "+o -O"), lex.IsClusterWith(a, 'o'): // bash -euo pipefail -c …
			i++
		case a == "-n":
			return // the shell only checks the syntax
		case lex.IsClusterWith(a, 's'), a == "-", IsStdin(a):
			_, child.params = argv.Leading(c.Args[i+1:], "")
			child.pipedText(c)
			return
		case lex.BeginsWith(a, "- +"):
		default:
			child.params = c.Args[i+1:]
			child.scriptNamed(a)
			return
		}
	}
	child.pipedText(c)
}

// shellText runs the text after the "-c" at index i. It skips further flags.
func (sh *Shell) shellText(c Command, i int) {
	rest := c.Args[i+1:]
	for len(lex.First(rest)) == 2 && rest[0][0] == '-' {
		rest = rest[1:]
	}
	if len(rest) == 0 {
		return
	}
	sh.params = []string{}
	if len(rest) > 1 {
		sh.zero, sh.params = rest[1], rest[2:]
	}
	sh.RunTextIn(rest[0], c.In)
}

func (sh *Shell) pipedText(c Command) {
	if c.In != nil {
		sh.RunText(*c.In)
	}
}

func (sh *Shell) scriptNamed(name string) {
	if sh.runArrived(name) || sh.RunFile(name, sh.params) {
		return
	}
	switch origin := OriginOf(name); origin {
	case effect.Network, effect.Decoded:
		sh.Effect(effect.RunUnknown, origin, "")
	}
	if lex.BeginsWith(name, "http:// https://") {
		sh.Effect(effect.RunUnknown, effect.Network, name)
	}
}

// localize makes a variable local to the running function. Its value is unknown until
// it is assigned.
func (sh *Shell) localize(name string) {
	if sh.caller == nil {
		return
	}
	if old, set := sh.vars[name]; set && !slices.Contains(sh.locals, name) { // of the caller, until now
		sh.caller.set(name, old)
	}
	sh.locals = append(sh.locals, name)
	delete(sh.Eval.constant, name)
	sh.set(name, expand.Value{partial.Unknown})
}

// decl evaluates declare, local, export, readonly and the like.
func (sh *Shell) decl(c *syntax.DeclClause) {
	if len(c.Args) == 0 {
		sh.Print(partial.UnknownSecret)
	}
	references := c.Variant.Value == "nameref" || c.Variant.Value != "export" && hasFlag(c, 'n')
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
			put(&sh.Eval.constant, sh.Eval.named(a.Name.Value), true)
		}
	}
}

// declareName assigns one variable. The value is evaluated before the name is local,
// as in local d=$d.
func (sh *Shell) declareName(a *syntax.Assign, isLocal bool) {
	if !isLocal || sh.caller == nil {
		sh.assignment(a)
		return
	}
	v, given := sh.valueIn(a)
	sh.localize(a.Name.Value)
	if given {
		sh.set(a.Name.Value, nil)
		sh.Assign(a.Name.Value, v)
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
		sh.Assign(name, expand.Value{text})
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
