package understand

import (
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
)

// Most programs need no parser of their own: their first words and options show what
// they do. Tables describe them, and one interpreter reads the rows. The compiler
// lays the tables out, so a hook builds nothing when it starts.

// A table describes programs that share their options.
type table struct {
	programs string // their names
	options  string // a grammar of shell.ParseOptions
	leads    bool   // their options end before the first operand
	skip     int    // operands before the command that they start
	bundled  bool   // the letters of the first argument may lack their dash
	dry      string // options that make them change nothing
	keeps    string // options with which they overwrite no file
	anyCase  bool   // the case of operands does not matter
	rows     []row
	// before, if set, runs first. If it returns true, the rows are skipped.
	before func(sh *shell.Shell, c shell.Command, o shell.Options) bool
	// do, if set, runs last, whether or not a row matched.
	do step
}

// A step reports effects of a command that a row cannot express. If the options of
// the program lead, the operands are the words from the first operand on.
type step func(sh *shell.Shell, c shell.Command, o shell.Options)

// A row describes one command of a program. An empty condition holds. The first row
// whose conditions all hold applies. If it sets goOn, later rows are tried, too.
type row struct {
	of      string // the program is one of these
	words   string // the first operands match: "volume rm|remove"; "*" is any word, "erase*" any that begins so
	among   string // one of these is among the operands
	first   string // the first argument, as written, is one of these
	args    string // one of these is among the arguments, as written
	mention string // one of these lower-case texts occurs in the arguments
	given   string // one of these options is given: "f force expire=now"
	with    string // so is one of these
	without string // none of these options is given
	bare    bool   // there are no arguments
	goOn    bool

	does effect.Kind // what the row reports; nothing without one
	op   effect.Op   // of the effect
	opOf target      // the words of the command that are the op
	to   target      // what the effect is about
	as   *act        // the same, for an act of many rows: a copy of it would be made when a hook starts
	made *made       // nothing is reported if this call made all of these
	sets *assignment // a variable of this call that gets a value
	runs *start      // a command that it runs
	also step        // reports further effects
}

// An act is the effect that a row reports. A ref is reported by its short name.
type act struct {
	kind effect.Kind
	op   effect.Op
	opOf target // as in a row
	to   target
}

// A start is a command that a row runs: some words, or the texts of shell code.
type start struct {
	program string // the words before those of the command
	words   target
	text    target
	away    bool // on another machine
}

// An assignment gives a variable of a call a value.
type assignment struct {
	name string
	to   target
}

// made are things of one kind that a call may have made itself.
type made struct {
	kind  string
	names target
}

// Acts of many rows.
var (
	publishes     = act{kind: effect.PublishOut, opOf: programName, to: text("registry")}
	uninstalls    = act{kind: effect.RemovePackage, opOf: programName, to: operandsFrom(0)}
	changesSystem = act{kind: effect.ChangeSystem, opOf: programName, to: operandsFrom(0)}
	repartitions  = act{kind: effect.WriteDisk, op: "partition", to: operandsFrom(0)}
	changesVolume = act{kind: effect.WriteDisk, op: "volume", to: operandsFrom(0)}
	changesLedger = act{kind: effect.ChangeRemote, op: "transaction", to: operandsFrom(0)}
	stopsServer   = act{kind: effect.StopService, op: "server", to: programName}
)

// run reports the effects of a command. passes says that "--help" may be for another program.
func (t *table) run(sh *shell.Shell, c shell.Command, passes bool) {
	o := t.parse(c.Args)
	if o.Given("help") && !passes {
		return
	}
	for _, code := range o.Commands() {
		sh.Run(code, nil)
	}
	if o.Given(t.keeps) {
		defer sh.Creates(len(sh.Eval.Effects))
	}
	if t.before != nil && t.before(sh, c, o) {
		return
	}
	if o.Given(t.dry) {
		return
	}
	words := o.Pos
	if t.anyCase {
		words = lowered(words)
	}
	runRows(sh, t.rows, words, c, o)
	if t.do != nil {
		t.do(sh, c, o)
	}
}

// parse splits the arguments into options and operands.
func (t *table) parse(args []string) shell.Options {
	if letters := lex.First(args); t.bundled && letters != "" && letters[0] != '-' {
		args = append([]string{"-" + letters}, args[1:]...)
	}
	if !t.leads {
		return shell.ParseOptions(args, t.options)
	}
	o, rest := shell.Leading(args, t.options)
	o.Pos = rest[min(t.skip, len(rest)):]
	return o
}

// lowered returns words in lower case.
func lowered(words []string) []string {
	lower := make([]string, len(words))
	for i, word := range words {
		lower[i] = strings.ToLower(word)
	}
	return lower
}

