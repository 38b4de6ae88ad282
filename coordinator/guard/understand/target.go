package understand

import (
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
)

// A target says what of a command the effect of a row is about: operand(2), files{valueOf("f file")},
// text("the index"). The compiler checks the forms and lays them out, so nothing is made when a hook
// starts. A nil target is nothing.
type target interface {
	words(c shell.Command, o shell.Options) []string
}

type (
	text         string // as it is
	operand      int    // one operand
	operandsFrom int    // the operands from one on
	valueOf      string // the values of options, whose names have blanks between them
	after        string // the arguments behind this one
	part         byte   // see programName
)

// Parts of a command.
const (
	programName part = iota
	arguments        // all, as they are written
	lastOperand
	allButLast   // operands
	operandsText // all operands as one text
	input        // the standard input, as far as it is known
)

// The forms in which words are reported. Without one, they are one text. They are arrays, so that rows need no
// names of fields.
type (
	joined    [2]target // both as one text
	each      [1]target // each word alone
	files     [1]target // each word is a path
	pathspecs [1]target // each word is a pathspec whose changes are lost
)

func (t text) words(shell.Command, shell.Options) []string { return []string{string(t)} }

func (i operand) words(_ shell.Command, o shell.Options) []string {
	from := o.From(int(i))
	return from[:min(1, len(from))]
}

func (i operandsFrom) words(_ shell.Command, o shell.Options) []string { return o.From(int(i)) }

func (names valueOf) words(_ shell.Command, o shell.Options) []string {
	return o.All(strings.Fields(string(names))...)
}

func (name after) words(c shell.Command, _ shell.Options) []string {
	return lex.After(c.Args, string(name), 1)
}

func (p part) words(c shell.Command, o shell.Options) []string {
	switch p {
	case programName:
		return []string{c.Name}
	case arguments:
		return c.Args
	case lastOperand:
		return o.From(max(0, len(o.Pos)-1))
	case operandsText:
		return []string{strings.Join(o.Pos, " ")}
	case input:
		return stdin(c)
	}
	return o.Pos[:max(0, len(o.Pos)-1)]
}

func (j joined) words(c shell.Command, o shell.Options) []string {
	return []string{asOne(j[0].words(c, o)) + " " + asOne(j[1].words(c, o))}
}

func (e each) words(c shell.Command, o shell.Options) []string { return e[0].words(c, o) }

func (f files) words(c shell.Command, o shell.Options) []string { return f[0].words(c, o) }

func (p pathspecs) words(c shell.Command, o shell.Options) []string { return p[0].words(c, o) }

// asOne returns words as one text.
func asOne(words []string) string { return strings.TrimSpace(strings.Join(words, " ")) }
