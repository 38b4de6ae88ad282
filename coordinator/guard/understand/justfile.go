package understand

import (
	"cmp"
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/fspath"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
)

// recipePrograms run recipes of files other than makefiles.
var recipePrograms = []table{
	{programs: "just", options: "f d justfile working-directory set! shell-arg shell dotenv-path c? command?", do: just},
	{programs: "task go-task", options: "t d taskfile dir o output C concurrency I interval", do: task},
	{programs: "invoke inv", options: "c collection r search-root", do: codeTasks},
	{programs: "nox", options: "f noxfile s session sessions e k p python t tags", do: codeTasks},
	{programs: "gulp grunt", options: "f gulpfile cwd", do: codeTasks},
	{programs: "tox", options: "c conf e env f factor x override", do: toxCommands, rows: []row{
		{words: "exec", runs: "$>--"},
	}},
}

const maxRecipes = 100 // that one call of just or task runs

// A recipe is what just or task runs under one name.
type recipe struct {
	params []string
	needs  []string
	lines  []recipeLine
	file   recipeSource
}

// A recipeSource is the included file in which recipes stand, the zero value for the file itself, and
// what is put before their names.
type recipeSource struct{ path, text, prefix string }

// recipes are the recipes of a file, with the one that runs without a name.
type recipes struct {
	sh    *shell.Shell
	named map[string]*recipe
	first string
	vars  map[string]string
	ran   map[string]bool
	file  recipeSource // that is being read
	files int
}

func newRecipes(sh *shell.Shell) *recipes {
	return &recipes{sh: sh, named: map[string]*recipe{}, vars: map[string]string{}, ran: map[string]bool{}}
}

// add adds a recipe.
func (r *recipes) add(name string) *recipe {
	next := &recipe{file: r.file}
	if r.named[r.file.prefix+name] = next; r.first == "" {
		r.first = name
	}
	return next
}

// include reads the recipes of another file. Their names get a prefix.
func (r *recipes) include(path, prefix string, read func(text string)) {
	const most = 16
	text, ok := r.sh.FileText(path)
	if r.files++; !ok || r.files > most {
		return
	}
	outer := r.file
	r.file = recipeSource{r.sh.Path(path), text, outer.prefix + prefix}
	read(text)
	r.file = outer
}

// run runs a recipe after those that it needs.
func (r *recipes) run(name string, args []string) {
	next := r.named[name]
	if next == nil || r.ran[name] || len(r.ran) >= maxRecipes {
		return
	}
	r.ran[name] = true
	for _, need := range next.needs {
		r.run(next.file.prefix+need, nil)
	}
	texts := map[string]string{}
	for i, param := range next.params {
		texts[param] = cmp.Or(r.vars[param], partial.Unknown)
		if i < len(args) {
			texts[param] = args[i]
		}
	}
	if next.file.path == "" {
		r.runLines(r.sh, next, texts)
		return
	}
	r.sh.Enter(next.file.path, next.file.text, nil, func(child *shell.Shell) { r.runLines(child, next, texts) })
}

// runLines runs the lines of a recipe, or the whole recipe if it is a program by itself.
func (r *recipes) runLines(sh *shell.Shell, next *recipe, texts map[string]string) {
	if len(next.lines) > 0 && strings.HasPrefix(next.lines[0].code, "#!") {
		r.runWhole(sh, next, texts)
		return
	}
	for _, line := range next.lines {
		child := sh.Sub()
		child.AtLine(line.line)
		child.Run(strings.TrimLeft(r.filled(line.code, texts), "@- "), nil)
	}
}

// runWhole runs a recipe that is a program by itself.
func (r *recipes) runWhole(sh *shell.Shell, next *recipe, texts map[string]string) {
	var b strings.Builder
	for _, line := range next.lines {
		b.WriteString(r.filled(line.code, texts) + "\n")
	}
	child, code := sh.Sub(), b.String()
	child.AtLine(next.lines[0].line)
	words := strings.Fields(next.lines[0].code[2:])
	child.Exec([]string{lex.ProgramName(words[len(words)-1]), "-"}, &code)
}

// filled replaces {{names}} in a text. What is not known becomes a hole.
func (r *recipes) filled(text string, texts map[string]string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, "{{")
		b.WriteString(before)
		name, after, closed := strings.Cut(rest, "}}")
		if !found || !closed {
			return b.String()
		}
		name = strings.TrimLeft(strings.TrimSpace(name), ".")
		value, ok := texts[name]
		if !ok {
			value, ok = r.vars[name]
		}
		if !ok {
			value = partial.Unknown
		}
		b.WriteString(value)
		text = after
	}
}

// just runs the recipes that its operands name.
func just(sh *shell.Shell, c shell.Command, o shell.Options) {
	sh.Exec(lex.After(c.Args, "--command", 1), c.In)
	sh.Exec(lex.After(c.Args, "-c", 1), c.In)
	if o.Given("c command l list n dry-run summary show s dump evaluate fmt choose e edit init variables") {
		return
	}
	path, ok := recipeFile(sh, o, "f justfile", "justfile", "Justfile", ".justfile", "JUSTFILE")
	if !ok {
		return
	}
	runRecipeFile(sh, path, o.From(1), func(child *shell.Shell, text string) {
		child.Place.Cwd = fspath.Dir(path)
		r := newRecipes(child)
		r.readJust(text)
		words := o.Pos
		if len(words) == 0 {
			r.run(r.first, nil)
		}
		for len(words) > 0 {
			name := words[0]
			words = words[1:]
			if len(words) > 0 && r.named[name+"::"+words[0]] != nil { // the recipe of a module
				name, words = name+"::"+words[0], words[1:]
			}
			if next := r.named[name]; next != nil {
				n := min(len(next.params), len(words))
				r.run(name, words[:n])
				words = words[n:]
			}
		}
	})
}

