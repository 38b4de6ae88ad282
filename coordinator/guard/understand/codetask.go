package understand

import (
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/fspath"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/understand/script"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
)

// This file reads the tasks that a file of Python or Ruby defines, and those of tox. Only the
// tasks that a command names are read, with the tasks and functions that these name.

// invoked runs tasks of invoke, which are functions of Python.
func invoked(sh *shell.Shell, _ shell.Command, o shell.Options) {
	if o.Given("l list h help version D dry R") {
		return
	}
	if path, ok := recipeFile(sh, o, "c collection", "tasks.py"); ok {
		runCodeTasks(sh, path, "python", o.Pos)
	}
}

// noxSessions runs sessions of nox, which are functions of Python.
func noxSessions(sh *shell.Shell, _ shell.Command, o shell.Options) {
	if o.Given("l list list-sessions") {
		return
	}
	if path, ok := recipeFile(sh, o, "f noxfile", "noxfile.py"); ok {
		runCodeTasks(sh, path, "python", append(o.All("s", "session", "sessions", "e"), o.Pos...))
	}
}

// rakeTasks runs tasks of a Rakefile.
func rakeTasks(sh *shell.Shell, args []string) {
	o := shell.ParseOptions(args, "f rakefile e execute C directory r require")
	if o.Given("T tasks n dry-run P prereqs W where D describe") {
		return
	}
	path, ok := recipeFile(sh, o, "f rakefile", "Rakefile", "rakefile", "Rakefile.rb", "rakefile.rb")
	if !ok {
		return
	}
	names := o.Pos
	if len(names) == 0 {
		names = []string{"default"}
	}
	runCodeTasks(sh, path, "ruby", names)
}

// runCodeTasks runs the tasks with these names, which a file defines.
func runCodeTasks(sh *shell.Shell, path, lang string, names []string) {
	text, written := sh.Brought(path)
	if !written {
		text, _ = sh.FileText(path)
	}
	code := newTaskCode(text).only(names)
	run := func(child *shell.Shell) {
		child.Place.Cwd = fspath.Dir(path)
		script.Run(child, code, lang)
	}
	switch {
	case written:
		sh.Opaque(text)
		run(sh.Sub())
	case code != "":
		sh.Enter(path, code, nil, run)
	}
}

// taskCode is a file that defines tasks. A task is a line that defines it, the decorators
// above it and the lines below it that stand further to the right.
type taskCode struct {
	lines   []string
	defined map[string]int // the line at which each begins
	taken   []bool         // the lines that run
}

const mostTasks = 100 // that are read for one command

func newTaskCode(text string) *taskCode {
	t := &taskCode{lines: strings.Split(text, "\n"), defined: map[string]int{}}
	t.taken = make([]bool, len(t.lines))
	for i, line := range t.lines {
		if name := taskName(line); name != "" {
			t.defined[name] = i
		}
		t.taken[i] = indentOf(line) == 0 && setsConstant(line)
	}
	return t
}

// only returns the text with the lines that belong to none of the tasks left empty, so
// that each line keeps its number. It returns "" if there is no such task.
func (t *taskCode) only(names []string) string {
	found := 0
	for done := map[string]bool{}; len(names) > 0 && found < mostTasks; names = names[1:] {
		name := lastName(names[0])
		at, ok := t.defined[name]
		if !ok || done[name] {
			continue
		}
		done[name] = true
		found++
		names = append(names, t.take(at)...)
	}
	if found == 0 {
		return ""
	}
	out := make([]string, len(t.lines))
	for i, line := range t.lines {
		if t.taken[i] {
			out[i] = line
		}
	}
	return strings.Join(out, "\n")
}

