package understand

import (
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
)

// A setting is one key of a file of settings with sections, such as tox.ini and pyproject.toml.
type setting struct {
	section, key string
	lines        []recipeLine // of its value
	open         int          // brackets and quotes that its lines have not closed
}

// readSettings reads a file of settings. A value goes on in the lines that stand further to the
// right, and up to the end of a bracket or of three quotes.
func readSettings(text string) (out []setting) {
	section := ""
	for i, line := range strings.Split(text, "\n") {
		value := strings.TrimSpace(line)
		goesOn := len(out) > 0 && (out[len(out)-1].open > 0 || lex.Indent(line) > 0)
		switch key, after, pair := strings.Cut(value, "="); {
		case value == "", value[0] == '#':
			continue
		case goesOn:
		case value[0] == '[':
			section = strings.ReplaceAll(strings.Trim(value, "[]"), `"`, "")
			continue
		case !pair:
			continue
		default:
			out = append(out, setting{section: section, key: strings.Trim(strings.TrimSpace(key), `"'`)})
			value = strings.TrimSpace(after)
		}
		out[len(out)-1].add(value, i+1)
	}
	return out
}

// add adds a line to the value.
func (s *setting) add(value string, line int) {
	if value == "" {
		return
	}
	s.lines = append(s.lines, recipeLine{value, line})
	first := s.lines[0].code
	switch {
	case lex.BeginsWith(first, `""" '''`):
		s.open = (s.open + strings.Count(value, first[:3])) % 2
	case lex.BeginsWith(first, "[ {"):
		s.open += strings.Count(value, first[:1]) - strings.Count(value, string(first[0]+2))
	}
}

// text returns the value as one text.
func (s *setting) text() string {
	var codes []string
	for _, l := range s.lines {
		codes = append(codes, l.code)
	}
	return strings.Join(codes, "\n")
}

// codes returns the commands in the value of a script: a text, a list of texts, the words of one
// command, or an object with one of these.
func (s *setting) codes() []string {
	key, value := s.key, s.text()
	if strings.HasPrefix(value, "{") {
		key, value = commandIn(value)
	}
	items := textsIn(value)
	if key == "cmd" {
		return []string{strings.Join(items, " ")}
	}
	return items
}

// commandIn returns the command in an object, with its key.
func commandIn(object string) (key, value string) {
	for _, item := range splitItems(strings.Trim(object, "{}\n ")) {
		key, value, _ := strings.Cut(item, "=")
		if key = strings.TrimSpace(key); lex.OneOf(key, commandKeys) {
			return key, strings.TrimSpace(value)
		}
	}
	return "", ""
}

// commandKeys are the keys of a command in a script that is a section or an object.
const commandKeys = "cmd shell run sequence composite command script chain"

// projectScripts are the programs that run scripts of a file of settings: the file, the sections with
// the scripts, in which a star stands for any text, and the folders with scripts that are files.
var projectScripts = []struct{ programs, files, sections, folders string }{
	{"poe", "pyproject.toml poe_tasks.toml", "tool.poe.tasks", ""},
	{"task", "pyproject.toml", "tool.taskipy.tasks", ""},
	{"pdm", "pyproject.toml", "tool.pdm.scripts project.scripts", ""},
	{"hatch", "pyproject.toml hatch.toml", "tool.hatch.envs.*.scripts envs.*.scripts", ""},
	{"rye uv poetry", "pyproject.toml", "tool.rye.scripts project.scripts tool.poetry.scripts", ""},
	{"pipenv", "Pipfile", "scripts", ""},
	{"pixi", "pixi.toml pyproject.toml", "tasks tool.pixi.tasks", ""},
	{"mise", "mise.toml .mise.toml", "tasks", "mise-tasks/ .mise-tasks/ .mise/tasks/ mise/tasks/ .config/mise/tasks/"},
}

// runsProjectScript runs the script of the project that the words after a program's "run" name.
func runsProjectScript(sh *shell.Shell, program string, words []string) {
	name := lex.First(words)
	if i := strings.LastIndexByte(name, ':'); program == "hatch" && i >= 0 {
		name = name[i+1:] // behind the environment
	}
	for i := range projectScripts {
		p := &projectScripts[i]
		if !lex.OneOf(program, p.programs) || name == "" {
			continue
		}
		for _, dir := range strings.Fields(p.folders) {
			sh.RunProgram(dir+strings.ReplaceAll(name, ":", "/"), words[1:], nil)
		}
		path, _ := nearest(sh, p.files)
		runTasks(sh, path, words[1:], func(child *shell.Shell, text string) {
			runSettings(child, text, strings.Fields(p.sections), name, program)
		})
	}
}

// runSettings runs the script of a name: a key of one of the sections, or a section of its own.
func runSettings(sh *shell.Shell, text string, sections []string, name, program string) {
	for _, s := range readSettings(text) {
		parent, own := strings.CutSuffix(s.section, "."+name)
		own = own && inSection(parent, sections)
		switch {
		case len(s.lines) == 0:
		case own && lex.OneOf(s.key, "depends depends-on deps"):
			for _, other := range s.codes() {
				sh.Exec([]string{program, "run", other}, nil)
			}
		case own && lex.OneOf(s.key, commandKeys), s.key == name && inSection(s.section, sections):
			sh.AtLine(s.lines[0].line)
			for _, code := range s.codes() {
				runEntry(sh.Sub(), code)
			}
		}
	}
}

// inSection reports whether a section has one of the names, in which a star stands for any text.
func inSection(section string, names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return lex.Like(name, section) })
}

// runEntry runs a command, or the module of Python before a colon.
func runEntry(sh *shell.Shell, code string) {
	if module, _, ok := strings.Cut(code, ":"); ok && !strings.ContainsAny(code, " /=") {
		moduleFile(sh, []string{module})
		return
	}
	sh.Run(code, nil)
}

// textsIn returns the texts of a list, or the one text that is no list.
func textsIn(value string) (texts []string) {
	items := []string{value}
	if strings.HasPrefix(value, "[") {
		items = splitItems(strings.Trim(value, "[] \n"))
	}
	for _, item := range items {
		texts = append(texts, strings.Trim(strings.ReplaceAll(item, `" + "`, ""), "\"'\n "))
	}
	return texts
}
