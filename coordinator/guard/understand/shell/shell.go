// Package shell runs text of a shell in the abstract: with its variables, functions, redirections and loops
// over what is known, and without doing anything. It hands each command to the programs of package understand.
package shell

import (
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"github.com/afar-sh/afar/coordinator/guard/protected"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell/expand"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell/grammar"
	"mvdan.cc/sh/v3/syntax"
)

// Run parses and evaluates nested source text.
func (sh *Shell) Run(text string, stdin *string) {
	if !sh.SpendSource(text) {
		return
	}
	file, err := sh.Eval.parsers.Parse(text, mostCommands(len(text)))
	if err != nil {
		sh.Unreadable(effect.Named("syntax"), text)
		return
	}
	before := *sh
	sh.Depth++
	sh.Src = sh.source(text)
	sh.stmts(file.Stmts, stdin)
	sh.Depth, sh.Src, sh.Part, sh.at, sh.Via = before.Depth, before.Src, before.Part, before.at, before.Via
	sh.line = before.line
}

func (sh *Shell) stmts(list []*syntax.Stmt, stdin *string) {
	for _, st := range list {
		sh.stmt(st, stdin)
	}
}

func (sh *Shell) stmt(st *syntax.Stmt, stdin *string) {
	switch {
	case st == nil, sh.ended != running, !sh.Spend(perStatement):
		return
	}
	if stdin == nil {
		stdin = sh.execIn
	}
	part, line, at, forked, feeds, outer := sh.Part, sh.line, sh.at, sh.forked, sh.feeds, sh.stdin
	if stdin != nil {
		sh.stdin = stdin
	}
	sh.at = spot{src: sh.Src, stmt: st}
	sh.forked = forked || st.Background
	sh.feeds = feeds || grammar.ReadsFiles(st) && sh.runsInput(st)
	in, sinks := sh.redirects(st.Redirs, stdin)
	if st.Cmd == nil && in != stdin {
		sh.Print(*in) // $(< file)
	}
	if name, args := grammar.Simple(st.Cmd); name == "exec" && len(args) == 0 { // it redirects the shell itself
		sh.execIn = in
	}
	if len(sinks) == 0 {
		sh.node(st.Cmd, in)
	} else {
		sh.redirected(st.Cmd, in, sinks)
	}
	sh.Part, sh.line, sh.at, sh.forked, sh.feeds, sh.stdin = part, line, at, forked, feeds, outer
}

// A sink is a file that the output of a command goes to.
type sink struct {
	path    string
	effect  int  // index of the effect that reports it
	appends bool // the file keeps what it has
}

// redirected runs a command whose output goes to files and remembers it.
func (sh *Shell) redirected(cmd syntax.Command, in *string, sinks []sink) {
	outer := sh.Out
	sh.Out = &strings.Builder{}
	sh.node(cmd, in)
	text := sh.Out.String()
	sh.Out = outer
	name, _ := grammar.Simple(cmd)
	isWhole := cmd == nil || lex.OneOf(name, ": cat echo printf true") // the text is all that it prints
	for _, f := range sinks {
		if host, ok := NetDevice(f.path); ok && strings.ContainsRune(text, partial.HoleSecret) {
			sh.Effect(effect.SendOut, effect.Secret, host)
		}
		if lex.OneOf(f.path, "/dev/stdout /dev/stderr /dev/tty") {
			sh.Print(text)
			continue
		}
		if text == "" && !f.appends && isWhole {
			sh.Eval.empties(f.effect)
		}
		sh.extends(f)
		sh.Remember(f.path, text)
	}
}

// empties notes that the i-th effect, which writes a file, leaves the file empty.
func (u *Evaluation) empties(i int) {
	if i < len(u.Effects) && u.Effects[i].Kind == effect.WriteFile && u.Effects[i].Op == "" {
		u.Effects[i].Op = effect.Truncate
	}
}

func (sh *Shell) Remember(path, text string) {
	sh.Files[path] = text
	sh.flow(path, text)
}

func (sh *Shell) node(cmd syntax.Command, in *string) {
	switch c := cmd.(type) {
	case nil:
	case *syntax.CallExpr:
		sh.call(c, in)
	case *syntax.BinaryCmd:
		sh.binary(c, in)
	case *syntax.Subshell:
		sh.Sub().stmts(c.Stmts, in)
	case *syntax.Block:
		sh.stmts(c.Stmts, in)
	case *syntax.IfClause:
		sh.ifClause(c, in)
	case *syntax.WhileClause:
		sh.while(c, in)
	case *syntax.ForClause:
		sh.forClause(c, in)
	case *syntax.CaseClause:
		sh.caseClause(c, in)
	case *syntax.FuncDecl:
		sh.declare(c, in)
	case *syntax.DeclClause:
		sh.decl(c)
	case *syntax.TimeClause:
		sh.stmt(c.Stmt, in)
	case *syntax.CoprocClause:
		sh.coprocess(c, in)
	default:
		sh.nested(cmd)
	}
}

