package understand

import (
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/fspath"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
	"github.com/afar-sh/afar/coordinator/host/claude/hostjson"
)

// scriptPrograms run several scripts of a package.json.
var scriptPrograms = []table{
	{programs: "run-s run-p npm-run-all npm-run-all2", do: func(sh *shell.Shell, c shell.Command, _ shell.Options) {
		for _, name := range c.Args {
			if !strings.HasPrefix(name, "-") {
				packageScripts(sh, []string{name}, nil)
			}
		}
	}},
}

// installing are the scripts that an installation of the project runs.
var installing = []string{"preinstall", "install", "postinstall", "prepublish", "preprepare", "prepare", "postprepare"}

// nodeScripts runs the scripts of the project that a command of npm, pnpm, yarn or bun
// runs. It returns false if there is no such script.
func nodeScripts(sh *shell.Shell, c shell.Command, o shell.Options) bool {
	child := sh.Sub()
	if dir, ok := o.Get("prefix", "C", "dir", "cwd"); ok {
		child.Place.Cwd = sh.Path(dir)
	}
	verb := o.At(0)
	switch {
	case lex.OneOf(verb, "run run-script rum urn"):
		return len(o.Pos) > 1 && packageScripts(child, around(o.At(1)), handedOn(c.Args, o.At(1)))
	case lex.OneOf(verb, "test t tst start stop restart"):
		return packageScripts(child, around(longVerb(verb)), handedOn(c.Args, verb))
	case lex.OneOf(verb, "install i ci clean-install") && len(o.Pos) == 1, verb == "" && c.Name == "yarn":
		return !o.Given("ignore-scripts version help") && packageScripts(child, installing, nil)
	case c.Name != "npm" && !lex.OneOf(verb, nodeVerbs):
		return packageScripts(child, around(verb), handedOn(c.Args, verb))
	}
	return false
}

// longVerb returns the script of a verb that may be short for it.
func longVerb(verb string) string {
	if lex.OneOf(verb, "t tst") {
		return "test"
	}
	return verb
}

// around returns a script with those that run before and after it.
func around(name string) []string { return []string{"pre" + name, name, "post" + name} }

// handedOn returns the arguments after the name of a script.
func handedOn(args []string, name string) []string {
	rest := args[min(len(args), slices.Index(args, name)+1):]
	return slices.DeleteFunc(slices.Clone(rest), func(a string) bool { return a == "--" })
}

// packageScripts runs scripts of the package.json of the directory. A name may end with
// a star. It returns false if the file has none of them.
func packageScripts(sh *shell.Shell, names, args []string) (found bool) {
	path, ok := nearest(sh, "package.json")
	if !ok {
		return false
	}
	runRecipeFile(sh, path, args, func(child *shell.Shell, text string) {
		child.Place.Cwd = fspath.Dir(path)
		root, err := hostjson.Parse(text, hostjson.MaxDepth)
		if err != nil {
			return
		}
		for name, code := range root.Get("scripts").Members() {
			if !slices.ContainsFunc(names, func(n string) bool { return namesScript(n, name) }) {
				continue
			}
			found = true
			child.AtLine(lineOfKey(text, name))
			child.Sub().Run(withArguments(code.Str(), args), nil)
		}
	})
	return found
}

// namesScript reports whether a word names a script: itself, or "build:*" for each
// script that begins so.
func namesScript(word, name string) bool {
	before, _, pattern := strings.Cut(word, "*")
	return word == name || pattern && strings.HasPrefix(name, before)
}

// withArguments appends quoted arguments to a command.
func withArguments(code string, args []string) string {
	if len(args) == 0 {
		return code
	}
	return code + " " + shell.QuoteAll(args)
}

// lineOfKey returns the line of a script in the text of a package.json.
func lineOfKey(text, name string) int {
	from := max(strings.Index(text, `"scripts"`), 0)
	at := strings.Index(text[from:], `"`+name+`"`)
	if at < 0 {
		return 0
	}
	return 1 + strings.Count(text[:from+at], "\n")
}
