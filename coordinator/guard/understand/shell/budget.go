package shell

import (
	"cmp"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell/expand"
)

// Budgets keep the work linear in the size of the call. They count steps and not
// time, so that the same call gets the same verdict on every machine. A part that
// exceeds the budget is reported as Unreadable and never skipped silently.
const (
	MaxDepth   = 20 // nested sources and function calls
	maxEffects = 4096
)

// A step takes about a quarter of a microsecond. These constants are the costs of
// the parts of an evaluation, so the steps of a call bound its time.
const (
	perStatement  = 1
	PerCommand    = 2  // to find out which program runs
	perSource     = 8  // to parse a nested source, however short
	perScope      = 2  // a subshell or a substitution
	perEffect     = 6  // to report and to judge it
	ArgsPerStep   = 4  // words of a command
	TextPerStep   = 32 // bytes that are copied
	scopesPerStep = 8  // scopes that a name is looked up in
)

// budget is the work that the evaluation of one call may still do.
type budget struct {
	steps int
	Bytes int  // nested source that may be parsed
	Spent bool // the steps are used up, and that was reported
}

func newBudget(size int) budget {
	return budget{steps: 2000 + size/3, Bytes: 16<<10 + 3*size}
}

// mostCommands returns how many commands the budget of a call of this size allows. To parse a
// text with more would be useless.
func mostCommands(size int) int { return newBudget(size).steps / (perStatement + PerCommand) }

// Spend charges for work and reports whether the budget allows it. When the steps
// are used up, the evaluation ends and the whole call counts as unreadable.
func (sh *Shell) Spend(steps int) bool {
	b := &sh.Eval.Budget
	if b.Spent {
		return false
	}
	if b.steps -= steps; b.steps >= 0 {
		return true
	}
	sh.giveUp()
	return false
}

// giveUp ends the evaluation of the call.
func (sh *Shell) giveUp() {
	if !sh.Eval.Budget.Spent {
		sh.Eval.Budget.Spent = true
		sh.exhausted()
	}
}

// SpendSource charges for parsing a nested source and reports whether the budget
// allows it.
func (sh *Shell) SpendSource(text string) bool {
	b := &sh.Eval.Budget
	if sh.Depth >= MaxDepth || len(text) > b.Bytes || len(text) > expand.MaxSource {
		sh.exhausted()
		return false
	}
	b.Bytes -= len(text)
	return sh.Spend(perSource)
}

// Afford charges for copying a text. It returns the text, or a hole if the budget
// does not allow the copy. A string that keeps doubling thus uses up the budget
// before it uses up the memory.
func (sh *Shell) Afford(text string) string {
	if !sh.Spend(len(text)/TextPerStep) || len(text) > expand.MaxSource {
		return partial.Unknown
	}
	return text
}

// exhausted reports that a bound was reached. Any part of the call may be unread,
// so a protected word anywhere in the call counts.
func (sh *Shell) exhausted() { sh.unread(effect.OverBudget, sh.Eval.protected()) }

// unread reports that a part of the call could not be read. word is the protected word in it, "" if
// there is none. What cannot be read of a file does not count.
func (sh *Shell) unread(why effect.Op, word string) {
	if sh.file() != nil {
		return
	}
	sh.Eval.Add(effect.Effect{
		Kind:   effect.Unreadable,
		Op:     why,
		Target: word,
		Sure:   effect.Known,
		Part:   sh.Text(),
	})
}

// protected returns the first protected word in the call, or "". An unreadable
// call with such a word is denied; without one the person is asked.
func (u *Evaluation) protected() string {
	if u.word == nil {
		word := ""
		for _, a := range u.call.Args {
			word = cmp.Or(word, protectedWord(a.Value))
		}
		u.word = &word
	}
	return *u.word
}

// Unreadable reports a text that could not be followed to its end.
func (sh *Shell) Unreadable(why effect.Op, text string) { sh.unread(why, protectedWord(text)) }

// protectedWord returns the first protected word in a text, or "".
func protectedWord(text string) string {
	low := strings.ToLower(text)
	for _, w := range [...]string{
		"afar", "hook-pre-tool", "hook-stop", "hook-permission", ".claude/settings", ".claude.json", "disableallhooks",
		"reset --hard", "rm -rf", "rm -fr", "push --force", "push -f", "mkfs", "drop database", "/dev/sd", "/dev/nvme",
		"terraform destroy",
	} {
		if strings.Contains(low, w) {
			return w
		}
	}
	return ""
}

// maxRecorded bounds the steps of the tree. Further steps are not recorded, and
// Lost is set.
const maxRecorded = 10000

// recorder keeps the tree of commands, if it is needed.
type recorder struct {
	Root *effect.Step // nil if no tree is kept
	at   *effect.Step // the running command
	left int
	Lost bool
}

func newRecorder(site Site) recorder {
	top := &effect.Step{}
	if !site.Record && !site.ReadOnly {
		return recorder{at: top}
	}
	return recorder{Root: top, at: top, left: maxRecorded}
}

// begin records a command that is about to be evaluated. It returns the command
// that runs it, to be set again at its end.
func (r *recorder) begin(sh *Shell, argv []string) *effect.Step {
	before := r.at
	if r.left--; r.left < 0 {
		r.Lost = true
		return before
	}
	r.at = &effect.Step{
		Program: lex.ProgramName(argv[0]),
		Words:   append([]string{}, argv...),
		Dir:     sh.Place.Cwd,
		Away:    sh.Place.Away,
		Part:    sh.Text(),
	}
	before.Steps = append(before.Steps, r.at)
	return before
}

// sets notes that the running command sets a variable.
func (r *recorder) sets(name string) { r.at.Sets = append(r.at.Sets, name) }
