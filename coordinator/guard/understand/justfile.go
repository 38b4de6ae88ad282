package understand

import (
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/fspath"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"github.com/afar-sh/afar/coordinator/guard/understand/rows"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
)

// filledBetween replaces the names between two signs in a text. What is not known becomes a hole.
func (r *recipes) filledBetween(text, open, end string, texts map[string]string) string {
	return replacedBetween(text, open, end, func(name string) string {
		name = strings.TrimLeft(strings.TrimSpace(name), ".")
		if value, ok := texts[name]; ok {
			return value
		}
		return r.justText(name)
	})
}

// replacedBetween replaces what stands between two signs in a text, with the signs.
func replacedBetween(text, open, end string, value func(inner string) string) string {
	var b strings.Builder
	for {
		before, rest, _ := strings.Cut(text, open)
		b.WriteString(before)
		inner, after, closed := strings.Cut(rest, end)
		if !closed {
			return b.String()
		}
		b.WriteString(value(inner))
		text = after
	}
}

// justText returns the text of an expression: texts, names and calls that "+" and "/" join.
func (r *recipes) justText(code string) (text string) {
	for code != "" {
		var part, sign string
		part, sign, code = cutItem(code, "+/")
		text = shell.Glue(text, r.justPart(part)+strings.Trim(sign, "+"))
	}
	return text
}

// justPart returns the text of a part of an expression.
func (r *recipes) justPart(code string) string {
	code = strings.TrimSpace(code)
	name, args, call := strings.Cut(code, "(")
	switch text, known := r.vars[code]; {
	case known:
		return text
	case strings.HasPrefix(code, "`"):
		return r.sh.Output(strings.Trim(code, "`"))
	case lex.BeginsWith(code, `" '`):
		return strings.Trim(code, `"'`)
	case lex.OneOf(name, "env env_var env_var_or_default"):
		name, _, _ = strings.Cut(args, ",")
		return r.variable(strings.Trim(name, "\"') "))
	case name == "home_directory":
		return r.sh.HomeText()
	case lex.OneOf(name, "justfile_directory invocation_directory source_directory"):
		return r.sh.Place.Cwd
	case call:
		return partial.Unknown
	}
	return r.variable(code)
}

// variable returns the value of a variable of the environment, or a hole.
func (r *recipes) variable(name string) string {
	if v, ok := r.sh.Lookup(name); ok {
		return lex.First(v)
	}
	return partial.Unknown
}

// just runs the recipes that its operands name.
func just(sh *shell.Shell, c shell.Command, o shell.Options) {
	sh.Exec(lex.After(c.Args, "--command", 1), c.In)
	sh.Exec(lex.After(c.Args, "-c", 1), c.In)
	if o.Given("c command l list n dry-run summary show s dump evaluate fmt choose e edit init variables") {
		return
	}
	path, _ := recipeFile(sh, o, "f justfile", "justfile Justfile .justfile JUSTFILE")
	runTasks(sh, path, o.From(1), func(child *shell.Shell, text string) {
		r := newRecipes(child)
		r.readJust(text)
		r.runJust(o.Pos, c.Args)
	})
}

// runJust runs the recipes among some words, with the arguments behind each. args are the words with options.
func (r *recipes) runJust(words, args []string) {
	if len(words) == 0 {
		r.run(r.first, nil)
	}
	for i := 0; i < len(words); i++ {
		name := words[i]
		if inner := name + "::" + lex.First(words[i+1:]); r.named[inner] != nil { // a recipe of a module
			name = inner
			i++
		}
		if r.named[name] == nil {
			continue
		}
		next := r.named[name][0]
		if next.rest { // options are arguments, too
			r.run(name, handedOn(args, words[i]))
			return
		}
		n := min(len(next.params), len(words)-i-1)
		r.run(name, words[i+1:i+1+n])
		i += n
	}
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
		case lex.BeginsWith(code, "# ["):
			open = nil
		case lex.OneOf(strings.Fields(code)[0], "import import? mod mod?"):
			open = nil
			r.justFile(strings.Fields(code))
		default:
			open = r.justHead(code)
		}
	}
}

