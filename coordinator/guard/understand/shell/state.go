package shell

import (
	"cmp"
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/fspath"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/pageaddr"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"github.com/afar-sh/afar/coordinator/guard/protected"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell/expand"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell/grammar"
	"mvdan.cc/sh/v3/syntax"
)

// Evaluation collects the effects of one call.
type Evaluation struct {
	call    effect.Call
	Site    Site
	Effects []effect.Effect
	Budget  budget
	word    *string // first protected word of the call; nil = not searched yet
	parsers grammar.Parsers
	// dispatch runs a program of the tables of programs. It returns true if the
	// program is known to print nothing.
	dispatch func(*Shell, Command, string) bool
	aliases
	recorder
	disk
	traps []exitTrap
	// RunsInput reports whether a program runs what it reads, as a shell does.
	RunsInput func(name string) bool
	// IsListed reports whether a table lists a program.
	IsListed func(name string) bool
	// SeeksAfar says that a command of the call has looked for Afar's processes.
	SeeksAfar bool
}

// What a command prints of processes begins with FoundMark and the name that it looked for. AList is
// a list of processes, or of what they use, of which no name is known.
const (
	FoundMark = "pid:"
	AList     = FoundMark + "0" + partial.Unknown + "\n"
	OwnChild  = FoundMark + "own" // the last process that the shell started
)

func NewEvaluation(call effect.Call, site Site, dispatch func(*Shell, Command, string) bool) *Evaluation {
	size := 0
	for _, a := range call.Args {
		size += len(a.Value)
	}
	return &Evaluation{
		call:     call,
		Site:     site,
		Budget:   newBudget(size),
		dispatch: dispatch,
		recorder: newRecorder(site),
	}
}

// putFew is put for a map that has at most MaxAliases keys.
func putFew[V any](m *map[string]V, key string, value V) {
	if len(*m) < MaxAliases {
		put(m, key, value)
	}
}

// put sets the value of a key in a map, which is made when it is first needed.
func put[V any](m *map[string]V, key string, value V) {
	if *m == nil {
		*m = map[string]V{}
	}
	(*m)[key] = value
}

func (u *Evaluation) Add(e effect.Effect) {
	if len(u.Effects) == maxEffects {
		u.Effects[maxEffects-1] = effect.Effect{
			Kind:   effect.Unreadable,
			Op:     effect.Named("too many effects"),
			Sure:   effect.Known,
			Target: u.protected(),
			Part:   e.Part,
		}
		return
	}
	if e.Sure == "" {
		e.Sure = effect.Known
		if effect.NeedsTarget(e.Kind) {
			e.Sure = effect.CertaintyOf(e.Target)
		}
	}
	u.at.Effects = append(u.at.Effects, len(u.Effects))
	u.Effects = append(u.Effects, e)
}

// Place is where a command runs.
type Place struct {
	Cwd  string // absolute or with a hole
	prev string // where "cd -" leads
	Home string
	Away string // as in effect.Effect
	// mounts are the host directories that a container sees.
	Mounts []Mounted
}

// A Mounted folder of a container is one of its host, or a volume that outlives it: then Host is empty.
type Mounted struct{ Inside, Host string }

// locate translates a path in a container to the host where it is mounted.
func (p Place) locate(target string) (string, string) {
	for _, m := range p.Mounts {
		switch {
		case m.Host == "" && fspath.Within(target, m.Inside):
			return target, effect.InRunning
		case m.Host == "":
		case fspath.Within(target, m.Inside):
			return fspath.Clean(m.Host + target[len(m.Inside):]), ""
		case fspath.Within(m.Inside, strings.TrimSuffix(target, "/*")):
			return m.Host, ""
		}
	}
	return target, p.Away
}

// function is a shell function: a parsed body or, for an alias, text.
type function struct {
	body  *syntax.Stmt
	src   *Source
	alias string
	calls int // running invocations, to notice recursion
}

// Source is one parsed text; parts are cut out of it.
type Source struct {
	Text  string
	Whole string // the part to show instead, set when text is not a part of the call
	file  *codeFile
	first int  // the line of the file where Text begins
	other bool // Text is a program of another language
	piece bool // Text is only a piece of that line
}

func (s *Source) cut(from, to uint) string {
	if s.Whole != "" {
		return s.Whole
	}
	n := uint(len(s.Text))
	if from > to || to > n {
		return lex.Clip(s.Text, 300)
	}
	return lex.Clip(strings.TrimRight(strings.TrimSpace(s.Text[from:to]), ";& \n"), 300)
}

// spot is the position of a command in its source. Its text is cut out only for a
// report, because finding the end of a command can mean walking down its tree.
type spot struct {
	src  *Source
	stmt *syntax.Stmt
}

// Text returns the text of the running command, as it stands in the call.
func (sh *Shell) Text() string {
	if sh.at.stmt != nil {
		sh.Part = sh.at.src.cut(sh.at.stmt.Pos().Offset(), sh.at.stmt.End().Offset())
		sh.line = sh.at.src.line(sh.at.stmt)
		sh.at = spot{}
	}
	return sh.Part
}