// declare defines a function. The parser takes all of "f() { …; } && g" as a body,
// while the shell defines f and then runs g.
func (sh *Shell) declare(c *syntax.FuncDecl, in *string) {
	body, after := c.Body, []*syntax.BinaryCmd(nil)
	for list := grammar.BinaryOf(body); list != nil; list = grammar.BinaryOf(body) {
		after = append(after, list)
		body = list.X
	}
	if c.Name != nil {
		sh.define(c.Name.Value, &function{body: body, src: sh.Src})
	}
	for _, n := range c.Names {
		sh.define(n.Value, &function{body: body, src: sh.Src})
	}
	for _, list := range slices.Backward(after) {
		sh.orElse(list, in, sh.Place.Cwd)
	}
}

// nested evaluates the substitutions inside tests and arithmetic.
func (sh *Shell) nested(n syntax.Node) {
	if n == nil {
		return
	}
	syntax.Walk(n, func(n syntax.Node) bool {
		switch x := n.(type) {
		case *syntax.CmdSubst:
			sh.capture(func(c *Shell) { c.stmts(x.Stmts, nil) })
			return false
		case *syntax.ProcSubst:
			sh.capture(func(c *Shell) { c.stmts(x.Stmts, nil) })
			return false
		case *syntax.BinaryArithm:
			if strings.HasSuffix(x.Op.String(), "=") && !lex.OneOf(x.Op.String(), "== != <= >=") {
				sh.computes(x.X)
			}
		case *syntax.UnaryArithm:
			if lex.OneOf(x.Op.String(), "++ --") {
				sh.computes(x.X)
			}
		}
		return true
	})
}

// computes notes that arithmetic changes a variable.
func (sh *Shell) computes(x syntax.ArithmExpr) {
	if w, ok := x.(*syntax.Word); ok && w.Lit() != "" {
		old, _ := sh.Lookup(w.Lit())
		sh.Assign(w.Lit(), old.Join(expand.Value{partial.Unknown}))
	}
}

func (sh *Shell) binary(c *syntax.BinaryCmd, in *string) {
	first, rest := grammar.Spine(c)
	if grammar.IsPipe(c) {
		stages := []*syntax.Stmt{first}
		for _, next := range rest {
			stages = append(stages, next.Y)
		}
		sh.pipeline(stages, in)
		return
	}
	before := sh.Place.Cwd
	sh.stmt(first, in)
	for _, next := range rest {
		here := sh.Place.Cwd
		sh.orElse(next, in, before)
		if next.Op == syntax.AndStmt {
			before = here
		}
	}
}

// orElse runs the second command of a list. before is the directory in which the command before
// it ran: if that one failed to change it, the second command runs there, too.
func (sh *Shell) orElse(c *syntax.BinaryCmd, in *string, before string) {
	runs, known := sh.reaches(c)
	if known && !runs {
		return
	}
	doubt := sh.doubt
	if !known {
		sh.doubt++
	}
	if c.Op == syntax.OrStmt {
		sh.uncertain++
		sh.failed(before, func() { sh.stmt(c.Y, in) })
		sh.uncertain--
	} else {
		sh.stmt(c.Y, in)
	}
	sh.doubt = doubt
}

func (sh *Shell) pipeline(stages []*syntax.Stmt, in *string) {
	if shellToNetwork(stages) {
		sh.Effect(effect.ReverseShell, effect.Named("pipe"), "")
	}
	data := in
	runner := len(stages) - 1 // the last stage that runs what it reads
	for runner > 0 && !sh.runsInput(stages[runner]) {
		runner--
	}
	for i, st := range stages {
		if sh.Eval.Budget.Spent {
			return
		}
		stage := sh.Sub()
		stage.forked = true
		last := i == len(stages)-1
		if !last {
			stage.Out = &strings.Builder{}
			stage.feeds = stage.feeds || i < runner
		}
		stage.stmt(st, data)
		if !last {
			text := stage.Out.String()
			data = &text
		}
	}
}

// shellToNetwork reports whether a pipeline has a shell whose output goes to a
// network connection.
func shellToNetwork(stages []*syntax.Stmt) bool {
	fed := false
	for i, st := range stages {
		name, args := grammar.Simple(st.Cmd)
		name = lex.ProgramName(name)
		switch {
		case fed && lex.OneOf(name, socketClients):
			return true
		case i > 0 && lex.IsShellName(name):
			fed = fed || grammar.TakesCommands(args)
		}
	}
	return false
}

// failed runs what a shell does after a command that failed, in the directory before that command.
func (sh *Shell) failed(before string, then func()) {
	cwd := sh.Place.Cwd
	sh.Place.Cwd = before
	then()
	if sh.Place.Cwd == before {
		sh.Place.Cwd = cwd
	}
	sh.forgetDirectory(cwd)
}