// recipeFile returns the file that an option names, or else the nearest one.
func recipeFile(sh *shell.Shell, o shell.Options, option string, names ...string) (string, bool) {
	if name, ok := o.Get(strings.Fields(option)...); ok {
		return sh.Path(name), true
	}
	return nearest(sh, names...)
}

// readJust reads the text of a justfile.
func (r *recipes) readJust(text string) {
	var open *recipe
	for _, l := range logicalLines(text) {
		code := strings.TrimSpace(l.code)
		switch {
		case code == "":
		case strings.IndexByte(" \t", l.code[0]) >= 0:
			if open != nil {
				open.lines = append(open.lines, recipeLine{code, l.line})
			}
		case lex.BeginsWith(code, "import mod"):
			r.includeJust(strings.Fields(code))
			open = nil
		case lex.BeginsWith(code, "# [ set"):
			open = nil
		default:
			open = r.justHead(code)
		}
	}
}

// includeJust reads the file of "import 'x.just'", "mod x" or "mod x 'path'".
func (r *recipes) includeJust(words []string) {
	name := strings.Trim(words[len(words)-1], `'"`)
	switch {
	case len(words) < 2:
	case strings.HasPrefix(words[0], "import"):
		r.include(name, "", r.readJust)
	case len(words) > 2:
		r.include(name, words[1]+"::", r.readJust)
	default:
		r.include(name+".just", name+"::", r.readJust)
		r.include(name+"/mod.just", name+"::", r.readJust)
	}
}

// justHead reads a line that begins a recipe, an alias or a variable.
func (r *recipes) justHead(code string) *recipe {
	if name, value, ok := strings.Cut(code, ":="); ok {
		name = strings.TrimSpace(strings.TrimPrefix(name, "export "))
		if alias, ok := strings.CutPrefix(name, "alias "); ok {
			r.add(strings.TrimSpace(alias)).needs = []string{strings.TrimSpace(value)}
			return nil
		}
		value = strings.TrimSpace(value)
		if text := strings.Trim(value, `"'`); len(text)+2 == len(value) {
			r.vars[name] = text
		}
		return nil
	}
	head, needs, ok := strings.Cut(code, ":")
	words := strings.Fields(strings.TrimPrefix(head, "@"))
	if !ok || len(words) == 0 {
		return nil
	}
	next := r.add(words[0])
	for _, w := range words[1:] {
		name, value, fixed := strings.Cut(strings.TrimLeft(w, "+*$"), "=")
		if next.params = append(next.params, name); fixed {
			r.vars[name] = strings.Trim(value, `"'`)
		}
	}
	apart := strings.NewReplacer("(", " ", ")", " ", "&&", " ")
	next.needs = append(next.needs, strings.Fields(apart.Replace(needs))...)
	return next
}

// task runs the tasks that its operands name.
func task(sh *shell.Shell, _ shell.Command, o shell.Options) {
	if o.Given("l list a list-all n dry summary status init version") {
		return
	}
	path, ok := recipeFile(sh, o, "t taskfile", "Taskfile.yml", "taskfile.yml", "Taskfile.yaml", "taskfile.yaml",
		"Taskfile.dist.yml", "Taskfile.dist.yaml")
	if !ok {
		return
	}
	runRecipeFile(sh, path, append(settings(o.Pos), o.Behind...), func(child *shell.Shell, text string) {
		child.Place.Cwd = fspath.Dir(path)
		r := newRecipes(child)
		r.vars["CLI_ARGS"] = shell.QuoteAll(o.Behind)
		r.readTasks(text)
		names := o.Pos[:len(o.Pos)-len(o.Behind)]
		if len(names) == 0 {
			names = []string{"default"}
		}
		for _, name := range names {
			r.run(name, nil)
		}
	})
}

// readTasks reads the tasks in the text of a Taskfile.
func (r *recipes) readTasks(text string) {
	for _, y := range readYAML(text) {
		switch k := y.keys; {
		case len(k) == 2 && k[0] == "includes", len(k) == 3 && k[0] == "includes" && k[2] == "taskfile":
			for _, name := range [...]string{y.text, y.text + "/Taskfile.yml", y.text + "/Taskfile.yaml"} {
				r.include(name, k[1]+":", r.readTasks)
			}
		case len(k) == 2 && lex.OneOf(k[0], "vars env"):
			r.vars[k[1]] = y.text
		case len(k) == 4 && lex.OneOf(k[2], "vars env"):
			r.vars[k[3]] = y.text
		case len(k) > 1 && k[0] == "tasks":
			r.readTask(k[1], k[2:], y)
		}
	}
}

// readTask reads a text of a task, to which more keys lead: a command, or the name of another task.
func (r *recipes) readTask(name string, keys []string, y yamlText) {
	next := r.named[r.file.prefix+name]
	if next == nil {
		next = r.add(name)
	}
	if len(keys) > 0 && lex.IsNumber(keys[0]) {
		keys = keys[1:]
	}
	field := strings.Join(slices.DeleteFunc(slices.Clone(keys), lex.IsNumber), ".")
	switch field {
	case "", "cmds", "cmd", "cmds.cmd", "cmds.defer":
		next.lines = append(next.lines, recipeLine{y.text, y.line})
	case "cmds.task", "deps", "deps.task", "cmds.defer.task":
		next.needs = append(next.needs, strings.TrimPrefix(y.text, ":"))
	}
}