// justFile reads the file of an import or of a module.
func (r *recipes) justFile(words []string) {
	name := strings.Trim(words[len(words)-1], `'"`)
	if strings.HasPrefix(words[0], "import") {
		r.include(r.within, []string{r.beside(name)}, r.readJust)
		return
	}
	within := scope{prefix: r.within.prefix + lex.First(words[1:]) + "::"}
	ends := []string{"", ".just", "/mod.just", "/justfile", "/.justfile"}
	r.include(within, rows.Endings(r.beside(name), ends), r.readJust)
}

// justHead reads a line that begins a recipe, an alias or a variable.
func (r *recipes) justHead(code string) *recipe {
	if name, value, ok := strings.Cut(code, ":="); ok {
		name = strings.TrimSpace(strings.TrimPrefix(name, "export "))
		if alias, ok := strings.CutPrefix(name, "alias "); ok {
			r.add(strings.TrimSpace(alias)).needs = []string{strings.TrimSpace(value)}
			return nil
		}
		r.vars[name] = r.justText(strings.TrimSpace(value))
		return nil
	}
	head, needs, ok := strings.Cut(code, ":")
	words := strings.Fields(strings.TrimPrefix(head, "@"))
	if !ok || len(words) == 0 {
		return nil
	}
	next := r.add(words[0])
	for _, w := range words[1:] {
		next.rest = strings.IndexByte("+*", w[0]) >= 0
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
	sh = rows.InFolder(sh, o, "d dir")
	path, ok := recipeFile(sh, o, "t taskfile", taskFiles)
	if !ok {
		runsProjectScript(sh, "task", o.Pos) // taskipy has a program of this name
		return
	}
	runTasks(sh, path, append(settings(o.Pos), o.Behind...), func(child *shell.Shell, text string) {
		r := newRecipes(child)
		r.vars["CLI_ARGS"] = shell.QuoteAll(o.Behind)
		r.readTasks(text)
		names := o.Pos[:len(o.Pos)-len(o.Behind)]
		if len(names) == 0 {
			names = []string{"default"}
		}
		for _, name := range names {
			if r.named[name] == nil {
				name += ":default"
			}
			r.run(name, nil)
		}
	})
}

// taskFiles are the names of a Taskfile.
const taskFiles = "Taskfile.yml taskfile.yml Taskfile.yaml taskfile.yaml Taskfile.dist.yml Taskfile.dist.yaml"

// readTasks reads the tasks in the text of a Taskfile.
func (r *recipes) readTasks(text string) {
	texts := readYAML(text)
	for i, y := range texts {
		switch k := y.keys; {
		case rows.BeginWith(k, "includes *") && (len(k) == 2 || k[2] == "taskfile"):
			r.taskInclude(k[1], y.text, texts[i:])
		case len(k) == 2 && lex.OneOf(k[0], "vars env"), len(k) == 4 && lex.OneOf(k[2], "vars env"):
			r.vars[k[len(k)-1]] = r.filled(y.text, nil)
		case len(k) > 2 && k[len(k)-3] == "vars" && k[len(k)-1] == "sh":
			r.vars[k[len(k)-2]] = r.sh.Output(r.filled(y.text, nil))
		case rows.BeginWith(k, "tasks *"):
			r.readTask(k[1], y)
		}
	}
}

// taskInclude reads a Taskfile that another one includes. The settings of the include stand among the texts.
func (r *recipes) taskInclude(name, path string, texts []yamlText) {
	within := scope{prefix: r.within.prefix + name + ":", dir: r.within.dir}
	for _, y := range texts {
		if len(y.keys) != 3 || y.keys[1] != name {
			break
		}
		switch y.keys[2] {
		case "dir":
			within.dir = fspath.Join(r.within.dir, y.text)
		case "flatten":
			within.prefix = r.within.prefix
		}
	}
	path = r.beside(path)
	r.include(within, append(rows.Endings(path+"/", strings.Fields(taskFiles)), path), r.readTasks)
}

// readTask reads a text of a task: a command, or the name of another task.
func (r *recipes) readTask(name string, y yamlText) {
	next := r.open(name)
	switch y.field(2) {
	case "", "cmds", "cmd", "cmds.cmd", "cmds.defer":
		next.lines = append(next.lines, recipeLine{y.text, y.line})
	case "dir":
		next.within.dir = fspath.Join(next.within.dir, r.filled(y.text, nil))
	case "cmds.for":
		next.items = append(next.items, y.text)
	case "cmds.task", "deps", "deps.task", "cmds.defer.task":
		next.needs = append(next.needs, strings.TrimPrefix(y.text, ":"))
	}
}
