package rows

import (
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/understand/argv"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell/expand"
)

// TableIn returns the table of a list that lists a program, or nil.
func TableIn(list []Table, name string) *Table {
	for i := range list {
		if lex.OneOf(name, list[i].Programs) {
			return &list[i]
		}
	}
	return nil
}

// Most programs need no parser of their own: their first words and options show what
// they do. Tables describe them, and one interpreter reads the rows. The compiler
// lays the tables out, so a hook builds nothing when it starts.

// A Table describes programs that share their options.
type Table struct {
	Programs string // their names
	Options  string // a grammar of argv.ParseOptions
	Leads    bool   // their options end before the first operand
	Skip     int    // operands before the command that they start
	Bundled  bool   // the letters of the first argument may lack their dash
	Dry      string // options that make them change nothing
	Keeps    string // options with which they overwrite no file
	AnyCase  bool   // the case of operands does not matter
	Rows     []Row
	// before, if set, runs first. If it returns true, the rows are skipped.
	Before func(sh *shell.Shell, c shell.Command, o argv.Options) bool
	// do, if set, runs last, whether or not a row matched.
	Do step
}

// A step reports effects of a command that a row cannot express. If the options of
// the program lead, the operands are the words from the first operand on.
type step func(sh *shell.Shell, c shell.Command, o argv.Options)

// A Row describes one command of a program. An empty condition holds. The first row
// whose conditions all hold applies. If it sets goOn, later rows are tried, too.
type Row struct {
	Of      string // the program is one of these
	Words   string // the first operands match: "volume rm|remove"; "*" is any word, "erase*" any that begins so
	Among   string // one of these is among the operands
	First   string // the first argument, as written, is one of these
	Args    string // one of these is among the arguments, as written
	Mention string // one of these lower-case texts occurs in the arguments
	Given   string // one of these options is given: "f force expire=now"
	With    string // so is one of these
	Without string // none of these options is given
	Bare    bool   // there are no arguments
	GoOn    bool

	Does effect.Kind // what the row reports; nothing without one
	Op   effect.Op   // of the effect
	OpOf Target      // the words of the command that are the op
	To   Target      // what the effect is about
	As   *Act        // the same, for an act of many rows: a copy of it would be made when a hook starts
	Made *Made       // nothing is reported if this call made all of these
	Sets *Assignment // a variable of this call that gets a value
	Runs *Start      // a command that it runs
	Also step        // reports further effects
}

// An Act is the effect that a row reports. A ref is reported by its short name.
type Act struct {
	Kind effect.Kind
	Op   effect.Op
	OpOf Target // as in a row
	To   Target
}

// A Start is a command that a row runs: some words, or the texts of shell code.
type Start struct {
	Program string // the words before those of the command
	Words   Target
	Text    Target
	Away    bool // on another machine
}

// An Assignment gives a variable of a call a value.
type Assignment struct {
	Name string
	To   Target
}

// Made are things of one kind that a call may have made itself.
type Made struct {
	Kind  string
	Names Target
}

// Acts of many rows.
var (
	Publishes     = Act{Kind: effect.PublishOut, OpOf: ProgramName, To: Text("registry")}
	Uninstalls    = Act{Kind: effect.RemovePackage, OpOf: ProgramName, To: OperandsFrom(0)}
	ChangesSystem = Act{Kind: effect.ChangeSystem, OpOf: ProgramName, To: OperandsFrom(0)}
	Repartitions  = Act{Kind: effect.WriteDisk, Op: "partition", To: OperandsFrom(0)}
	ChangesVolume = Act{Kind: effect.WriteDisk, Op: "volume", To: OperandsFrom(0)}
	ChangesLedger = Act{Kind: effect.ChangeRemote, Op: "transaction", To: OperandsFrom(0)}
	StopsServer   = Act{Kind: effect.StopService, Op: "server", To: ProgramName}
)

// Run reports the effects of a command. passes says that "--help" may be for another program.
func (t *Table) Run(sh *shell.Shell, c shell.Command, passes bool) {
	o := t.Parse(c.Args)
	if o.Given("help") && !passes {
		return
	}
	for _, code := range o.Commands() {
		sh.Run(code, nil)
	}
	if o.Given(t.Keeps) {
		defer sh.Creates(len(sh.Eval.Effects))
	}
	if t.Before != nil && t.Before(sh, c, o) {
		return
	}
	if o.Given(t.Dry) {
		return
	}
	words := o.Pos
	if t.AnyCase {
		words = Lowered(words)
	}
	Run(sh, t.Rows, words, c, o)
	if t.Do != nil {
		t.Do(sh, c, o)
	}
}

