package guard

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// understanding collects the effects of one call.
type understanding struct {
	call    Call
	ctx     *Context
	effects []Effect
	budget  budget
	word    *string // first protected word of the call; nil = nobody asked yet
	parsers parsers
	// programs are the names that were looked up.
	programs map[string]program
	aliases
	recorder
}

func newUnderstanding(call Call, ctx *Context) *understanding {
	size := 0
	for _, a := range call.Args {
		size += len(a.Value)
	}
	return &understanding{call: call, ctx: ctx, budget: newBudget(size), recorder: ctx.recorder()}
}

func (u *understanding) add(e Effect) {
	if len(u.effects) == maxEffects {
		u.effects[maxEffects-1] = Effect{Kind: Unreadable, Op: "too many effects", Sure: Known, Target: u.protected(), Part: e.Part}
		return
	}
	if e.Sure == "" {
		e.Sure = Known
		if placed(e.Kind) {
			e.Sure = certainty(e.Target)
		}
	}
	u.caused(len(u.effects))
	u.effects = append(u.effects, e)
}

// placed is true of the kinds whose verdict depends on the exact target.
func placed(k Kind) bool {
	switch k {
	case DeleteTree, DeleteFile, MoveAway, ChangeMode, WriteFile, PushForce, PushDelete, RewriteRefs, Discard, KillProcess:
		return true
	}
	return false
}

// place is where a command runs.
type place struct {
	cwd  string // absolute or with a hole
	prev string // where "cd -" leads
	home string
	away string // "", "remote" or "container"
	// mounts are the host directories that a container sees.
	mounts []mounted
}

type mounted struct{ inside, host string }

// locate translates a path in a container to the host where it is mounted.
func (p place) locate(target string) (string, string) {
	for _, m := range p.mounts {
		switch {
		case within(target, m.inside):
			return cleanPath(m.host + target[len(m.inside):]), ""
		case within(m.inside, strings.TrimSuffix(target, "/*")):
			return m.host, ""
		}
	}
	return target, p.away
}

// function is a shell function: a parsed body or, for an alias, text.
type function struct {
	body  *syntax.Stmt
	src   *source
	alias string
	calls int // running invocations, to notice recursion
}

// source is one parsed text; parts are cut out of it.
type source struct {
	text  string
	whole string // set when text is no part of the call: the part to show instead
}

func (s *source) cut(from, to uint) string {
	if s.whole != "" {
		return s.whole
	}
	n := uint(len(s.text))
	if from > n || to > n || from > to {
		return clip(s.text, 300)
	}
	return clip(strings.TrimRight(strings.TrimSpace(s.text[from:to]), ";& \n"), 300)
}

// spot is where a command stands. Its text is cut out only for a report: to
// find where a command ends can take a walk down into it.
type spot struct {
	src  *source
	stmt *syntax.Stmt
}

// here is the text of the running command.
func (sh *shell) here() string {
	if sh.at.stmt != nil {
		sh.part = sh.at.src.cut(sh.at.stmt.Pos().Offset(), sh.at.stmt.End().Offset())
		sh.at = spot{}
	}
	return sh.part
}

// shell is the abstract state of one shell process.
type shell struct {
	u      *understanding
	parent *shell // scope to look names up in; nil at the top
	level  int    // how many scopes stand above
	place  place
	vars   map[string]value
	funcs  map[string]*function
	files  map[string]string // content of files written earlier in this call
	stack  *pushed           // pushd
	zero   string            // $0, where a caller gave one
	params []string          // positional parameters; nil = unknown
	out    *strings.Builder  // nil when nobody reads the output
	src    *source
	part   string // text of the running command, unless it is at
	at     spot   // where it stands
	depth  int
	maybe  int  // > 0 inside a branch that may not run
	forked bool // in a pipe or in the background
	via    string
	bare   bool // a redirection without a command
}

func newShell(u *understanding) *shell {
	home := slashed(u.ctx.Home)
	if home == "" {
		home = slashed(u.ctx.Env["HOME"])
	}
	cwd := slashed(u.ctx.Cwd)
	if cwd == "" {
		cwd = unknown
	}
	return &shell{u: u, place: place{cwd: cwd, home: home}, files: map[string]string{}}
}

