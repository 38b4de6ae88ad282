package rows

import (
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/understand/argv"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
)

// A Target says what of a command the effect of a row is about: Operand(2), Paths{ValueOf("f file")},
// Text("the index"). The compiler checks the forms and lays them out, so nothing is made when a hook
// starts. A nil target is nothing.
type Target interface {
	words(c shell.Command, o argv.Options) []string
}

type (
	Text         string // as it is
	Operand      int    // one operand
	OperandsFrom int    // the operands from one on
	ValueOf      string // the values of options, whose names have blanks between them
	After        string // the arguments behind this one
	part         byte   // see ProgramName
)

// Parts of a command.
const (
	ProgramName part = iota
	Arguments        // all, as they are written
	LastOperand
	AllButLast   // operands
	OperandsText // all operands as one text
	Input        // the standard input, as far as it is known
)

// The forms in which words are reported. Without one, they are one text. They are arrays, so that rows need no
// names of fields.
type (
	Joined    [2]Target // both as one text
	Each      [1]Target // each word alone
	Paths     [1]Target // each word is a path
	Pathspecs [1]Target // each word is a pathspec whose changes are lost
)

func (t Text) words(shell.Command, argv.Options) []string { return []string{string(t)} }

func (i Operand) words(_ shell.Command, o argv.Options) []string {
	from := o.From(int(i))
	return from[:min(1, len(from))]
}

func (i OperandsFrom) words(_ shell.Command, o argv.Options) []string { return o.From(int(i)) }

func (names ValueOf) words(_ shell.Command, o argv.Options) []string {
	return o.All(strings.Fields(string(names))...)
}

func (name After) words(c shell.Command, _ argv.Options) []string {
	return lex.After(c.Args, string(name), 1)
}

func (p part) words(c shell.Command, o argv.Options) []string {
	switch p {
	case ProgramName:
		return []string{c.Name}
	case Arguments:
		return c.Args
	case LastOperand:
		return o.From(max(0, len(o.Pos)-1))
	case OperandsText:
		return []string{strings.Join(o.Pos, " ")}
	case Input:
		return Stdin(c)
	}
	return o.Pos[:max(0, len(o.Pos)-1)]
}

func (j Joined) words(c shell.Command, o argv.Options) []string {
	return []string{asOne(j[0].words(c, o)) + " " + asOne(j[1].words(c, o))}
}

func (e Each) words(c shell.Command, o argv.Options) []string { return e[0].words(c, o) }

func (f Paths) words(c shell.Command, o argv.Options) []string { return f[0].words(c, o) }

func (p Pathspecs) words(c shell.Command, o argv.Options) []string { return p[0].words(c, o) }

// asOne returns words as one text.
func asOne(words []string) string { return strings.TrimSpace(strings.Join(words, " ")) }
