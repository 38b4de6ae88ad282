package source

import (
	"cmp"
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/fspath"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/understand/argv"
	"github.com/afar-sh/afar/coordinator/guard/understand/recipes"
	"github.com/afar-sh/afar/coordinator/guard/understand/rows"
	"github.com/afar-sh/afar/coordinator/guard/understand/script"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
	"github.com/afar-sh/afar/coordinator/guard/understand/web"
)

// This file finds the sources of the programs that a command builds and runs.

// sourceEnds are the ends of the names of sources that programs run as they are.
const sourceEnds = ".java .kts .kt .scala .sc .swift .cs .csx .dart .rs .groovy .exs .ex"

// RunFile runs the source that a command names, as in "java Main.java" and "dart run main.dart".
func RunFile(sh *shell.Shell, c shell.Command, _ argv.Options) {
	before := ""
	for i, a := range c.Args {
		switch {
		case strings.HasPrefix(a, "-"), lex.OneOf(a, "run script"):
		case lex.EndsWith(a, sourceEnds):
			Run(sh, a, c.Args[i+1:], languageOfFile(a))
			return
		case !strings.HasPrefix(before, "-"): // no value of an option
			return
		}
		before = a
	}
}

// RunDotnet runs the source of a program of .NET.
func RunDotnet(sh *shell.Shell, c shell.Command, o argv.Options) {
	dir, _ := o.Get("project")
	if strings.HasSuffix(dir, "proj") {
		dir = fspath.Dir(sh.Path(dir))
	}
	if o.At(0) == "script" && o.At(1) == "eval" {
		script.Run(sh, o.At(2), "c")
		return
	}
	if o.At(0) == "run" && !lex.EndsWith(o.At(1), ".cs") {
		Run(sh, sh.Path(dir)+"/Program.cs", o.From(1), "c")
	}
	RunFile(sh, c, o)
}

// RunCargo runs the sources that a command of cargo runs: build scripts, programs and tests.
func RunCargo(sh *shell.Shell, c shell.Command, o argv.Options) {
	verb := o.At(0)
	path, ok := recipes.FileOf(sh, o, "manifest-path", "Cargo.toml")
	if !ok {
		return
	}
	if !lex.OneOf(verb, "b bench build c check clippy d doc install r run rustc t test") {
		cargoAlias(sh, verb, lex.After(c.Args, verb, 1))
		return
	}
	top := fspath.Dir(path)
	dirs := []string{top}
	for _, name := range o.All("p", "package") {
		dirs = append(dirs, top+"/"+name, top+"/crates/"+name)
	}
	runCrates(sh, dirs, lex.OneOf(verb, "run r"), o)
	if test, _ := o.Get("test"); lex.OneOf(verb, "test t") {
		files := recipes.Matching(sh, top+"/tests/"+cmp.Or(test, "*")+".rs")
		eachTest(sh, files, func(path, _ string) { Run(sh, path, nil, "c") })
	}
}

// eachTest runs tests that a command does not name. Of many the first are read: to read all of a large
// package takes a tenth of a second.
func eachTest(sh *shell.Shell, files []string, run func(path, text string)) {
	left := 32 << 10 // bytes
	for i, path := range files {
		text, _ := sh.FileText(path)
		if left -= len(text); left < 0 && i > 0 {
			return
		}
		run(path, text)
	}
}

// runCrates runs the build scripts of packages and, if the command runs it, the program of the last.
func runCrates(sh *shell.Shell, dirs []string, runs bool, o argv.Options) {
	main := "/src/main.rs"
	if name, ok := o.Get("bin"); ok {
		main = "/src/bin/" + name + ".rs"
	}
	if name, ok := o.Get("example"); ok {
		main = "/examples/" + name + ".rs"
	}
	for i, dir := range dirs {
		Run(sh, dir+"/build.rs", nil, "c")
		if runs && (i > 0 || len(dirs) == 1) {
			Run(sh, dir+main, o.From(1), "c")
		}
	}
}

// cargoAlias runs the command for which the settings of cargo have a name.
func cargoAlias(sh *shell.Shell, name string, args []string) {
	path, _ := recipes.Nearest(sh, ".cargo/config.toml .cargo/config")
	recipes.RunFile(sh, path, args, func(child *shell.Shell, text string) {
		for _, s := range recipes.ReadSettings(text) {
			if s.Section == "alias" && s.Key == name {
				words := strings.Fields(strings.Join(s.Codes(), " "))
				child.Exec(append(append([]string{"cargo"}, words...), args...), nil)
			}
		}
	})
}

const GoOptions = "- exec! toolexec! C tags ldflags gcflags asmflags mod modfile overlay p o race? run? count timeout"