// Parse splits the arguments into options and operands.
func (t *Table) Parse(args []string) argv.Options {
	if letters := lex.First(args); t.Bundled && letters != "" && letters[0] != '-' {
		args = append([]string{"-" + letters}, args[1:]...)
	}
	if !t.Leads {
		return argv.ParseOptions(args, t.Options)
	}
	o, rest := argv.Leading(args, t.Options)
	o.Pos = rest[min(t.Skip, len(rest)):]
	return o
}

// Lowered returns words in lower case.
func Lowered(words []string) []string {
	lower := make([]string, len(words))
	for i, word := range words {
		lower[i] = strings.ToLower(word)
	}
	return lower
}

// Run reports the effects of a command that the rows describe. It returns false if none holds.
func Run(sh *shell.Shell, rows []Row, words []string, c shell.Command, o argv.Options) (found bool) {
	for i := range rows {
		r := &rows[i]
		if !r.holds(words, c, o) {
			continue
		}
		if does := r.Act(); does.Kind != "" && !r.Made.isHere(sh, c, o) {
			does.Report(sh, c, o)
		}
		if r.Sets != nil {
			sh.Assign(r.Sets.Name, expand.Value{asOne(r.Sets.To.words(c, o))})
		}
		if r.Runs != nil {
			r.Runs.run(sh, c, o)
		}
		if r.Also != nil {
			r.Also(sh, c, o)
		}
		if !r.GoOn {
			return true
		}
		found = true
	}
	return found
}

// Act returns what the row reports.
func (r *Row) Act() Act {
	if r.As != nil {
		return *r.As
	}
	return Act{r.Does, r.Op, r.OpOf, r.To}
}

// isHere reports whether this call made all of them.
func (m *Made) isHere(sh *shell.Shell, c shell.Command, o argv.Options) bool {
	if m == nil {
		return false
	}
	names := m.Names.words(c, o)
	if _, paths := m.Names.(Paths); paths {
		names = pathsOf(sh, names)
	}
	return IsMade(sh, m.Kind, names)
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
func (s *Start) run(sh *shell.Shell, c shell.Command, o argv.Options) {
	if s.Away {
		sh = sh.Elsewhere()
	}
	if s.Text == nil {
		sh.Exec(append(strings.Fields(s.Program), s.Words.words(c, o)...), c.In)
		return
	}
	for _, code := range s.Text.words(c, o) {
		sh.RunText(code)
	}
}

// Report reports the effect for a command.
func (a Act) Report(sh *shell.Shell, c shell.Command, o argv.Options) {
	op := a.Op
	if a.OpOf != nil {
		op = effect.Named(asOne(a.OpOf.words(c, o)))
	}
	switch t := a.To.(type) {
	case nil:
		sh.Effect(a.Kind, op, "")
	case Pathspecs:
		ReportDiscards(sh, op, t.words(c, o))
	case Paths:
		for _, path := range pathsOf(sh, t.words(c, o)) {
			sh.Effect(a.Kind, op, path)
		}
	case Each:
		for _, w := range t.words(c, o) {
			sh.Effect(a.Kind, op, a.named(w))
		}
	default:
		sh.Effect(a.Kind, op, a.named(asOne(t.words(c, o))))
	}
}

// named returns a word as the effect names it.
func (a Act) named(word string) string {
	if a.Kind == effect.RewriteRefs {
		return BranchOf(word)
	}
	return word
}

// holds reports whether all conditions of a row hold for a command.
func (r *Row) holds(words []string, c shell.Command, o argv.Options) bool {
	switch {
	case Fails(r.Of, lex.OneOf(c.Name, r.Of)),
		!BeginWith(words, r.Words),
		r.Bare && len(c.Args) > 0,
		Fails(r.Given, o.Given(r.Given)),
		Fails(r.With, o.Given(r.With)),
		o.Given(r.Without),
		Fails(r.Among, lex.ContainsAny(words, r.Among)),
		Fails(r.First, oneChoice(lex.First(c.Args), r.First)),
		r.Args != "" && !slices.ContainsFunc(c.Args, func(a string) bool { return oneChoice(a, r.Args) }),
		r.Mention != "" && !lex.Mentions(strings.ToLower(strings.Join(c.Args, " ")), r.Mention):
		return false
	}
	return true
}

// Fails reports whether a row has a condition, and it does not hold.
func Fails(condition string, holds bool) bool { return condition != "" && !holds }

// BeginWith reports whether the first words match a pattern, word by word.
func BeginWith(words []string, pattern string) bool {
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