// take takes the lines of the task that begins at a line. It returns the names in them that
// may be those of other tasks and functions.
func (t *taskCode) take(at int) (names []string) {
	from, end, depth := at, at+1, indentOf(t.lines[at])
	for from > 0 && strings.HasPrefix(strings.TrimSpace(t.lines[from-1]), "@") {
		from--
	}
	for end < len(t.lines) && (strings.TrimSpace(t.lines[end]) == "" || indentOf(t.lines[end]) > depth) {
		end++
	}
	for i := from; i < end; i++ {
		t.taken[i] = true
		if i <= at || strings.Contains(t.lines[i], "dependsOn") {
			names = append(names, strings.FieldsFunc(t.lines[i], notInName)...)
		} else {
			names = append(names, called(t.lines[i])...)
		}
	}
	return names
}

// called returns the names of the functions that a line calls.
func called(line string) (names []string) {
	for {
		before, rest, ok := strings.Cut(line, "(")
		if !ok {
			return names
		}
		if name := before[strings.LastIndexFunc(before, notInName)+1:]; name != "" {
			names = append(names, name)
		}
		line = rest
	}
}

// taskName returns the name of the task or the function that a line defines, or "".
func taskName(line string) string {
	code := strings.TrimPrefix(strings.TrimSpace(line), "async ")
	if made, ok := strings.CutPrefix(code, "tasks.register"); ok { // gradle
		code = "task " + made[strings.IndexByte(made, '(')+1:]
	}
	word, rest, ok := strings.Cut(code, " ")
	if !ok || !lex.OneOf(word, "def task multitask") {
		return ""
	}
	name := strings.TrimLeft(rest, ` (:'"`)
	if end := strings.IndexAny(name, ` (,='"`); end >= 0 {
		name = name[:end]
	}
	return lastName(strings.TrimSuffix(name, ":"))
}

// lastName returns a name without those of the spaces that hold it, as Python writes it.
func lastName(name string) string {
	name, _, _ = strings.Cut(name, "[") // the arguments of a task of rake
	return strings.ReplaceAll(name[strings.LastIndexAny(name, ":.")+1:], "-", "_")
}

// notInName reports whether a letter does not belong to a name.
func notInName(r rune) bool {
	return r != '_' && (r > 0x7f || !lex.IsLetter(byte(r)) && (r < '0' || r > '9'))
}

// setsConstant reports whether a line gives a name a value.
func setsConstant(line string) bool {
	name, value, ok := strings.Cut(line, "=")
	name = strings.TrimSpace(name)
	return ok && name != "" && !strings.HasPrefix(value, "=") && !strings.ContainsFunc(name, notInName)
}

func indentOf(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }

// toxCommands runs the commands of the environments of tox that an option names.
func toxCommands(sh *shell.Shell, _ shell.Command, o shell.Options) {
	if o.Given("l listenvs a listenvs-all showconfig notest") {
		return
	}
	path, ok := recipeFile(sh, o, "c conf", "tox.ini")
	if !ok {
		return
	}
	sections := []string{"testenv"}
	for _, list := range o.All("e", "env") {
		for _, name := range strings.Split(list, ",") {
			sections = append(sections, "testenv:"+name)
		}
	}
	runRecipeFile(sh, path, o.Behind, func(child *shell.Shell, text string) {
		child.Place.Cwd = fspath.Dir(path)
		runToxSections(child, text, sections)
	})
}

// runToxSections runs the commands in some sections of a tox.ini.
func runToxSections(sh *shell.Shell, text string, sections []string) {
	values := strings.NewReplacer("{homedir}", sh.Place.Home, "{toxinidir}", sh.Place.Cwd, "{tox_root}", sh.Place.Cwd,
		"{posargs}", "")
	for _, s := range readSettings(text) {
		if !slices.Contains(sections, s.section) || !strings.HasPrefix(s.key, "commands") {
			continue
		}
		for _, line := range s.lines {
			child := sh.Sub()
			child.AtLine(line.line)
			child.Run(strings.TrimLeft(values.Replace(line.code), "-! "), nil)
		}
	}
}
