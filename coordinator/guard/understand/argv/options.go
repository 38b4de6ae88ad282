// Package argv splits the arguments of a program into options and operands, by a grammar of names.
package argv

import (
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/lex"
)

// Options is an argument list that is parsed as getopt_long does it: clusters of
// short options, long options with and without "=", abbreviations, operands anywhere,
// and only operands after "--". Its methods are not inlined, because the tables call
// them hundreds of times and every hook would load each copy.
type Options struct {
	Flags []Flag
	Pos   []string // operands in order
	// Behind are the operands after "--". They are also the last of Pos.
	Behind []string
	ended  bool // the last option ends the options
}

// A Flag is one option as it was given.
type Flag struct {
	Name  string // "r" or "recursive", without dashes
	Value string
	Given bool // a value was given
	Runs  bool // the value is a command
}

// A grammar lists the options of a program, separated by blanks. The forms are:
//
//	o name   an option with a value: "-ox", "-o x", "--name x", "--name=x", "--na x"
//	name?    an option whose value, if it has one, is attached: "-ox", "--name=x"
//	name!    an option whose value is a command that the program runs; also "name?!"
//	name.    an option whose value ends the options: the rest are operands
//	name+    an option with two values, of which the first counts: "--name x y"
//	-name    an option without a value, listed because it may be abbreviated
//	-        one dash is enough for long options, as in Go's programs
//
// Other options have no value unless it is attached with "=".

// ParseOptions splits args into options and operands. The grammar lists the options
// that take a value.
func ParseOptions(args []string, grammar string) Options { return parseOptions(args, grammar, false) }

// Leading parses the options before the first operand, and returns them and the
// rest. Wrappers read their own options only up to the program that they start.
func Leading(args []string, grammar string) (Options, []string) {
	o := parseOptions(args, grammar, true)
	return Options{Flags: o.Flags}, o.Pos
}

func parseOptions(args []string, grammar string, leading bool) (o Options) {
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case a == "--":
			o.Behind = args[i+1:]
			o.Pos = append(o.Pos, o.Behind...)
			return o
		case strings.HasPrefix(a, "--"):
			i += o.long(a[2:], args[i+1:], grammar)
		case len(a) > 1 && a[0] == '-':
			i += o.cluster(a[1:], args[i+1:], grammar)
		case leading:
			o.Pos = args[i:]
			return o
		case o.Pos == nil:
			o.Pos = append(make([]string, 0, len(args)-i), a)
		default:
			o.Pos = append(o.Pos, a)
		}
		if o.ended {
			o.Pos = append(o.Pos, args[i+1:]...)
			return o
		}
	}
	return o
}

// long reads "name", "name=value" or an abbreviation. It returns how many further
// arguments it used.
func (o *Options) long(text string, rest []string, grammar string) int {
	name, value, given := strings.Cut(text, "=")
	name, kind := optionNamed(name, grammar)
	f := Flag{Name: name, Runs: kind.runs}
	if given {
		f.Value, f.Given = value, true
		rest = nil
	}
	return o.add(f, kind, rest)
}

// cluster reads "rf", "n5" or, if the program has long options with one dash, "name"
// and "name=value". It returns how many further arguments it used.
func (o *Options) cluster(letters string, rest []string, grammar string) int {
	if singleDash(letters, grammar) {
		return o.long(letters, rest, grammar)
	}
	o.Flags = slices.Grow(o.Flags, len(letters))
	for i := range len(letters) {
		name, kind := optionNamed(letters[i:i+1], grammar)
		f := Flag{Name: name, Runs: kind.runs}
		if !kind.value {
			o.Flags = append(o.Flags, f)
			continue
		}
		if text := letters[i+1:]; text != "" {
			f.Value, f.Given = text, true
			rest = nil
		}
		return o.add(f, kind, rest)
	}
	return 0
}

// add adds an option. If the option needs a value and has none, its value is the first
// of the further arguments. It returns how many of them it used.
func (o *Options) add(f Flag, kind optionKind, rest []string) int {
	used := 0
	if kind.value && !kind.optional && len(rest) > 0 {
		f.Value, f.Given = rest[0], true
		used = 1
		if kind.two {
			used = min(2, len(rest))
		}
	}
	o.Flags = append(o.Flags, f)
	o.ended = kind.ends
	return used
}

