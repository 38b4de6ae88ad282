package guard

import (
	"slices"
	"strings"
)

// options is an argument list taken apart the way getopt_long does it:
// clusters of short flags, long flags with and without "=", operands anywhere,
// everything after "--" an operand. Its methods stay out of line: the tables call
// them hundreds of times, and each copy is loaded with every hook.
type options struct {
	flags []flag
	pos   []string // operands in order
}

type flag struct {
	name  string // "r" or "recursive", without dashes
	value string
	given bool // a value was given
}

// parseOptions splits args. takesValue lists the flags that consume the next
// argument, separated by blanks: single letters and long names.
func parseOptions(args []string, takesValue string) options {
	var o options
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case a == "--":
			o.pos = append(o.pos, args[i+1:]...)
			return o
		case strings.HasPrefix(a, "--"):
			name, val, given := strings.Cut(a[2:], "=")
			if !given && i+1 < len(args) && oneOf(name, takesValue) {
				i++
				val, given = args[i], true
			}
			o.flags = append(o.flags, flag{name, val, given})
		case len(a) > 1 && a[0] == '-':
			i += o.cluster(a[1:], args[i+1:], takesValue)
		default:
			o.pos = append(o.pos, a)
		}
	}
	return o
}

// cluster reads "-rf" or "-n5"; it returns how many further arguments it used.
func (o *options) cluster(letters string, rest []string, takesValue string) int {
	if name, val, ok := strings.Cut(letters, "="); ok && len(name) > 1 {
		o.flags = append(o.flags, flag{name, val, true})
		return 0
	}
	if len(letters) > 1 && oneOf(letters, takesValue) { // single-dash long flag
		if len(rest) == 0 {
			return 0
		}
		o.flags = append(o.flags, flag{letters, rest[0], true})
		return 1
	}
	for i := 0; i < len(letters); i++ {
		name := letters[i : i+1]
		if !oneOf(name, takesValue) {
			o.flags = append(o.flags, flag{name: name})
			continue
		}
		if i+1 < len(letters) {
			o.flags = append(o.flags, flag{name, letters[i+1:], true})
			return 0
		}
		if len(rest) > 0 {
			o.flags = append(o.flags, flag{name, rest[0], true})
			return 1
		}
		o.flags = append(o.flags, flag{name: name})
	}
	return 0
}

//go:noinline
func (o options) short(c byte) bool {
	for _, f := range o.flags {
		if len(f.name) == 1 && f.name[0] == c {
			return true
		}
	}
	return false
}

// has is true if one of the names was given, in full or as an abbreviation of
// at least three letters, as getopt_long takes it.
//
//go:noinline
func (o options) has(names ...string) bool {
	for _, n := range names {
		if slices.ContainsFunc(o.flags, func(f flag) bool { return f.shortens(n) }) {
			return true
		}
	}
	return false
}

func (f flag) shortens(name string) bool {
	return f.name == name || len(f.name) >= 3 && len(name) > len(f.name) && name != "force-with-lease" && strings.HasPrefix(name, f.name)
}

// exact is true if one of the names was given in full.
//
//go:noinline
func (o options) exact(names ...string) bool {
	return slices.ContainsFunc(o.flags, func(f flag) bool { return containsString(names, f.name) })
}

// get returns the value of the first of the names that has one.
//
//go:noinline
func (o options) get(names ...string) (string, bool) {
	for _, f := range o.flags {
		if f.given && containsString(names, f.name) {
			return f.value, true
		}
	}
	return "", false
}

//go:noinline
func (o options) all(names ...string) []string {
	var out []string
	for _, f := range o.flags {
		if f.given && containsString(names, f.name) {
			out = append(out, f.value)
		}
	}
	return out
}

//go:noinline
func (o options) at(i int) string {
	if i >= 0 && i < len(o.pos) {
		return o.pos[i]
	}
	return ""
}

// leading splits off the flags before the first operand: wrappers read their
// own flags only up to the program they start.
func leading(args []string, takesValue string) (options, []string) {
	i := 0
	for i < len(args) {
		a := args[i]
		if a == "--" {
			return parseOptions(args[:i], takesValue), args[i+1:]
		}
		if len(a) < 2 || a[0] != '-' {
			break
		}
		i++
		if needsNext(a, takesValue) {
			i++
		}
	}
	i = min(i, len(args))
	return parseOptions(args[:i], takesValue), args[i:]
}

func needsNext(a, takesValue string) bool {
	if strings.HasPrefix(a, "--") {
		return oneOf(a[2:], takesValue)
	}
	if oneOf(a[1:], takesValue) {
		return true
	}
	for j := 1; j < len(a); j++ {
		if oneOf(a[j:j+1], takesValue) {
			return j == len(a)-1
		}
	}
	return false
}