// runRows reports the effects of a command that the rows describe. It returns false if none holds.
func runRows(sh *shell.Shell, rows []row, words []string, c shell.Command, o shell.Options) (found bool) {
	for i := range rows {
		r := &rows[i]
		if !r.holds(words, c, o) {
			continue
		}
		if does := r.act(); does.kind != "" && !r.made.isHere(sh, c, o) {
			does.report(sh, c, o)
		}
		if r.sets != nil {
			sh.Assign(r.sets.name, shell.Value{asOne(r.sets.to.words(c, o))})
		}
		if r.runs != nil {
			r.runs.run(sh, c, o)
		}
		if r.also != nil {
			r.also(sh, c, o)
		}
		if !r.goOn {
			return true
		}
		found = true
	}
	return found
}

// act returns what the row reports.
func (r *row) act() act {
	if r.as != nil {
		return *r.as
	}
	return act{r.does, r.op, r.opOf, r.to}
}

// isHere reports whether this call made all of them.
func (m *made) isHere(sh *shell.Shell, c shell.Command, o shell.Options) bool {
	if m == nil {
		return false
	}
	names := m.names.words(c, o)
	if _, paths := m.names.(files); paths {
		names = pathsOf(sh, names)
	}
	return madeHere(sh, m.kind, names)
}

// pathsOf returns the paths that words name.
func pathsOf(sh *shell.Shell, words []string) []string {
	paths := make([]string, len(words))
	for i, w := range words {
		paths[i] = sh.Path(w)
	}
	return paths
}

// run runs the command.
func (s *start) run(sh *shell.Shell, c shell.Command, o shell.Options) {
	if s.away {
		sh = sh.Elsewhere()
	}
	if s.text == nil {
		sh.Exec(append(strings.Fields(s.program), s.words.words(c, o)...), c.In)
		return
	}
	for _, code := range s.text.words(c, o) {
		sh.RunText(code)
	}
}

// report reports the effect for a command.
func (a act) report(sh *shell.Shell, c shell.Command, o shell.Options) {
	op := a.op
	if a.opOf != nil {
		op = effect.Named(asOne(a.opOf.words(c, o)))
	}
	switch t := a.to.(type) {
	case nil:
		sh.Effect(a.kind, op, "")
	case pathspecs:
		reportDiscards(sh, op, t.words(c, o))
	case files:
		for _, path := range pathsOf(sh, t.words(c, o)) {
			sh.Effect(a.kind, op, path)
		}
	case each:
		for _, w := range t.words(c, o) {
			sh.Effect(a.kind, op, a.named(w))
		}
	default:
		sh.Effect(a.kind, op, a.named(asOne(t.words(c, o))))
	}
}

// named returns a word as the effect names it.
func (a act) named(word string) string {
	if a.kind == effect.RewriteRefs {
		return branchOf(word)
	}
	return word
}

// holds reports whether all conditions of a row hold for a command.
func (r *row) holds(words []string, c shell.Command, o shell.Options) bool {
	switch {
	case fails(r.of, lex.OneOf(c.Name, r.of)),
		!beginWith(words, r.words),
		r.bare && len(c.Args) > 0,
		fails(r.given, o.Given(r.given)),
		fails(r.with, o.Given(r.with)),
		o.Given(r.without),
		fails(r.among, lex.ContainsAny(words, r.among)),
		fails(r.first, oneChoice(lex.First(c.Args), r.first)),
		r.args != "" && !slices.ContainsFunc(c.Args, func(a string) bool { return oneChoice(a, r.args) }),
		r.mention != "" && !lex.Mentions(strings.ToLower(strings.Join(c.Args, " ")), r.mention):
		return false
	}
	return true
}

// fails reports whether a row has a condition, and it does not hold.
func fails(condition string, holds bool) bool { return condition != "" && !holds }

// beginWith reports whether the first words match a pattern, word by word.
func beginWith(words []string, pattern string) bool {
	for i := 0; pattern != ""; i++ {
		var choice string
		choice, pattern, _ = strings.Cut(pattern, " ")
		if i == len(words) || !oneChoice(words[i], choice) {
			return false
		}
	}
	return true
}

// oneChoice reports whether a word matches one of the choices that "|" separates.
func oneChoice(word, choices string) bool {
	for one := range strings.SplitSeq(choices, "|") {
		start, open := strings.CutSuffix(one, "*")
		end, after := strings.CutPrefix(one, "*")
		switch {
		case word == one, open && strings.HasPrefix(word, start), after && strings.HasSuffix(word, end):
			return true
		}
	}
	return false
}
