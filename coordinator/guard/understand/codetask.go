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
// its usual names, other files that are read with it, its language, and the options with which nothing
// runs.
var codeTaskFiles = []struct{ programs, option, files, more, lang, lists string }{
	{"invoke inv", "c collection", "tasks.py", "tasks/*.py", "python", "l list h help version D dry R"},
	{"fab", "c collection", "fabfile.py", "", "python", "l list h help version D dry R"},
	{"nox", "f noxfile", "noxfile.py", "", "python", "l list list-sessions"},
	{"doit", "f file", "dodo.py", "", "python", "h help version"},
	{"scons", "f file sconstruct", "SConstruct Sconstruct sconstruct SConstruct.py", "", "python", "n h help version"},
	{"waf", "", "wscript", "", "python", "h help version"},
	{"rake", "f rakefile", "Rakefile rakefile Rakefile.rb rakefile.rb", "rakelib/*.rake lib/tasks/*.rake", "ruby",
		"T tasks n dry-run P prereqs W where D describe"},
	{"thor", "", "Thorfile", "tasks/*.thor lib/tasks/*.thor", "ruby", "T"},
	{"fastlane", "", "fastlane/Fastfile Fastfile", "", "ruby", "h help version"},
	{"gradle gradlew", "b build-file", "build.gradle build.gradle.kts", "", "groovy", "m dry-run"},
	{"gulp grunt", "f gulpfile", "gulpfile.js gulpfile.mjs gulpfile.ts Gruntfile.js", "gulpfile.js/*.js", "js",
		"T tasks tasks-simple help"},
}

// codeTasks runs the tasks that a command names, or else the default one.
func codeTasks(sh *shell.Shell, c shell.Command, o shell.Options) {
	functions := endings("task_", o.Pos) // as doit names them
	names := slices.Concat(o.All("s", "session", "sessions", "e"), o.Pos, functions, []string{"exports"})
	if len(o.Pos) == 0 {
		names = append(names, "default")
	}
	for i := range codeTaskFiles {
		t := &codeTaskFiles[i]
		if !lex.OneOf(c.Name, t.programs) || o.Given(t.lists) {
			continue
		}
		child := sh.Sub()
		var paths []string
		if path, ok := recipeFile(sh, o, t.option, t.files); ok {
			child.Place.Cwd = strings.TrimSuffix(fspath.Dir(path), "/fastlane")
			paths = append(paths, path)
		}
		for _, pattern := range strings.Fields(t.more) {
			paths = append(paths, matching(child, pattern)...)
		}
		for _, path := range paths {
			runReached(child, path, names, t.lang)
		}
	}
}

// runReached runs what some names reach in a file of code.
func runReached(sh *shell.Shell, path string, names []string, lang string) {
	reached := func(text string) string { return script.Reached(text, names) }
	sh.RunCode(path, nil, reached, func(child *shell.Shell, code string) { script.Run(child, code, lang) })
}

// mixTasks runs "mix cmd", the tasks of "mix do", or those of an alias. "test" works on a database of its own.
func mixTasks(sh *shell.Shell, c shell.Command) {
	name := lex.First(c.Args)
	switch name {
	case "", "test":
		return
	case "cmd":
		sh.Exec(c.Args[1:], c.In)
		return
	case "do":
		tasks := strings.ReplaceAll(strings.Join(c.Args[1:], " "), "+", ",")
		for _, task := range strings.Split(tasks, ",") {
			sh.Exec(append([]string{"mix"}, strings.Fields(task)...), nil)
		}
		return
	}
	path, _ := nearest(sh, "mix.exs")
	runRecipeFile(sh, path, c.Args[1:], func(child *shell.Shell, text string) {
		before, value, ok := strings.Cut(strings.ReplaceAll(text, `"`+name+`":`, name+":"), " "+name+": ")
		if !ok {
			return
		}
		child.AtLine(1 + strings.Count(before, "\n"))
		value, _, _ = cutItem(value, ",\n")
		for _, task := range textsIn(value) {
			if lex.First(strings.Fields(task)) != name {
				child.Sub().Run("mix "+task, nil)
			}
		}
	})
}

// toxCommands runs the commands of the environments of tox that an option names.
func toxCommands(sh *shell.Shell, _ shell.Command, o shell.Options) {
	if o.Given("l listenvs a listenvs-all showconfig notest") {
		return
	}
	path, _ := recipeFile(sh, o, "c conf", "tox.ini")
	environments := strings.Split(strings.Join(o.All("e", "env"), ","), ",")
	sections := append(endings("testenv:", environments), "testenv")
	runTasks(sh, path, o.Behind, func(child *shell.Shell, text string) {
		values := strings.NewReplacer("{homedir}", child.Place.Home, "{toxinidir}", child.Place.Cwd, "{tox_root}",
			child.Place.Cwd, "{posargs}", "")
		for _, s := range readSettings(text) {
			if !slices.Contains(sections, s.section) || !strings.HasPrefix(s.key, "commands") {
				continue
			}
			for _, line := range s.lines {
				recipeLine{strings.TrimLeft(values.Replace(line.code), "-! "), line.line}.run(child)
			}
		}
	})
}