// RunGo runs the program that "go run" builds, or the commands that "go generate" finds.
func RunGo(sh *shell.Shell, c shell.Command, o argv.Options) {
	child := rows.InFolder(sh, o, "C")
	packages := append(o.From(1), ".")[:max(1, len(o.Pos)-1)]
	switch {
	case o.At(0) == "test":
		testPackages(child, packages)
	case o.At(0) == "generate" && !o.Given("n"):
		for _, name := range packages {
			goSources(child, name, func(path string) { runGenerators(child, path) })
		}
	case o.At(0) != "run":
	case o.At(1) == "-":
		RunPiped(child, c, "go")
	case strings.Contains(o.At(1), "@"):
		runModule(sh, o.At(1))
	default:
		for i, name := range o.From(1) {
			if i > 0 && !strings.HasSuffix(name, ".go") {
				return
			}
			goSources(child, name, func(path string) { Run(child, path, nil, "go") })
		}
	}
}

// knownModules are the beginnings of the modules of Go's own project, and of its usual tools.
const knownModules = "golang.org/ google.golang.org/ github.com/golang/ github.com/golangci/ honnef.co/ mvdan.cc/ " +
	"gotest.tools/"

// runModule reports a module of another host that "go run" gets, unless the project knows it.
func runModule(sh *shell.Shell, arg string) {
	module, _, _ := strings.Cut(arg, "@")
	path, _ := recipes.Nearest(sh, "go.mod")
	text, _ := sh.FileText(path)
	for ; strings.Count(module, "/") > 1; module = fspath.Dir(module) {
		if strings.Contains(text, module+" ") {
			return
		}
	}
	if !lex.BeginsWith(arg, knownModules) {
		sh.Effect(effect.RunUnknown, effect.Network, arg)
	}
}

// goSources does something with the sources of Go that a name stands for, but no tests.
func goSources(sh *shell.Shell, name string, do func(path string)) {
	sources(sh, name, ".go", func(path string) {
		if !strings.HasSuffix(path, "_test.go") {
			do(path)
		}
	})
}

// sources does something with a source of Go, or with the files of a folder that have an end, and of
// those below it if the name ends with "...".
func sources(sh *shell.Shell, name, end string, do func(path string)) {
	dir, deep := strings.CutSuffix(name, "...")
	path := strings.TrimSuffix(sh.Path(dir), "/")
	if strings.HasSuffix(path, ".go") {
		do(path)
		return
	}
	for _, file := range sh.Names(path) {
		switch {
		case strings.HasSuffix(file, end):
			do(path + "/" + file)
		case deep && strings.HasSuffix(file, "/") && !lex.BeginsWith(file, ". _ vendor/ testdata/ node_modules/"):
			sources(sh, path+"/"+file+"...", end, do)
		}
	}
}

// testPackages runs the code that the tests of named packages of Go begin with. Those of "./..." are
// not read: to look for it in each package takes three times as long as all the rest of the hook.
func testPackages(sh *shell.Shell, names []string) {
	var files []string
	for _, name := range names {
		if lex.BeginsWith(name, ". /") && !strings.HasSuffix(name, "...") {
			sources(sh, name, "_test.go", func(path string) { files = append(files, path) })
		}
	}
	eachTest(sh, files, func(path, text string) {
		if strings.Contains(text, "func TestMain(") {
			Run(sh, path, nil, "go")
		}
	})
}

// runGenerators runs the commands in the comments "//go:generate" of a source.
func runGenerators(sh *shell.Shell, path string) {
	recipes.RunTasks(sh, path, nil, func(child *shell.Shell, text string) {
		for i, line := range strings.Split(text, "\n") {
			if code, ok := strings.CutPrefix(line, "//go:generate "); ok {
				child.AtLine(i + 1)
				child.Sub().Run(code, nil)
			}
		}
	})
}

// isCodeAddress reports whether an argument is an address of code, as in git+https://host/path and github:owner/name.
func isCodeAddress(arg string) bool {
	if _, url, ok := strings.Cut(arg, " @ "); ok { // name @ address
		arg = url
	}
	const schemes = "https:// http:// git+http git+ssh: git:// ssh:// github: gitlab: bitbucket: gist: oci:// git@"
	return lex.BeginsWith(arg, schemes) && !web.IsLocalHost(strings.TrimPrefix(arg, "git+"))
}

// addressOptions are the options whose value is the address of a registry.
const addressOptions = "--default-index --extra-index-url --find-links --index --index-url --proxy --registry" +
	" --repository --source --trusted-host -f -i"

// ReportTaken reports the addresses of code among the arguments of a command that runs or installs it.
func ReportTaken(sh *shell.Shell, args []string) {
	before := ""
	for _, a := range args {
		if isCodeAddress(a) && !lex.OneOf(before, addressOptions) {
			sh.Effect(effect.RunUnknown, effect.Network, a)
			return
		}
		before = a
	}
}

// trusted are the beginnings of addresses from which packages are installed every day.
const trusted = "git+https:// git+ssh:// ssh:// git@ github: gitlab: bitbucket: https://github.com/ " +
	"https://gitlab.com/ https://codeload.github.com/ https://files.pythonhosted.org/ https://download.pytorch.org/ " +
	"https://registry.npmjs.org/"

// ReportInstalled is ReportTaken for a command that installs packages. Addresses of trusted hosts are left out.
func ReportInstalled(sh *shell.Shell, args []string) {
	ReportTaken(sh, slices.DeleteFunc(slices.Clone(args), func(a string) bool { return lex.BeginsWith(a, trusted) }))
}
