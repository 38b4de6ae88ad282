// Package recipes reads files that hold what programs run: makefiles, justfiles, Taskfiles, YAML, and files of settings
// with sections. It finds them, and runs the recipes of the names that a command gives.
package recipes

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/fspath"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"github.com/afar-sh/afar/coordinator/guard/understand/argv"
	"github.com/afar-sh/afar/coordinator/guard/understand/rows"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
)

// Many programs run what a file has under a name: make, just, task and others. Each has a reader that
// fills recipes, and the recipes of the names in the command run in one way. The readers differ in how
// a file is parsed and in how its texts name variables. Other files with tasks are not read: those of
// CMake, Bazel, Maven, gradle, rake, nox and their kin say too much in too many forms for what they lose.

// RunLines runs each line of a file with the commands of a program.
func RunLines(sh *shell.Shell, name string, run func(sh *shell.Shell, line string)) {
	RunFile(sh, name, nil, func(child *shell.Shell, text string) {
		for i, line := range strings.Split(text, "\n") {
			child.AtLine(i + 1)
			if line = strings.TrimSpace(line); line != "" {
				run(child, line)
			}
		}
	})
}

// HandedOn returns the arguments after the name of a script.
func HandedOn(args []string, name string) []string {
	rest := args[min(len(args), slices.Index(args, name)+1):]
	return slices.DeleteFunc(slices.Clone(rest), func(a string) bool { return a == "--" })
}

// WithArguments appends quoted arguments to a command.
func WithArguments(code string, args []string) string {
	if len(args) == 0 {
		return code
	}
	return code + " " + shell.QuoteAll(args)
}

// Bounds on the recipes of one call.
const (
	maxRecipes  = 200 // that run
	maxIncludes = 16  // files that one file includes
)

// A Recipe is what runs under one name.
type Recipe struct {
	params []string
	rest   bool     // the last parameter takes all arguments that are left
	items  []string // of the loop in it
	Needs  []string // the names that run before it; % is the part of the name that a pattern leaves open
	lines  []Line
	Does   func(child *shell.Shell) // instead of the lines
	busy   bool                     // it is being run
	within scope
}

// Line is a command with the line where it begins.
type Line struct {
	Code string
	Line int
}

// Run runs the command in a shell of its own.
func (l Line) Run(sh *shell.Shell) {
	child := sh.Sub()
	child.AtLine(l.Line)
	child.Run(l.Code, nil)
}

// A scope is where a recipe stands: the included file with its text, the text before the names of its
// recipes, and the directory in which they run. The path is empty for the file that the command names.
type scope struct{ path, text, prefix, dir string }

// Set are the recipes of a file, with the one that runs without a name.
type Set struct {
	sh       *shell.Shell
	Named    map[string][]*Recipe
	patterns []string // the names with a %
	first    string
	Vars     map[string]string
	ran      map[string]bool
	// filled returns a text with the values of variables, first those of the recipe.
	filled func(text string, own map[string]string) string

	within   scope // of the text that is being read
	included int
}

// New returns no recipes yet, whose texts name variables in two braces.
func New(sh *shell.Shell) *Set {
	r := &Set{
		sh:     sh,
		Named:  map[string][]*Recipe{},
		Vars:   map[string]string{},
		ran:    map[string]bool{},
		within: scope{dir: sh.Place.Cwd},
	}
	r.filled = func(text string, own map[string]string) string { return r.filledBetween(text, "{{", "}}", own) }
	return r
}

// Add adds a recipe with some names.
func (r *Set) Add(names ...string) *Recipe {
	next := &Recipe{within: r.within}
	for _, name := range names {
		name = r.within.prefix + name
		switch {
		case r.Named[name] != nil:
		case strings.Contains(name, "%"):
			r.patterns = append(r.patterns, name)
		case r.first == "" && r.within.path == "":
			r.first = name
		}
		r.Named[name] = append(r.Named[name], next)
	}
	return next
}

// open returns the first recipe of a name. It adds one if there is none.
func (r *Set) open(name string) *Recipe {
	if known := r.Named[r.within.prefix+name]; known != nil {
		return known[0]
	}
	return r.Add(name)
}

// include reads the first of some files. Without a directory its recipes run in that of the file.
func (r *Set) include(within scope, paths []string, read func(text string)) {
	outer := r.within
	r.included++
	for _, path := range paths {
		text, ok := r.sh.FileText(path)
		if !ok || r.included > maxIncludes {
			r.sh.UnreadHere(path)
			continue
		}
		within.path, within.text, within.dir = path, text, cmp.Or(within.dir, fspath.Dir(path))
		r.within = within
		read(text)
		r.within = outer
		return
	}
}

// beside returns the path of a name in a file that is being read.
func (r *Set) beside(name string) string {
	if from := r.within.path; from != "" {
		return fspath.Join(fspath.Dir(from), name)
	}
	return r.sh.Path(name)
}

// runAll runs the recipes of some names, without arguments.
func (r *Set) RunAll(names []string) {
	for _, name := range names {
		r.Run(name, nil)
	}
}