// Shell is the abstract state of one shell process.
type Shell struct {
	Eval      *Evaluation
	parent    *Shell // scope to look names up in; nil at the top
	level     int    // the number of scopes above
	Place     Place
	vars      map[string]expand.Value
	funcs     map[string]*function
	Files     map[string]string // content of files written earlier in this call
	stack     []string          // the directories of pushd, the last one on top
	caller    *Shell            // what called the running function; nil outside one
	locals    []string          // the local variables of the running function
	execIn    *string           // the standard input that exec has set; nil = none
	stdin     *string           // the standard input of the running command; nil = not known
	zero      string            // $0, where a caller gave one
	params    []string          // positional parameters; nil = unknown
	literals  []string          // arguments of the running command that stand in quotes, see AsFile
	Out       *strings.Builder  // the output; nil if it is not needed
	Src       *Source
	Part      string // text of the running command, unless it is at
	line      int    // its line in a file of the disk, unless it is at
	at        spot   // where it stands
	Depth     int
	uncertain int  // > 0 inside a branch that may not run
	forked    bool // in a pipe or in the background
	Via       string
	feeds     bool // what the command reads or prints may run as code
	exact     bool // a missing argument is empty
	doubt     int  // > 0 in a part of a file that may not run
	ended     ending
	outside   bool // a program of the person runs the commands, see Outside
}

func New(u *Evaluation) *Shell {
	home := fspath.Slashed(cmp.Or(u.Site.Home, u.Site.Env["HOME"]))
	cwd := cmp.Or(fspath.Slashed(u.Site.Cwd), partial.Unknown)
	return &Shell{Eval: u, Place: Place{Cwd: cwd, Home: home}, Files: map[string]string{}}
}

// Sub returns a child scope that sees the parent's names and shares its files. The
// parent does not run while the child runs. A parent without names of its own is
// skipped when a name is looked up.
func (sh *Shell) Sub() *Shell {
	sh.Spend(perScope)
	child := *sh
	child.vars, child.funcs = nil, nil
	if len(sh.vars)+len(sh.funcs) > 0 {
		child.parent = sh
		child.level = sh.level + 1
	}
	return &child
}

// capture runs f in a child scope and returns what it prints.
func (sh *Shell) capture(f func(*Shell)) string {
	child := sh.Sub()
	child.Out = &strings.Builder{}
	f(child)
	return child.Out.String()
}

func (sh *Shell) Print(text string) {
	if sh.Out == nil {
		return
	}
	if sh.Out.Len()+len(text) > expand.MaxSource {
		sh.giveUp()
		return
	}
	sh.Out.WriteString(sh.Afford(text))
}

// Lookup finds a variable; the environment of the call counts as known.
func (sh *Shell) Lookup(name string) (expand.Value, bool) {
	name = sh.Eval.named(name)
	sh.Spend(sh.level / scopesPerStep)
	if v, ok := sh.assigned(name); ok {
		return v, true
	}
	switch name {
	case "HOME":
		return expand.Value{sh.HomeText()}, true
	case "PWD":
		return expand.Value{sh.Place.Cwd}, true
	case "IFS":
		return expand.Value{" "}, true
	}
	if v, ok := sh.Eval.Site.Env[name]; ok && sh.Place.Away == "" {
		return expand.Value{partial.Scrub(v)}, true
	}
	switch name {
	case "CLAUDE_CODE_MESSAGING_SOCKET":
		return expand.Value{"/tmp/cc-socks/0.sock"}, true
	case "TMPDIR":
		return expand.Value{"/tmp"}, true
	case "SHELL", "BASH": // every shell takes code in the same way
		return expand.Value{"/bin/sh"}, true
	}
	return nil, false
}

// assigned finds a variable that the call itself sets.
func (sh *Shell) assigned(name string) (expand.Value, bool) {
	for s := sh; s != nil; s = s.parent {
		if v, ok := s.vars[name]; ok {
			return v, true
		}
	}
	return nil, false
}

// HomeText returns the home directory, or a tilde if it is not known. The judge
// treats the tilde as a home.
func (sh *Shell) HomeText() string {
	if sh.Place.Home == "" || sh.Place.Away != "" {
		return "~"
	}
	return sh.Place.Home
}

func (sh *Shell) Assign(name string, v expand.Value) {
	name = sh.Eval.named(name)
	sh.Eval.sets(name)
	if sh.uncertain > 0 || sh.Eval.constant[name] {
		if old, ok := sh.Lookup(name); ok && !sh.placeholder(old) {
			v = old.Join(v)
		}
	}
	for i, s := range v {
		v[i] = sh.Afford(s)
	}
	sh.set(name, v)
}

// set makes a variable of this scope.
func (sh *Shell) set(name string, v expand.Value) { put(&sh.vars, name, v) }

func (sh *Shell) function(name string) *function {
	sh.Spend(sh.level / scopesPerStep)
	for s := sh; s != nil; s = s.parent {
		if f, ok := s.funcs[name]; ok {
			return f
		}
	}
	return nil
}

