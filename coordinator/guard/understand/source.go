package understand

import (
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/fspath"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
)

// This file finds the sources of the programs that a command builds and runs.

// sourceEnds are the ends of the names of sources that are read as one language.
const sourceEnds = ".java .kts .kt .scala .sc .swift .cs .csx .dart .rs"

// runsSourceFile runs the source that a command names, as in "java Main.java" and "dart run main.dart".
func runsSourceFile(sh *shell.Shell, c shell.Command, _ shell.Options) {
	before := ""
	for i, a := range c.Args {
		switch {
		case strings.HasPrefix(a, "-"), lex.OneOf(a, "run script"):
		case lex.EndsWith(a, sourceEnds):
			runSource(sh, a, c.Args[i+1:], "c")
			return
		case !strings.HasPrefix(before, "-"): // no value of an option
			return
		}
		before = a
	}
}

// dotnetSource runs the source of a program of .NET.
func dotnetSource(sh *shell.Shell, c shell.Command, o shell.Options) {
	dir, _ := o.Get("project")
	if strings.HasSuffix(dir, "proj") {
		dir = fspath.Dir(sh.Path(dir))
	}
	if o.At(0) == "run" && !lex.EndsWith(o.At(1), ".cs") {
		runSource(sh, sh.Path(dir)+"/Program.cs", o.From(1), "c")
	}
	runsSourceFile(sh, c, o)
}

// cargoSources runs the sources that a command of cargo runs: the build script of a package, and
// its program.
func cargoSources(sh *shell.Shell, c shell.Command, o shell.Options) {
	verb := o.At(0)
	path, ok := nearest(sh, "Cargo.toml")
	if file, given := o.Get("manifest-path"); given {
		path, ok = sh.Path(file), true
	}
	if !ok {
		return
	}
	if !lex.OneOf(verb, "build b run r test t check c bench clippy doc d install rustc") {
		cargoAlias(sh, verb, lex.After(c.Args, verb, 1))
		return
	}
	top := fspath.Dir(path)
	dirs := []string{top}
	for _, name := range o.All("p", "package") {
		dirs = append(dirs, top+"/"+name, top+"/crates/"+name)
	}
	runCrates(sh, dirs, lex.OneOf(verb, "run r"), o)
}

// runCrates runs the build scripts of packages and, if the command runs it, the program of the last.
func runCrates(sh *shell.Shell, dirs []string, runs bool, o shell.Options) {
	main := "/src/main.rs"
	if name, ok := o.Get("bin"); ok {
		main = "/src/bin/" + name + ".rs"
	}
	if name, ok := o.Get("example"); ok {
		main = "/examples/" + name + ".rs"
	}
	for i, dir := range dirs {
		runSource(sh, dir+"/build.rs", nil, "c")
		if runs && (i > 0 || len(dirs) == 1) {
			runSource(sh, dir+main, o.From(1), "c")
		}
	}
}

// cargoAlias runs the command for which the settings of cargo have a name.
func cargoAlias(sh *shell.Shell, name string, args []string) {
	path, ok := nearest(sh, ".cargo/config.toml", ".cargo/config")
	if !ok || name == "" {
		return
	}
	runRecipeFile(sh, path, args, func(child *shell.Shell, text string) {
		for _, s := range readSettings(text) {
			if s.section == "alias" && s.key == name {
				words := strings.Fields(strings.Join(s.codes(), " "))
				child.Exec(append(append([]string{"cargo"}, words...), args...), nil)
			}
		}
	})
}

const goOptions = "- exec! toolexec! C tags ldflags gcflags asmflags mod modfile overlay p o race? run? count timeout"

// goProgram runs the program that "go run" builds, or the commands that "go generate" finds.
func goProgram(sh *shell.Shell, c shell.Command, o shell.Options) {
	child := sh.Sub()
	if dir, ok := o.Get("C"); ok {
		child.Place.Cwd = sh.Path(dir)
	}
	switch {
	case o.At(0) == "generate" && !o.Given("n"):
		for _, name := range append(o.From(1), ".")[:max(1, len(o.Pos)-1)] {
			dir, deep := strings.CutSuffix(name, "...")
			goSources(child, dir, deep, func(path string) { generates(child, path) })
		}
	case o.At(0) != "run":
	case o.At(1) == "-":
		pipedCode(child, c, "go")
	default:
		for i, name := range o.From(1) {
			if i > 0 && !strings.HasSuffix(name, ".go") {
				return
			}
			goSources(child, name, false, func(path string) { runSource(child, path, nil, "go") })
		}
	}
}

// goSources does something with a source of Go, or with those in a folder and, if deep, below it.
func goSources(sh *shell.Shell, name string, deep bool, do func(path string)) {
	path := strings.TrimSuffix(sh.Path(name), "/")
	if strings.HasSuffix(path, ".go") {
		do(path)
		return
	}
	for _, file := range sh.Names(path) {
		below, folder := strings.CutSuffix(file, "/")
		source := strings.HasSuffix(file, ".go") && !strings.HasSuffix(file, "_test.go")
		if source || folder && deep && !lex.BeginsWith(file, ". _ vendor/ testdata/") {
			goSources(sh, path+"/"+below, deep, do)
		}
	}
}

// generates runs the commands in the comments "//go:generate" of a source.
func generates(sh *shell.Shell, path string) {
	runRecipeFile(sh, path, nil, func(child *shell.Shell, text string) {
		child.Place.Cwd = fspath.Dir(path)
		for i, line := range strings.Split(text, "\n") {
			if code, ok := strings.CutPrefix(line, "//go:generate "); ok {
				child.AtLine(i + 1)
				child.Sub().Run(code, nil)
			}
		}
	})
}