// singleDash reports whether the text after a single dash is a long option.
func singleDash(text, grammar string) bool {
	name, _, given := strings.Cut(text, "=")
	if len(name) < 2 {
		return false
	}
	if full, kind := optionNamed(name, grammar); kind.value && full == name {
		return true
	}
	return given && (lex.OneOf("-", grammar) || !holdsValue(name, grammar))
}

// holdsValue reports whether one of the letters takes a value.
func holdsValue(letters, grammar string) bool {
	for i := range len(letters) {
		if _, kind := optionNamed(letters[i:i+1], grammar); kind.value {
			return true
		}
	}
	return false
}

// An optionKind says what a grammar says about an option.
type optionKind struct {
	value    bool // it takes a value
	optional bool // the value has to be attached
	runs     bool // the value is a command
	ends     bool // the options end after it
	two      bool // it takes another value
}

// optionNamed returns the full name of an option, and its kind. A long name that the
// grammar does not list may be the beginning of one that it lists.
func optionNamed(name, grammar string) (string, optionKind) {
	full, kind := name, optionKind{}
	if name == "" || !strings.Contains(grammar, name) {
		return full, kind
	}
	for word := range strings.SplitSeq(grammar, " ") {
		listed, k := readWord(word)
		if listed == name {
			return listed, k
		}
		if full == name && len(name) > 1 && strings.HasPrefix(listed, name) {
			full, kind = listed, k
		}
	}
	return full, kind
}

// readWord reads one word of a grammar.
func readWord(word string) (name string, kind optionKind) {
	if name, ok := strings.CutPrefix(word, "-"); ok {
		return name, kind
	}
	kind.value = true
	word, kind.runs = strings.CutSuffix(word, "!")
	word, kind.optional = strings.CutSuffix(word, "?")
	word, kind.ends = strings.CutSuffix(word, ".")
	word, kind.two = strings.CutSuffix(word, "+")
	return word, kind
}

// Get returns the value of the first flag with one of the names and a value.
//
//go:noinline
func (o Options) Get(names ...string) (string, bool) {
	values := o.All(names...)
	return lex.First(values), len(values) > 0
}

// All returns the values of all flags with one of the names.
//
//go:noinline
func (o Options) All(names ...string) []string {
	var out []string
	for _, f := range o.Flags {
		if f.Given && slices.Contains(names, f.Name) {
			out = append(out, f.Value)
		}
	}
	return out
}

// At returns the i-th operand, "" if there is none.
//
//go:noinline
func (o Options) At(i int) string {
	if i >= 0 && i < len(o.Pos) {
		return o.Pos[i]
	}
	return ""
}

// Commands returns the values of all options whose value is a command.
//
//go:noinline
func (o Options) Commands() []string {
	var out []string
	for _, f := range o.Flags {
		if f.Runs && f.Given {
			out = append(out, f.Value)
		}
	}
	return out
}

// Given reports whether one of the blank-separated names was given in full. A
// name of the form "name=value" needs that value, and "name=" needs any value.
//
//go:noinline
func (o Options) Given(names string) bool {
	return slices.ContainsFunc(o.Flags, func(f Flag) bool {
		switch {
		case lex.OneOf(f.Name, names):
			return f.Value != "false" // it may be switched off, as in --dry-run=false
		case !f.Given, !strings.Contains(names, "="):
			return false
		}
		return lex.OneOf(f.Name+"="+f.Value, names) || lex.OneOf(f.Name+"=", names)
	})
}

// Only reports whether all options that were given have one of the blank-separated names.
func (o Options) Only(names string) bool {
	return !slices.ContainsFunc(o.Flags, func(f Flag) bool { return !lex.OneOf(f.Name, names) })
}

// From returns the operands from the n-th on.
func (o Options) From(n int) []string { return o.Pos[min(n, len(o.Pos)):] }
