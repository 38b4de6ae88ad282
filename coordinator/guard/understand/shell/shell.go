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
	"mvdan.cc/sh/v3/syntax"
)

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
	sh.feeds = feeds || readsFiles(st) && sh.runsInput(st)
	in, sinks := sh.redirects(st.Redirs, stdin)
	if st.Cmd == nil && in != stdin {
		sh.Print(*in) // $(< file)
	}
	if name, args := simple(st.Cmd); name == "exec" && len(args) == 0 { // it redirects the shell itself
		sh.execIn = in
	}
	if len(sinks) == 0 {
		sh.node(st.Cmd, in)
	} else {
		sh.redirected(st.Cmd, in, sinks)
	}
	sh.Part, sh.line, sh.at, sh.forked, sh.feeds, sh.stdin = part, line, at, forked, feeds, outer
}

// simple returns the name of the program of a simple command and its arguments. The name is
// "" for any other command, and if it is not written out.
func simple(cmd syntax.Command) (name string, args []*syntax.Word) {
	call, ok := cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) == 0 {
		return "", nil
	}
	return call.Args[0].Lit(), call.Args[1:]
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
	name, _ := simple(cmd)
	isWhole := cmd == nil || lex.OneOf(name, ": true echo printf cat") // the text is all that it prints
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
	for list := binaryOf(body); list != nil; list = binaryOf(body) {
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
		sh.Assign(w.Lit(), old.join(Value{partial.Unknown}))
	}
}

func (sh *Shell) binary(c *syntax.BinaryCmd, in *string) {
	first, rest := spine(c)
	if isPipe(c) {
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

// spine returns the first statement of a list or of a pipeline, and what follows it in order. The tree
// of a hundred thousand commands is as deep, so nothing may recurse into it.
func spine(c *syntax.BinaryCmd) (first *syntax.Stmt, rest []*syntax.BinaryCmd) {
	for next := c; next != nil && isPipe(next) == isPipe(c); next = binaryOf(first) {
		first = next.X
		rest = append(rest, next)
	}
	slices.Reverse(rest)
	return first, rest
}

// binaryOf returns the list or the pipeline that a statement is. It returns nil for any other
// statement, and if there are redirections behind it.
func binaryOf(st *syntax.Stmt) *syntax.BinaryCmd {
	if len(st.Redirs) > 0 {
		return nil
	}
	c, _ := st.Cmd.(*syntax.BinaryCmd)
	return c
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
		name, args := simple(st.Cmd)
		name = lex.ProgramName(name)
		switch {
		case fed && lex.OneOf(name, socketClients):
			return true
		case i > 0 && lex.IsShellName(name):
			fed = fed || takesCommands(args)
		}
	}
	return false
}

// takesCommands reports whether a shell with these arguments runs the commands of its input.
func takesCommands(args []*syntax.Word) bool {
	switch len(args) {
	case 0:
		return true
	case 1:
		return args[0].Lit() == "-i"
	}
	return false
}

func isPipe(c *syntax.BinaryCmd) bool { return c.Op == syntax.Pipe || c.Op == syntax.PipeAll }

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
	if endless(c) {
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
	if repeats(c.Loop) {
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
func (sh *Shell) loopValues(loop *syntax.WordIter) Value {
	var v Value
	for _, item := range loop.Items {
		v = v.join(sh.fields(item))
	}
	switch {
	case len(v) > 0:
		return v
	case !loop.InPos.IsValid() && len(sh.params) > 0:
		return Value(nil).join(sh.params)
	}
	return Value{partial.Unknown}
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
			old = old.each(beforeMore)
		}
		v = old.cross(v)
	}
	sh.Assign(a.Name.Value, v)
}

// valueIn returns the value that an assignment gives to a variable, or adds to it.
func (sh *Shell) valueIn(a *syntax.Assign) (v Value, ok bool) {
	if a.Index != nil {
		sh.nested(a.Index)
	}
	switch {
	case a.Array != nil:
		return sh.elements(a.Array), true
	case a.Value != nil:
		return sh.text(a.Value), true
	}
	return Value{""}, !a.Naked
}

// elements returns an array as one value, with field marks between its elements.
func (sh *Shell) elements(array *syntax.ArrayExpr) Value {
	var all []string
	for _, el := range array.Elems {
		if el.Value != nil {
			all = append(all, sh.fields(el.Value)...)
		}
	}
	return Value{strings.Join(all, string(partial.SplitMark))}
}

// beforeMore returns an array as it stands before further elements.
func beforeMore(array string) string {
	if array == "" { // name=()
		return array
	}
	return array + string(partial.SplitMark)
}
