package shell

import (
	"slices"
	"strconv"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
)

// SetParams evaluates "set": it sets the positional parameters. Without arguments
// set prints all variables.
func SetParams(sh *Shell, c Command, _ Options) {
	if len(c.Args) == 0 {
		sh.Print(partial.UnknownSecret)
	}
	for i, a := range c.Args {
		if a == "--" {
			sh.params = append([]string{}, c.Args[i+1:]...)
			return
		}
		if len(a) > 0 && a[0] != '-' && a[0] != '+' && (i == 0 || !namesOption(c.Args[i-1])) {
			sh.params = append([]string{}, c.Args[i:]...)
			return
		}
	}
}

// namesOption reports whether the word after an argument of set is the name of an
// option, as in "set -euo pipefail".
func namesOption(arg string) bool { return arg == "+o" || lex.IsClusterWith(arg, 'o') }

// Shift evaluates "shift".
func Shift(sh *Shell, c Command, _ Options) {
	n := 1
	if len(c.Args) > 0 && lex.IsNumber(c.Args[0]) && len(c.Args[0]) < 4 {
		n, _ = strconv.Atoi(c.Args[0])
	}
	sh.params = sh.params[min(n, len(sh.params)):]
}

// ChangeDir evaluates "cd" and "pushd".
func ChangeDir(sh *Shell, c Command, o Options) {
	here := sh.Place.Cwd
	defer func() { sh.Place.prev = here }()
	if c.Name == "pushd" {
		sh.stack = &directoryStack{dir: sh.Place.Cwd, next: sh.stack}
	}
	old, known := sh.Lookup("OLDPWD")
	roots, searched := sh.Lookup("CDPATH")
	switch {
	case slices.Contains(c.Args, "-") && known:
		sh.Place.Cwd = sh.Path(lex.First(old))
	case slices.Contains(c.Args, "-") && sh.Place.prev != "":
		sh.Place.Cwd = sh.Place.prev
	case searched && len(o.Pos) > 0 && strings.IndexByte("/.~", o.Pos[0][0]) < 0:
		sh.Place.Cwd = sh.Path(lex.First(roots) + "/" + o.Pos[0])
	case slices.Contains(c.Args, "-"):
		sh.Place.Cwd = partial.Unknown
	case len(o.Pos) == 0:
		sh.Place.Cwd = sh.HomeText()
	default:
		sh.Place.Cwd = sh.Path(o.Pos[0])
	}
}

// PopDir evaluates "popd".
func PopDir(sh *Shell, c Command, _ Options) {
	if sh.stack == nil {
		sh.Place.Cwd = partial.Unknown
		return
	}
	sh.Place.Cwd, sh.stack = sh.stack.dir, sh.stack.next
}

// ReadVariable evaluates "read" and the builtins that read lines into an array.
func ReadVariable(sh *Shell, c Command, o Options) {
	if c.Name != "read" && c.In != nil {
		o = ParseOptions(c.Args, "d n O s u C c")
		sh.Assign(o.At(0), Value{strings.Join(SplitLines(*c.In), string(partial.SplitMark))})
		return
	}
	for i, name := range o.Pos {
		text := partial.Unknown
		if c.In != nil {
			text, _, _ = strings.Cut(*c.In, "\n")
			if len(o.Pos) > 1 {
				text = sh.fieldAt(text, i, i == len(o.Pos)-1)
			}
		}
		if old, ok := sh.Lookup(name); ok && c.In == nil && sh.uncertain > 0 {
			sh.Assign(name, old)
			continue
		}
		sh.Assign(name, Value{text})
	}
}

// fieldAt returns the i-th field of a line, "" if there is none. The last variable
// takes all fields that are left.
func (sh *Shell) fieldAt(line string, i int, last bool) string {
	separators := sh.separators()
	if separators == "" {
		separators = " \t\n"
	}
	all := strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(separators, r) })
	switch {
	case i >= len(all):
		return ""
	case last:
		return strings.Join(all[i:], " ")
	}
	return all[i]
}

// Alias evaluates "alias".
func Alias(sh *Shell, c Command, _ Options) {
	for _, a := range c.Args {
		if name, text, ok := strings.Cut(a, "="); ok && text != "" {
			sh.define(name, &function{alias: text})
		}
	}
}

// AssignWords assigns the variables in words of the form name=text.
func AssignWords(sh *Shell, c Command, _ Options) {
	for _, a := range c.Args {
		if name, text, ok := strings.Cut(a, "="); ok {
			sh.Assign(name, Value{text})
			sh.RunVariable(name)
		}
	}
}
