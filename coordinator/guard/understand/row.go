package understand

import (
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
)

// Most programs have no grammar of their own: a few first words and options say
// what they do. They are data. One interpreter reads their rows; the compiler
// lays the tables out, so that a hook that starts builds nothing.

// A table describes programs that share their options.
type table struct {
	programs string // their names
	values   string // the options that take a value
	dry      string // options with which they change nothing
	anyCase  bool   // letters of words may be large or small
	rows     []row
	// before, where it is set, is done first; where it returns true, that is all.
	before func(sh *shell.Shell, c shell.Command, o shell.Options) bool
	// after, where it is set, is done last, whatever the rows said.
	after step
}

// A step is what a command does beyond what a row can say.
type step func(sh *shell.Shell, c shell.Command, o shell.Options)

// A row says what one command of a program does. A condition that is empty holds.
// The first row whose conditions hold counts, and those behind it if it goes on.
type row struct {
	of      string // one of these programs
	words   string // the operands begin so: "volume rm|remove"; "*" is any word, "erase*" any that begins so
	among   string // one of these is among the operands
	first   string // the first argument, as written, is one of these
	args    string // one of these is among the arguments, as written
	mention string // one of these texts, in small letters, occurs in the arguments
	given   string // one of these options is given: "f force expire=now"
	long    string // one of these options is given, a long one perhaps shortened
	without string // none of these options is given
	bare    bool   // there are no arguments
	goOn    bool

	// What it does. Without a kind it does nothing that matters. In op and target
	// "$0" is the first operand, "$1*" all from the second on, "$name" the program,
	// "$args" all arguments.
	kind   effect.Kind
	op     effect.Op
	target string
	also   step // what else happens
}

// Operations and targets that are told by the words of a command.
const (
	byVerb     effect.Op = "$0"
	bySecond   effect.Op = "$1"
	byProgram  effect.Op = "$name"
	operands             = "$0*"
	afterVerb            = "$1*"
	theProgram           = "$name"
)

// tableOf returns the table of a program, nil for none.
func tableOf(name string) *table {
	for _, list := range [...][]table{machineTables, diskTables, historyTables, storeTables, networkTables, packageTables} {
		for i := range list {
			if lex.OneOf(name, list[i].programs) {
				return &list[i]
			}
		}
	}
	return nil
}

// run reports what a command of the table's programs does.
func (t *table) run(sh *shell.Shell, c shell.Command) {
	o := shell.ParseOptions(c.Args, t.values)
	if t.before != nil && t.before(sh, c, o) {
		return
	}
	if t.dry != "" && o.Given(t.dry) {
		return
	}
	runRows(sh, t.rows, t.lowered(o), c, o)
	if t.after != nil {
		t.after(sh, c, o)
	}
}

// lowered returns the operands as the rows are compared with them.
func (t *table) lowered(o shell.Options) []string {
	if !t.anyCase {
		return o.Pos
	}
	lower := make([]string, len(o.Pos))
	for i, word := range o.Pos {
		lower[i] = strings.ToLower(word)
	}
	return lower
}

// runRows reports what the rows say of a command.
func runRows(sh *shell.Shell, rows []row, words []string, c shell.Command, o shell.Options) {
	for i := range rows {
		r := &rows[i]
		if !r.holds(words, c, o) {
			continue
		}
		if r.kind != "" {
			sh.Effect(r.kind, effect.Op(filled(string(r.op), c, o)), filled(r.target, c, o))
		}
		if r.also != nil {
			r.also(sh, c, o)
		}
		if !r.goOn {
			return
		}
	}
}

// holds reports whether a row is about a command.
func (r *row) holds(words []string, c shell.Command, o shell.Options) bool {
	switch {
	case r.of != "" && !lex.OneOf(c.Name, r.of),
		r.words != "" && !beginWith(words, r.words),
		r.bare && len(c.Args) > 0,
		r.given != "" && !o.Given(r.given),
		r.long != "" && !o.Has(strings.Fields(r.long)...),
		r.without != "" && o.Given(r.without),
		r.among != "" && !lex.ContainsAny(words, r.among),
		r.first != "" && !oneChoice(lex.First(c.Args), r.first),
		r.args != "" && !slices.ContainsFunc(c.Args, func(a string) bool { return oneChoice(a, r.args) }),
		r.mention != "" && !lex.Mentions(strings.ToLower(strings.Join(c.Args, " ")), r.mention):
		return false
	}
	return true
}

// beginWith reports whether words begin as a pattern says, word by word.
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

// oneChoice reports whether a word is one of those that "|" separates.
func oneChoice(word, choices string) bool {
	for more := true; more; {
		var one string
		one, choices, more = strings.Cut(choices, "|")
		start, open := strings.CutSuffix(one, "*")
		if word == one || open && strings.HasPrefix(word, start) {
			return true
		}
	}
	return false
}

// filled writes the words of a command into a text of a row.
func filled(text string, c shell.Command, o shell.Options) string {
	if !strings.Contains(text, "$") {
		return text
	}
	var out []string
	for _, part := range strings.Fields(text) {
		out = append(out, placeholder(part, c, o))
	}
	return strings.TrimSpace(strings.Join(out, " "))
}

func placeholder(part string, c shell.Command, o shell.Options) string {
	name, ok := strings.CutPrefix(part, "$")
	switch {
	case !ok:
		return part
	case name == "name":
		return c.Name
	case name == "args":
		return strings.Join(c.Args, " ")
	case strings.HasSuffix(name, "*"):
		return strings.Join(o.From(int(name[0]-'0')), " ")
	}
	return o.At(int(name[0] - '0'))
}
