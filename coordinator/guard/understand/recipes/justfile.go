package recipes

import (
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/fspath"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"github.com/afar-sh/afar/coordinator/guard/understand/rows"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell/expand"
)

// filledBetween replaces the names between two signs in a text. What is not known becomes a hole.
func (r *Set) filledBetween(text, open, end string, texts map[string]string) string {
	return ReplacedBetween(text, open, end, func(name string) string {
		name = strings.TrimLeft(strings.TrimSpace(name), ".")
		if value, ok := texts[name]; ok {
			return value
		}
		return r.justText(name)
	})
}

// ReplacedBetween replaces what stands between two signs in a text, with the signs.
func ReplacedBetween(text, open, end string, value func(inner string) string) string {
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
func (r *Set) justText(code string) (text string) {
	for code != "" {
		var part, sign string
		part, sign, code = cutItem(code, "+/")
		text = expand.Glue(text, r.justPart(part)+strings.Trim(sign, "+"))
	}
	return text
}

// justPart returns the text of a part of an expression.
func (r *Set) justPart(code string) string {
	code = strings.TrimSpace(code)
	name, args, call := strings.Cut(code, "(")
	switch text, known := r.Vars[code]; {
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
func (r *Set) variable(name string) string {
	if v, ok := r.sh.Lookup(name); ok {
		return lex.First(v)
	}
	return partial.Unknown
}

// runJust runs the recipes among some words, with the arguments behind each. args are the words with options.
func (r *Set) RunJust(words, args []string) {
	if len(words) == 0 {
		r.Run(r.first, nil)
	}
	for i := 0; i < len(words); i++ {
		name := words[i]
		if inner := name + "::" + lex.First(words[i+1:]); r.Named[inner] != nil { // a recipe of a module
			name = inner
			i++
		}
		if r.Named[name] == nil {
			continue
		}
		next := r.Named[name][0]
		if next.rest { // options are arguments, too
			r.Run(name, HandedOn(args, words[i]))
			return
		}
		n := min(len(next.params), len(words)-i-1)
		r.Run(name, words[i+1:i+1+n])
		i += n
	}
}

// readJust reads the text of a justfile.
func (r *Set) ReadJust(text string) {
	var open *Recipe
	for _, l := range logicalLines(text) {
		code := strings.TrimSpace(l.Code)
		switch {
		case code == "":
		case strings.IndexByte(" \t", l.Code[0]) >= 0:
			if open != nil {
				open.lines = append(open.lines, Line{code, l.Line})
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
func (r *Set) justFile(words []string) {
	name := strings.Trim(words[len(words)-1], `'"`)
	if strings.HasPrefix(words[0], "import") {
		r.include(r.within, []string{r.beside(name)}, r.ReadJust)
		return
	}
	within := scope{prefix: r.within.prefix + lex.First(words[1:]) + "::"}
	ends := []string{"", ".just", "/mod.just", "/justfile", "/.justfile"}
	r.include(within, rows.Endings(r.beside(name), ends), r.ReadJust)
}

// justHead reads a line that begins a recipe, an alias or a variable.
func (r *Set) justHead(code string) *Recipe {
	if name, value, ok := strings.Cut(code, ":="); ok {
		name = strings.TrimSpace(strings.TrimPrefix(name, "export "))
		if alias, ok := strings.CutPrefix(name, "alias "); ok {
			r.Add(strings.TrimSpace(alias)).Needs = []string{strings.TrimSpace(value)}
			return nil
		}
		r.Vars[name] = r.justText(strings.TrimSpace(value))
		return nil
	}
	head, needs, ok := strings.Cut(code, ":")
	words := strings.Fields(strings.TrimPrefix(head, "@"))
	if !ok || len(words) == 0 {
		return nil
	}
	next := r.Add(words[0])
	for _, w := range words[1:] {
		next.rest = strings.IndexByte("+*", w[0]) >= 0
		name, value, fixed := strings.Cut(strings.TrimLeft(w, "+*$"), "=")
		if next.params = append(next.params, name); fixed {
			r.Vars[name] = strings.Trim(value, `"'`)
		}
	}
	apart := strings.NewReplacer("(", " ", ")", " ", "&&", " ")
	next.Needs = append(next.Needs, strings.Fields(apart.Replace(needs))...)
	return next
}

// TaskFiles are the names of a Taskfile.
const TaskFiles = "Taskfile.yml taskfile.yml Taskfile.yaml taskfile.yaml Taskfile.dist.yml Taskfile.dist.yaml"

// readTasks reads the tasks in the text of a Taskfile.
func (r *Set) ReadTasks(text string) {
	texts := ReadYAML(text)
	for i, y := range texts {
		switch k := y.Keys; {
		case rows.BeginWith(k, "includes *") && (len(k) == 2 || k[2] == "taskfile"):
			r.taskInclude(k[1], y.Text, texts[i:])
		case len(k) == 2 && lex.OneOf(k[0], "vars env"), len(k) == 4 && lex.OneOf(k[2], "vars env"):
			r.Vars[k[len(k)-1]] = r.filled(y.Text, nil)
		case len(k) > 2 && k[len(k)-3] == "vars" && k[len(k)-1] == "sh":
			r.Vars[k[len(k)-2]] = r.sh.Output(r.filled(y.Text, nil))
		case rows.BeginWith(k, "tasks *"):
			r.readTask(k[1], y)
		}
	}
}

// taskInclude reads a Taskfile that another one includes. The settings of the include stand among the texts.
func (r *Set) taskInclude(name, path string, texts []YAMLText) {
	within := scope{prefix: r.within.prefix + name + ":", dir: r.within.dir}
	for _, y := range texts {
		if len(y.Keys) != 3 || y.Keys[1] != name {
			break
		}
		switch y.Keys[2] {
		case "dir":
			within.dir = fspath.Join(r.within.dir, y.Text)
		case "flatten":
			within.prefix = r.within.prefix
		}
	}
	path = r.beside(path)
	r.include(within, append(rows.Endings(path+"/", strings.Fields(TaskFiles)), path), r.ReadTasks)
}

// readTask reads a text of a task: a command, or the name of another task.
func (r *Set) readTask(name string, y YAMLText) {
	next := r.open(name)
	switch y.Field(2) {
	case "", "cmds", "cmd", "cmds.cmd", "cmds.defer":
		next.lines = append(next.lines, Line{y.Text, y.Line})
	case "dir":
		next.within.dir = fspath.Join(next.within.dir, r.filled(y.Text, nil))
	case "cmds.for":
		next.items = append(next.items, y.Text)
	case "cmds.task", "deps", "deps.task", "cmds.defer.task":
		next.Needs = append(next.Needs, strings.TrimPrefix(y.Text, ":"))
	}
}