// Run runs the recipes of a name: its own, and those of the patterns that it matches.
func (r *Set) Run(name string, args []string) {
	if r.ran[name] || len(r.ran) >= maxRecipes {
		return
	}
	r.ran[name] = true
	for _, next := range r.Named[name] {
		r.runOne(next, name, "", args)
	}
	for _, pattern := range r.patterns {
		before, after, _ := strings.Cut(pattern, "%")
		stem, begins := strings.CutPrefix(name, before)
		if stem, ends := strings.CutSuffix(stem, after); begins && ends && stem != "" {
			for _, next := range r.Named[pattern] {
				r.runOne(next, name, stem, args)
			}
		}
	}
}

// runOne runs a recipe after those that it needs. No recipe makes what it needs itself.
func (r *Set) runOne(next *Recipe, name, stem string, args []string) {
	if next.busy {
		return
	}
	next.busy = true
	for _, need := range next.Needs {
		need = strings.ReplaceAll(need, "%", stem)
		if own := next.within.prefix + need; r.Named[own] != nil {
			need = own
		}
		r.Run(need, nil)
	}
	next.busy = false
	own := r.values(next, name, stem, args)
	switch run := func(child *shell.Shell) { r.runLines(child, next, own) }; {
	case next.Does != nil:
		next.Does(r.sh.Sub())
	case next.within.path == "":
		run(r.sh.Sub())
	default:
		r.sh.Enter(next.within.path, next.within.text, nil, run)
	}
}

// values returns the values of a recipe's own variables: those that make sets, and its parameters.
func (r *Set) values(next *Recipe, name, stem string, args []string) map[string]string {
	own := map[string]string{
		"@": name,
		"*": stem,
		"<": strings.ReplaceAll(lex.First(next.Needs), "%", stem),
		"^": strings.Join(next.Needs, " "),
	}
	for i, param := range next.params {
		switch {
		case i >= len(args):
			own[param] = cmp.Or(r.Vars[param], partial.Unknown)
		case next.rest && i == len(next.params)-1:
			own[param] = strings.Join(args[i:], " ")
		default:
			own[param] = args[i]
		}
	}
	if len(next.items) > 0 {
		own["ITEM"] = "{" + strings.Join(next.items, ",") + ",}"
	}
	return own
}

// RunLines runs the commands of a recipe, or the program that they are.
func (r *Set) runLines(child *shell.Shell, next *Recipe, own map[string]string) {
	child.Place.Cwd = next.within.dir
	var codes []string
	for _, line := range next.lines {
		codes = append(codes, r.filled(line.Code, own))
	}
	if strings.HasPrefix(lex.First(codes), "#!") {
		words, code := strings.Fields(codes[0]), strings.Join(codes, "\n")
		child.AtLine(next.lines[0].Line)
		child.Exec([]string{lex.ProgramName(words[len(words)-1]), "-"}, &code)
		return
	}
	for i, code := range codes {
		Line{strings.TrimLeft(code, "@+- \t"), next.lines[i].Line}.Run(child)
	}
}

// RunFile runs code of a file that this call wrote or that lies on the disk. It returns false for any other.
func RunFile(sh *shell.Shell, path string, given []string, run func(child *shell.Shell, text string)) bool {
	return path != "" && sh.RunCode(path, given, nil, run)
}

// RunTasks is RunFile for code that runs in the folder of its file.
func RunTasks(sh *shell.Shell, path string, given []string, run func(child *shell.Shell, text string)) {
	RunFile(sh, path, given, func(child *shell.Shell, text string) {
		child.Place.Cwd = fspath.Dir(path)
		run(child, text)
	})
}

// FileOf returns the file that one of the options names, or else the nearest one of these names.
func FileOf(sh *shell.Shell, o argv.Options, options, names string) (string, bool) {
	if name, ok := o.Get(strings.Fields(options)...); ok {
		return sh.Path(name), true
	}
	return Nearest(sh, names)
}

// Nearest returns the path of the first of the named files that exists in the
// directory of the shell or above it in the project.
func Nearest(sh *shell.Shell, names string) (string, bool) {
	project := fspath.Slashed(sh.Eval.Site.Project)
	for dir := sh.Place.Cwd; strings.HasPrefix(dir, "/"); dir = fspath.Dir(dir) {
		for _, path := range rows.Endings(strings.TrimSuffix(dir, "/")+"/", strings.Fields(names)) {
			_, written := sh.Brought(path)
			if _, ok := sh.FileText(path); ok || written {
				return path, true
			}
			sh.UnreadHere(path)
		}
		if dir == project || !fspath.Within(dir, project) {
			break
		}
	}
	return "", false
}

// Matching returns the paths of the files that a pattern names. Only its last part may have wildcards.
func Matching(sh *shell.Shell, pattern string) (paths []string) {
	full := sh.Path(pattern)
	dir, last := fspath.Dir(full), fspath.Base(full)
	if !strings.ContainsAny(last, "*?[") {
		return []string{full}
	}
	for _, name := range sh.Names(dir) {
		if ok, _ := path.Match(last, name); ok {
			paths = append(paths, strings.TrimSuffix(dir, "/")+"/"+name)
		}
	}
	return paths
}

// Settings returns the texts of the words of the form name=text.
func Settings(words []string) (out []string) {
	for _, w := range words {
		if _, text, ok := strings.Cut(w, "="); ok {
			out = append(out, text)
		}
	}
	return out
}
