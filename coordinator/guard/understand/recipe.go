package understand

import (
	"cmp"
	"path"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/fspath"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"github.com/afar-sh/afar/coordinator/guard/understand/rows"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
)

// Many programs run what a file has under a name: make, just, task and others. Each has a reader that
// fills recipes, and the recipes of the names in the command run in one way. The readers differ in how
// a file is parsed and in how its texts name variables. Other files with tasks are not read: those of
// CMake, Bazel, Maven, gradle, rake, nox and their kin say too much in too many forms for what they lose.

// recipePrograms run recipes. Those that also build or publish stand with their other commands.
var recipePrograms = []rows.Table{
	{
		Programs: "just",
		Options:  "f d justfile working-directory set! shell-arg shell dotenv-path c? command?",
		Do:       just,
	},
	{Programs: "task go-task", Options: "t d taskfile dir o output C concurrency I interval", Do: task},
	{Programs: "cmake", Options: "D", Leads: true, Dry: "help version", Rows: []rows.Row{
		{First: "-E", Words: "rm|touch|cat|env|time|tar", Runs: &rows.Start{Words: rows.OperandsFrom(0)}},
		{First: "-E", Words: "remove_directory", Runs: &rows.Start{Program: "rm -rf", Words: rows.OperandsFrom(1)}},
		{First: "-E", Words: "remove", Runs: &rows.Start{Program: "rm", Words: rows.OperandsFrom(1)}},
		{First: "-E", Words: "rename", Runs: &rows.Start{Program: "mv", Words: rows.OperandsFrom(1)}},
		{First: "-E", Words: "copy|copy_if_different", Runs: &rows.Start{Program: "cp", Words: rows.OperandsFrom(1)}},
		{First: "-E", Words: "copy_directory", Runs: &rows.Start{Program: "cp -r", Words: rows.OperandsFrom(1)}},
		{First: "-E", Words: "chdir", Runs: &rows.Start{Program: "env -C", Words: rows.OperandsFrom(1)}},
	}},
	{Programs: "tox", Options: "c conf e env f factor x override", Rows: []rows.Row{
		{Words: "exec", Runs: &rows.Start{Words: rows.After("--")}},
	}},
}

// Bounds on the recipes of one call.
const (
	maxRecipes  = 200 // that run
	maxIncludes = 16  // files that one file includes
)

// A recipe is what runs under one name.
type recipe struct {
	params []string
	rest   bool     // the last parameter takes all arguments that are left
	items  []string // of the loop in it
	needs  []string // the names that run before it; % is the part of the name that a pattern leaves open
	lines  []recipeLine
	does   func(child *shell.Shell) // instead of the lines
	busy   bool                     // it is being run
	within scope
}

// recipeLine is a command with the line where it begins.
type recipeLine struct {
	code string
	line int
}

// run runs the command in a shell of its own.
func (l recipeLine) run(sh *shell.Shell) {
	child := sh.Sub()
	child.AtLine(l.line)
	child.Run(l.code, nil)
}

// A scope is where a recipe stands: the included file with its text, the text before the names of its
// recipes, and the directory in which they run. The path is empty for the file that the command names.
type scope struct{ path, text, prefix, dir string }

// recipes are the recipes of a file, with the one that runs without a name.
type recipes struct {
	sh       *shell.Shell
	named    map[string][]*recipe
	patterns []string // the names with a %
	first    string
	vars     map[string]string
	ran      map[string]bool
	// filled returns a text with the values of variables, first those of the recipe.
	filled func(text string, own map[string]string) string

	within   scope // of the text that is being read
	included int
}

// newRecipes returns no recipes yet, whose texts name variables in two braces.
func newRecipes(sh *shell.Shell) *recipes {
	r := &recipes{
		sh:     sh,
		named:  map[string][]*recipe{},
		vars:   map[string]string{},
		ran:    map[string]bool{},
		within: scope{dir: sh.Place.Cwd},
	}
	r.filled = func(text string, own map[string]string) string { return r.filledBetween(text, "{{", "}}", own) }
	return r
}

// add adds a recipe with some names.
func (r *recipes) add(names ...string) *recipe {
	next := &recipe{within: r.within}
	for _, name := range names {
		name = r.within.prefix + name
		switch {
		case r.named[name] != nil:
		case strings.Contains(name, "%"):
			r.patterns = append(r.patterns, name)
		case r.first == "" && r.within.path == "":
			r.first = name
		}
		r.named[name] = append(r.named[name], next)
	}
	return next
}

// open returns the first recipe of a name. It adds one if there is none.
func (r *recipes) open(name string) *recipe {
	if known := r.named[r.within.prefix+name]; known != nil {
		return known[0]
	}
	return r.add(name)
}

