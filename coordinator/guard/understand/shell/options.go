package shell

import (
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/lex"
)

// Options is an argument list that is parsed as getopt_long does it: clusters of
// short flags, long flags with and without "=", operands anywhere, and only
// operands after "--". Its methods are not inlined, because the tables call them
// hundreds of times and every hook would load each copy.
type Options struct {
	Flags []flag
	Pos   []string // operands in order
}

type flag struct {
	Name  string // "r" or "recursive", without dashes
	Value string
	Given bool // a value was given
}

// ParseOptions splits args. takesValue lists the flags that consume the next
// argument, separated by blanks: single letters and long names.
func ParseOptions(args []string, takesValue string) Options {
	var o Options
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case a == "--":
			o.Pos = append(o.Pos, args[i+1:]...)
			return o
		case strings.HasPrefix(a, "--"):
			name, val, given := strings.Cut(a[2:], "=")
			if !given && i+1 < len(args) && lex.OneOf(name, takesValue) {
				i++
				val, given = args[i], true
			}
			o.Flags = append(o.Flags, flag{Name: name, Value: val, Given: given})
		case len(a) > 1 && a[0] == '-':
			i += o.cluster(a[1:], args[i+1:], takesValue)
		default:
			o.Pos = append(o.Pos, a)
		}
	}
	return o
}

// cluster reads "-rf" or "-n5"; it returns how many further arguments it used.
func (o *Options) cluster(letters string, rest []string, takesValue string) int {
	if name, val, ok := strings.Cut(letters, "="); ok && len(name) > 1 {
		o.Flags = append(o.Flags, flag{Name: name, Value: val, Given: true})
		return 0
	}
	if len(letters) > 1 && lex.OneOf(letters, takesValue) { // single-dash long flag
		if len(rest) == 0 {
			return 0
		}
		o.Flags = append(o.Flags, flag{Name: letters, Value: rest[0], Given: true})
		return 1
	}
	for i := 0; i < len(letters); i++ {
		name := letters[i : i+1]
		if !lex.OneOf(name, takesValue) {
			o.Flags = append(o.Flags, flag{Name: name})
			continue
		}
		if i+1 < len(letters) {
			o.Flags = append(o.Flags, flag{Name: name, Value: letters[i+1:], Given: true})
			return 0
		}
		if len(rest) > 0 {
			o.Flags = append(o.Flags, flag{Name: name, Value: rest[0], Given: true})
			return 1
		}
		o.Flags = append(o.Flags, flag{Name: name})
	}
	return 0
}

// Short reports whether a flag of one letter was given.
//
//go:noinline
func (o Options) Short(c byte) bool {
	for _, f := range o.Flags {
		if len(f.Name) == 1 && f.Name[0] == c {
			return true
		}
	}
	return false
}

// Has reports whether one of the names was given, in full or as an abbreviation
// of at least three letters, which getopt_long accepts.
//
//go:noinline
func (o Options) Has(names ...string) bool {
	for _, n := range names {
		if slices.ContainsFunc(o.Flags, func(f flag) bool { return f.shortens(n) }) {
			return true
		}
	}
	return false
}

func (f flag) shortens(name string) bool {
	return f.Name == name ||
		len(f.Name) >= 3 && len(name) > len(f.Name) && name != "force-with-lease" && strings.HasPrefix(name, f.Name)
}

// Exact reports whether one of the names was given in full.
//
//go:noinline
func (o Options) Exact(names ...string) bool {
	return slices.ContainsFunc(o.Flags, func(f flag) bool { return slices.Contains(names, f.Name) })
}

// Get returns the value of the first flag with one of the names and a value.
//
//go:noinline
func (o Options) Get(names ...string) (string, bool) {
	for _, f := range o.Flags {
		if f.Given && slices.Contains(names, f.Name) {
			return f.Value, true
		}
	}
	return "", false
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

// Leading parses the flags before the first operand, and returns them and the
// rest. Wrappers read their own flags only up to the program that they start.
func Leading(args []string, takesValue string) (Options, []string) {
	i := 0
	for i < len(args) {
		a := args[i]
		if a == "--" {
			return ParseOptions(args[:i], takesValue), args[i+1:]
		}
		if len(a) < 2 || a[0] != '-' {
			break
		}
		i++
		if NeedsNext(a, takesValue) {
			i++
		}
	}
	i = min(i, len(args))
	return ParseOptions(args[:i], takesValue), args[i:]
}

// NeedsNext reports whether the flag a takes the next argument as its value.
func NeedsNext(a, takesValue string) bool {
	if strings.HasPrefix(a, "--") {
		return lex.OneOf(a[2:], takesValue)
	}
	if lex.OneOf(a[1:], takesValue) {
		return true
	}
	for j := 1; j < len(a); j++ {
		if lex.OneOf(a[j:j+1], takesValue) {
			return j == len(a)-1
		}
	}
	return false
}

// Given reports whether one of the blank-separated names was given in full. A
// name of the form "name=value" needs that value, and "name=" needs any value.
//
//go:noinline
func (o Options) Given(names string) bool {
	return slices.ContainsFunc(o.Flags, func(f flag) bool {
		switch {
		case lex.OneOf(f.Name, names):
			return true
		case !f.Given:
			return false
		}
		return lex.OneOf(f.Name+"="+f.Value, names) || lex.OneOf(f.Name+"=", names)
	})
}

// From returns the operands from the n-th on.
func (o Options) From(n int) []string { return o.Pos[min(n, len(o.Pos)):] }