func (sh *Shell) define(name string, f *function) { put(&sh.funcs, name, f) }

// Effect reports an effect of the running command.
func (sh *Shell) Effect(kind effect.Kind, op effect.Op, target string) {
	target, away := sh.Place.locate(target)
	sh.report(effect.Effect{Kind: kind, Op: op, Target: target, Away: away})
}

func (sh *Shell) Possible(kind effect.Kind, op effect.Op, target string) {
	sh.report(effect.Effect{Kind: kind, Op: op, Target: target, Away: sh.Place.Away, Sure: effect.Possible})
}

func (sh *Shell) report(e effect.Effect) {
	if !sh.Spend(perEffect) {
		return
	}
	e.Via, e.Dir, e.Part = sh.Via, sh.Place.Cwd, sh.Text()
	if e.Away == "" {
		e.Target = sh.behindLinks(e.Target)
	}
	if sh.outside && e.Kind == effect.RunUnknown && !slices.Contains(alwaysAsked, e.Op) {
		e.Op, e.Target = effect.Outside, cmp.Or(e.Target, partial.Unknown)
	}
	e, moved := sh.followsMoves(e)
	for _, e := range append([]effect.Effect{e}, moved...) {
		if f := sh.file(); f != nil {
			if len(sh.Eval.Effects) >= maxFileEffects || !tells(e, sh.InProgram()) {
				continue
			}
			e.Code = effect.Spot{File: f.path, Line: sh.line, Given: sh.given(f, e)}
		}
		sh.Eval.Add(e)
	}
}

// behindLinks returns the target of a path that leads through links of this call. A
// directory that the shell is in is left through its link.
func (sh *Shell) behindLinks(path string) string {
	if len(sh.Eval.links) > 0 && path == sh.Place.Cwd {
		path += "/"
	}
	return sh.Eval.behindLinks(path)
}

// Path makes a word absolute in this shell's place.
func (sh *Shell) Path(word string) string {
	if word == "" && sh.file() != nil {
		return partial.Unknown // a variable that is set elsewhere
	}
	if !sh.Spend((len(sh.Place.Cwd) + len(word)) / TextPerStep) {
		return partial.Unknown
	}
	if fspath.Within(word, "~") {
		return fspath.Clean(sh.HomeText() + word[1:])
	}
	return fspath.Join(sh.Place.Cwd, word)
}

func RemotePlace() Place { return Place{Cwd: "~", Home: "", Away: "remote"} }

// Elsewhere returns a shell on another machine.
func (sh *Shell) Elsewhere() *Shell {
	child := sh.Sub()
	child.Place = RemotePlace()
	return child
}

// A Site is the part of the place of a call that influences what the call does.
// Every field may be empty.
type Site struct {
	Cwd, Project, Home string
	Env                map[string]string // statically known environment
	Own                []string          // Afar's own directories and files
	Page               pageaddr.Page     // where Afar's page is served
	Path               []string          // the folders in which programs are looked up by their names
	// FileText returns the text of a file that the call would run. It returns false
	// for a file that cannot be read. For a path with a slash at the end it returns the
	// names in a directory. nil = no file can be read.
	FileText func(path string) (string, bool)
	// Members returns the names of the files in an archive, one a line. nil = none can be read.
	Members func(path string) (string, bool)
	// Skills reports whether the client puts the commands in the text of skills to the guard.
	// nil = it does not.
	Skills   func() bool
	ReadOnly bool // report everything that does more than read
	Confirm  bool // acts that reach other machines or people are reported, with Record
	Record   bool // keep the tree of commands
}

// Deletes reports a deletion. A slash at the end of word is kept, because "link/"
// deletes the target of the link.
func (sh *Shell) Deletes(kind effect.Kind, op effect.Op, word string) {
	p := sh.Path(word)
	if sh.InMade(p) {
		return
	}
	if strings.HasSuffix(p, EveryFile) {
		kind = effect.DeleteTree
	}
	if len(word) > 1 && strings.HasSuffix(word, "/") && p != "/" {
		p += "/"
	}
	sh.Effect(kind, op, p)
	if sh.uncertain == 0 {
		sh.Eval.links = slices.DeleteFunc(sh.Eval.links, func(l symlink) bool { return l.path == p })
	}
}

// Overlays reports a copy of a tree into a directory. It replaces the files there that have the
// names of files in the tree.
func (sh *Shell) Overlays(dir, tree string) {
	dir, away := sh.Place.locate(dir)
	sh.report(effect.Effect{Kind: effect.WriteFile, Target: dir, Away: away, From: tree})
}

// EveryFile stands for all files below the root of a find without conditions.
const EveryFile = "/**"

// IsOwn reports whether a path is a policy file or one of Afar's own files.
func (sh *Shell) IsOwn(p string) bool {
	if strings.EqualFold(fspath.Base(p), protected.PolicyFile) {
		return true
	}
	return slices.ContainsFunc(sh.Eval.Site.Own, func(dir string) bool { return fspath.Within(p, dir) })
}