// include reads the first of some files. Without a directory its recipes run in that of the file.
func (r *recipes) include(within scope, paths []string, read func(text string)) {
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
func (r *recipes) beside(name string) string {
	if from := r.within.path; from != "" {
		return fspath.Join(fspath.Dir(from), name)
	}
	return r.sh.Path(name)
}

// runAll runs the recipes of some names, without arguments.
func (r *recipes) runAll(names []string) {
	for _, name := range names {
		r.run(name, nil)
	}
}

// run runs the recipes of a name: its own, and those of the patterns that it matches.
func (r *recipes) run(name string, args []string) {
	if r.ran[name] || len(r.ran) >= maxRecipes {
		return
	}
	r.ran[name] = true
	for _, next := range r.named[name] {
		r.runOne(next, name, "", args)
	}
	for _, pattern := range r.patterns {
		before, after, _ := strings.Cut(pattern, "%")
		stem, begins := strings.CutPrefix(name, before)
		if stem, ends := strings.CutSuffix(stem, after); begins && ends && stem != "" {
			for _, next := range r.named[pattern] {
				r.runOne(next, name, stem, args)
			}
		}
	}
}

// runOne runs a recipe after those that it needs. No recipe makes what it needs itself.
func (r *recipes) runOne(next *recipe, name, stem string, args []string) {
	if next.busy {
		return
	}
	next.busy = true
	for _, need := range next.needs {
		need = strings.ReplaceAll(need, "%", stem)
		if own := next.within.prefix + need; r.named[own] != nil {
			need = own
		}
		r.run(need, nil)
	}
	next.busy = false
	own := r.values(next, name, stem, args)
	switch run := func(child *shell.Shell) { r.runLines(child, next, own) }; {
	case next.does != nil:
		next.does(r.sh.Sub())
	case next.within.path == "":
		run(r.sh.Sub())
	default:
		r.sh.Enter(next.within.path, next.within.text, nil, run)
	}
}

// values returns the values of a recipe's own variables: those that make sets, and its parameters.
func (r *recipes) values(next *recipe, name, stem string, args []string) map[string]string {
	own := map[string]string{
		"@": name,
		"*": stem,
		"<": strings.ReplaceAll(lex.First(next.needs), "%", stem),
		"^": strings.Join(next.needs, " "),
	}
	for i, param := range next.params {
		switch {
		case i >= len(args):
			own[param] = cmp.Or(r.vars[param], partial.Unknown)
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

// runLines runs the commands of a recipe, or the program that they are.
func (r *recipes) runLines(child *shell.Shell, next *recipe, own map[string]string) {
	child.Place.Cwd = next.within.dir
	var codes []string
	for _, line := range next.lines {
		codes = append(codes, r.filled(line.code, own))
	}
	if strings.HasPrefix(lex.First(codes), "#!") {
		words, code := strings.Fields(codes[0]), strings.Join(codes, "\n")
		child.AtLine(next.lines[0].line)
		child.Exec([]string{lex.ProgramName(words[len(words)-1]), "-"}, &code)
		return
	}
	for i, code := range codes {
		recipeLine{strings.TrimLeft(code, "@+- \t"), next.lines[i].line}.run(child)
	}
}

// runRecipeFile runs code of a file that this call wrote or that lies on the disk. It returns false for any other.
func runRecipeFile(sh *shell.Shell, path string, given []string, run func(child *shell.Shell, text string)) bool {
	return path != "" && sh.RunCode(path, given, nil, run)
}

// runTasks is runRecipeFile for code that runs in the folder of its file.
func runTasks(sh *shell.Shell, path string, given []string, run func(child *shell.Shell, text string)) {
	runRecipeFile(sh, path, given, func(child *shell.Shell, text string) {
		child.Place.Cwd = fspath.Dir(path)
		run(child, text)
	})
}

// recipeFile returns the file that one of the options names, or else the nearest one of these names.
func recipeFile(sh *shell.Shell, o shell.Options, options, names string) (string, bool) {
	if name, ok := o.Get(strings.Fields(options)...); ok {
		return sh.Path(name), true
	}
	return nearest(sh, names)
}

// nearest returns the path of the first of the named files that exists in the
// directory of the shell or above it in the project.
func nearest(sh *shell.Shell, names string) (string, bool) {
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

// matching returns the paths of the files that a pattern names. Only its last part may have wildcards.
func matching(sh *shell.Shell, pattern string) (paths []string) {
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

// settings returns the texts of the words of the form name=text.
func settings(words []string) (out []string) {
	for _, w := range words {
		if _, text, ok := strings.Cut(w, "="); ok {
			out = append(out, text)
		}
	}
	return out
}