func (sh *Shell) ifClause(c *syntax.IfClause, in *string) {
	sh.uncertain++
	doubt, fails := sh.doubt, sh.Place.Cwd
	sh.stmts(c.Cond, in)
	cwd, moved := sh.Place.Cwd, false
	if len(c.Cond) == 1 && c.Cond[0].Negated { // as in "if ! cd x"
		fails, sh.Place.Cwd = cwd, fails
	}
	for taken := false; c != nil && !taken; c = c.Else {
		from := sh.Place.Cwd
		taken = sh.branch(c, in)
		moved = moved || sh.Place.Cwd != from
		sh.Place.Cwd = fails
		if c.Else != nil && !taken {
			sh.stmts(c.Else.Cond, in)
		}
	}
	sh.Place.Cwd = cwd
	if moved {
		sh.Place.Cwd = partial.Unknown
	}
	sh.uncertain--
	sh.doubt = doubt
}

// forgetDirectory makes the directory unknown if a branch that may not run changed it.
func (sh *Shell) forgetDirectory(cwd string) {
	if sh.Place.Cwd != cwd {
		sh.Place.Cwd = partial.Unknown
	}
}

func (sh *Shell) while(c *syntax.WhileClause, in *string) {
	if grammar.Endless(c) {
		sh.forksForever(c.Do)
	}
	sh.doubt++
	sh.uncertain++
	if in != nil {
		sh.readsLines(c.Cond, *in)
	}
	sh.stmts(c.Cond, in)
	cwd := sh.Place.Cwd
	sh.stmts(c.Do, in)
	sh.forgetDirectory(cwd)
	sh.doubt--
	sh.uncertain--
}

func SplitLines(text string) []string {
	var lines []string
	for _, line := range strings.Split(text, "\n") {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
		if len(lines) > 64 {
			return append(lines, partial.Unknown)
		}
	}
	return lines
}

func (sh *Shell) forClause(c *syntax.ForClause, in *string) {
	if grammar.Repeats(c.Loop) {
		sh.forksForever(c.Do)
	}
	loop, ok := c.Loop.(*syntax.WordIter)
	if !ok {
		sh.nested(c.Loop)
	} else {
		sh.set(loop.Name.Value, sh.loopValues(loop))
		sh.Eval.sets(loop.Name.Value)
	}
	sh.doubt++
	sh.uncertain++
	cwd := sh.Place.Cwd
	sh.stmts(c.Do, in)
	sh.forgetDirectory(cwd)
	sh.doubt--
	sh.uncertain--
}

// loopValues returns the values that the variable of a loop takes.
func (sh *Shell) loopValues(loop *syntax.WordIter) expand.Value {
	var v expand.Value
	for _, item := range loop.Items {
		v = v.Join(sh.fields(item))
	}
	switch {
	case len(v) > 0:
		return v
	case !loop.InPos.IsValid() && len(sh.params) > 0:
		return expand.Value(nil).Join(sh.params)
	}
	return expand.Value{partial.Unknown}
}

func (sh *Shell) caseClause(c *syntax.CaseClause, in *string) {
	word := lex.First(sh.text(c.Word))
	doubt := sh.doubt
	sh.uncertain++
	cwd := sh.Place.Cwd
	items, sure := sh.chosen(c)
	if !sure {
		sh.doubt++
	}
	for _, item := range items {
		sh.Eval.SeeksAfar = sh.Eval.SeeksAfar || strings.Contains(word, FoundMark) && namesAfar(item)
		sh.stmts(item.Stmts, in)
		sh.forgetDirectory(cwd)
	}
	sh.doubt = doubt
	sh.uncertain--
}

// namesAfar reports whether a pattern of a case is the name of a process of Afar.
func namesAfar(item *syntax.CaseItem) bool {
	return slices.ContainsFunc(item.Patterns, func(w *syntax.Word) bool { return protected.NamesProcess(w.Lit()) })
}

func (sh *Shell) assignment(a *syntax.Assign) {
	if a.Name == nil {
		if a.Value != nil {
			sh.text(a.Value)
		}
		return
	}
	v, given := sh.valueIn(a)
	if !given {
		return
	}
	if old, ok := sh.Lookup(a.Name.Value); ok && a.Append {
		if a.Array != nil {
			old = old.Each(expand.BeforeMore)
		}
		v = old.Cross(v)
	}
	sh.Assign(a.Name.Value, v)
}

// valueIn returns the value that an assignment gives to a variable, or adds to it.
func (sh *Shell) valueIn(a *syntax.Assign) (v expand.Value, ok bool) {
	if a.Index != nil {
		sh.nested(a.Index)
	}
	switch {
	case a.Array != nil:
		return sh.elements(a.Array), true
	case a.Value != nil:
		return sh.text(a.Value), true
	}
	return expand.Value{""}, !a.Naked
}

// elements returns an array as one value, with field marks between its elements.
func (sh *Shell) elements(array *syntax.ArrayExpr) expand.Value {
	var all []string
	for _, el := range array.Elems {
		if el.Value != nil {
			all = append(all, sh.fields(el.Value)...)
		}
	}
	return expand.Value{strings.Join(all, string(partial.SplitMark))}
}