// sub is a child scope that sees the parent's names and shares its files. The
// parent does not run while the child does; without names of its own it is
// skipped when one is looked up.
func (sh *shell) sub() *shell {
	sh.spend(perScope)
	child := *sh
	child.vars, child.funcs = nil, nil
	if len(sh.vars)+len(sh.funcs) > 0 {
		child.parent = sh
		child.level = sh.level + 1
	}
	return &child
}

// capture runs f in a child scope and returns what it prints.
func (sh *shell) capture(f func(*shell)) string {
	child := sh.sub()
	child.out = &strings.Builder{}
	f(child)
	return child.out.String()
}

func (sh *shell) print(text string) {
	if sh.out == nil {
		return
	}
	if sh.out.Len()+len(text) > maxSource {
		sh.giveUp()
		return
	}
	sh.out.WriteString(sh.afford(text))
}

// lookup finds a variable; the environment of the call counts as known.
func (sh *shell) lookup(name string) (value, bool) {
	name = sh.u.named(name)
	sh.spend(sh.level / scopesPerStep)
	for s := sh; s != nil; s = s.parent {
		if v, ok := s.vars[name]; ok {
			return v, true
		}
	}
	switch name {
	case "HOME":
		return value{sh.homeText()}, true
	case "PWD":
		return value{sh.place.cwd}, true
	case "IFS":
		return value{" "}, true
	}
	if v, ok := sh.u.ctx.Env[name]; ok && sh.place.away == "" {
		return value{scrub(v)}, true
	}
	switch name {
	case "TMPDIR":
		return value{"/tmp"}, true
	case "SHELL", "BASH": // whichever it is, it takes code as the others do
		return value{"/bin/sh"}, true
	}
	return nil, false
}

// homeText is the home directory, or the tilde where it is not known: the
// judge takes the tilde for a home.
func (sh *shell) homeText() string {
	if sh.place.home == "" || sh.place.away != "" {
		return "~"
	}
	return sh.place.home
}

func (sh *shell) assign(name string, v value) {
	name = sh.u.named(name)
	sh.u.set(name)
	if sh.maybe > 0 {
		if old, ok := sh.lookup(name); ok {
			v = old.join(v)
		}
	}
	for i, s := range v {
		v[i] = sh.afford(s)
	}
	if sh.vars == nil {
		sh.vars = map[string]value{}
	}
	sh.vars[name] = v
}

func (sh *shell) function(name string) *function {
	sh.spend(sh.level / scopesPerStep)
	for s := sh; s != nil; s = s.parent {
		if f, ok := s.funcs[name]; ok {
			return f
		}
	}
	return nil
}

func (sh *shell) define(name string, f *function) {
	if sh.funcs == nil {
		sh.funcs = map[string]*function{}
	}
	sh.funcs[name] = f
}

// effect reports an effect of the running command.
func (sh *shell) effect(kind Kind, op, target string) {
	target, away := sh.place.locate(target)
	sh.report(Effect{Kind: kind, Op: op, Target: target, Away: away})
}

func (sh *shell) possible(kind Kind, op, target string) {
	sh.report(Effect{Kind: kind, Op: op, Target: target, Away: sh.place.away, Sure: Possible})
}

func (sh *shell) report(e Effect) {
	if !sh.spend(perEffect) {
		return
	}
	e.Via, e.Dir, e.Part = sh.via, sh.place.cwd, sh.here()
	if e.Away == "" {
		e.Target = sh.u.behindLinks(e.Target)
	}
	sh.u.add(e)
}

// pushed is one directory on the stack of pushd and those below it.
type pushed struct {
	dir   string
	below *pushed
}

// path makes a word absolute in this shell's place.
func (sh *shell) path(word string) string {
	if !sh.spend((len(sh.place.cwd) + len(word)) / textPerStep) {
		return unknown
	}
	if word == "~" || strings.HasPrefix(word, "~/") {
		return cleanPath(sh.homeText() + word[1:])
	}
	return joinPath(sh.place.cwd, word)
}
