package build

import (
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/understand/recipes"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
	"github.com/afar-sh/afar/coordinator/guard/understand/source"
)

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

// RunProjectScript runs the script of the project that the words after a program's "run" name.
func RunProjectScript(sh *shell.Shell, program string, words []string) {
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
		path, _ := recipes.Nearest(sh, p.files)
		recipes.RunTasks(sh, path, words[1:], func(child *shell.Shell, text string) {
			runSettings(child, text, strings.Fields(p.sections), name, program)
		})
	}
}

// runSettings runs the script of a name: a key of one of the sections, or a section of its own.
func runSettings(sh *shell.Shell, text string, sections []string, name, program string) {
	for _, s := range recipes.ReadSettings(text) {
		parent, own := strings.CutSuffix(s.Section, "."+name)
		own = own && inSection(parent, sections)
		switch {
		case len(s.Lines) == 0:
		case own && lex.OneOf(s.Key, "depends depends-on deps"):
			for _, other := range s.Codes() {
				sh.Exec([]string{program, "run", other}, nil)
			}
		case own && lex.OneOf(s.Key, recipes.CommandKeys), s.Key == name && inSection(s.Section, sections):
			sh.AtLine(s.Lines[0].Line)
			for _, code := range s.Codes() {
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
		source.RunModule(sh, []string{module})
		return
	}
	sh.Run(code, nil)
}
