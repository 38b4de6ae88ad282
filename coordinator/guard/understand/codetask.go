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

// codeTaskFiles are the programs that run tasks of a file that is code: the options that name the file,
// its usual names, its language, and the options with which nothing runs.
var codeTaskFiles = []struct{ programs, option, files, lang, lists, more string }{
	{"invoke inv", "c collection", "tasks.py", "python", "l list h help version D dry R", ""},
	{"nox", "f noxfile", "noxfile.py", "python", "l list list-sessions", ""},
	{"rake", "f rakefile", "Rakefile rakefile Rakefile.rb rakefile.rb", "ruby",
		"T tasks n dry-run P prereqs W where D describe", "rakelib/*.rake lib/tasks/*.rake tasks/*.rake"},
	{"gradle gradlew", "b build-file", "build.gradle build.gradle.kts", "groovy", "m dry-run", ""},
	{"gulp grunt", "f gulpfile", "gulpfile.js gulpfile.mjs gulpfile.ts Gruntfile.js", "js",
		"T tasks tasks-simple help", ""},
}

// codeTasks runs the tasks that a command names, or else the default one.
func codeTasks(sh *shell.Shell, c shell.Command, o shell.Options) {
	names := append(append(o.All("s", "session", "sessions", "e"), o.Pos...), "exports")
	if len(o.Pos) == 0 {
		names = append(names, "default")
	}
	for i := range codeTaskFiles {
		t := &codeTaskFiles[i]
		if !lex.OneOf(c.Name, t.programs) || o.Given(t.lists) {
			continue
		}
		path, _ := recipeFile(sh, o, t.option, strings.Fields(t.files)...)
		runsTasks(sh, path, fspath.Dir(path), names, t.lang)
		for _, more := range filesNamed(sh, strings.Fields(t.more)) {
			runsTasks(sh, more, sh.Place.Cwd, names, t.lang)
		}
	}
}

// runsTasks runs the tasks of these names in a file.
func runsTasks(sh *shell.Shell, path, dir string, names []string, lang string) {
	reached := func(text string) string { return script.Reached(text, names) }
	sh.RunCode(path, nil, reached, func(child *shell.Shell, code string) {
		child.Place.Cwd = dir
		script.Run(child, code, lang)
	})
}

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
