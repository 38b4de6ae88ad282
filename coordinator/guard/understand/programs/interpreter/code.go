// Package interpreter has the programs that run code of other languages.
package interpreter

import (
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/fspath"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"github.com/afar-sh/afar/coordinator/guard/understand/argv"
	"github.com/afar-sh/afar/coordinator/guard/understand/programs/build"
	"github.com/afar-sh/afar/coordinator/guard/understand/programs/database"
	"github.com/afar-sh/afar/coordinator/guard/understand/programs/secret"
	"github.com/afar-sh/afar/coordinator/guard/understand/recipes"
	"github.com/afar-sh/afar/coordinator/guard/understand/rows"
	"github.com/afar-sh/afar/coordinator/guard/understand/script"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
	"github.com/afar-sh/afar/coordinator/guard/understand/source"
)

// Programs are the programs of this file, with what each does.
var Programs = []rows.Table{
	{Programs: "python pypy ipython jython", Options: "c. m. W X", Leads: true, Do: interpreter},
	{
		Programs: source.NodePrograms,
		Options:  "- e eval p pe print r require import loader experimental-loader env-file P project run",
		Leads:    true,
		Do:       interpreter,
	},
	{Programs: "perl", Options: "e E I M? m? i? F? C? D?", Leads: true, Do: interpreter},
	{Programs: "ruby jruby irb", Options: "e I C r E_ F? i?", Leads: true, Do: interpreter},
	{Programs: "php", Options: "r B R E d f F z", Leads: true, Do: interpreter},
	{
		Programs: "coverage",
		Options:  "source omit include rcfile data-file",
		Rows:     []rows.Row{{Words: "run", Runs: &rows.Start{Program: "python", Words: rows.OperandsFrom(1)}}},
	},
	{
		Programs: "lua luajit rscript r julia " + source.CompiledPrograms,
		Options:  "- c code e eval E expr execute l",
		Leads:    true,
		Do:       interpreter,
	},
	{
		Programs: "erl elixir scala groovy ghc swift raku crystal guile sbcl racket bb csi emacs tclsh wish jimsh",
		Options:  "- c e eval E expr",
		Leads:    true,
		Do:       opaqueInterpreter,
	},
	{Programs: "clj clojure", Options: "A? M? X? T? P? Sdeps e eval", Leads: true, Do: opaqueInterpreter, Rows: []rows.Row{
		{Args: "deploy|:deploy", As: &rows.Publishes},
	}},
	{Programs: "vim nvim vi ex ed", Options: "c S u U i cmd eval l f", Do: editor, Rows: []rows.Row{
		{Given: "remote-send remote-expr", Does: effect.TypeInto, To: rows.ProgramName},
	}},
}

// interpreter runs the code that an option, a file or standard input gives.
func interpreter(sh *shell.Shell, c shell.Command, o argv.Options) {
	lang := source.LanguageOf(c.Name)
	code := o.All("c", "code", "e", "E", "eval", "p", "pe", "print", "expr", "execute")
	module, isModule := o.Get("m")
	if lang == "php" {
		code = o.All("r", "B", "R", "E")
	}
	runPreloaded(sh, o, lang)
	if lang == "c" {
		source.RunFile(sh, c, o)
	}
	switch {
	case lex.OneOf(c.Name, "bun deno") && runtimeVerb(sh, c):
	case o.Given("run="):
		build.NodeFile.Run(sh, o.All("run"), o.Behind)
	case lang == "python" && isModule:
		if lex.OneOf(module, "pdb debugpy") {
			sh.Exec(lex.After(c.Args, "-m", 1), c.In)
		}
		pythonModule(sh, append([]string{module}, o.Pos...), c.In)
	case len(code) > 0:
		filtered(sh, o, lang)
		script.Run(sh, source.LinesRead(sh, o, lang)+strings.Join(code, "\n"), lang)
	case lex.OneOf(c.Name, "tsx zx") && o.At(0) == "watch":
		scriptArgs(sh, c, o.From(1))
	case lang == "php" && o.Given("f"):
		scriptArgs(sh, c, o.All("f"))
	case o.At(0) == "-", len(o.Pos) == 0:
		source.RunPiped(sh, c, lang)
	case lang != "c":
		scriptArgs(sh, c, o.Pos)
	}
}

// preloads are the options, and the variable with options, that name files which an interpreter runs
// before the program. A name without a folder lies in one of those that -I names.
var preloads = []struct{ lang, options, variable string }{
	{"js", "r require import loader experimental-loader", "NODE_OPTIONS"},
	{"ruby", "r", "RUBYOPT"},
	{"perl", "M m", "PERL5OPT"},
	{"python", "", "PYTHONSTARTUP"},
}

// runPreloaded runs the files that an interpreter runs before the program.
func runPreloaded(sh *shell.Shell, o argv.Options, lang string) {
	for _, ini := range o.All("d") {
		if file, ok := strings.CutPrefix(ini, "auto_prepend_file="); ok {
			source.Run(sh, file, nil, lang)
		}
	}
	for _, p := range preloads {
		if p.lang != lang {
			continue
		}
		names, folders := o.All(strings.Fields(p.options)...), append(o.All("I"), ".")
		if text, ok := sh.Assigned(p.variable); ok {
			set := argv.ParseOptions(strings.Fields(text), p.options)
			names = slices.Concat(names, set.All(strings.Fields(p.options)...), set.Pos)
		}
		for _, name := range names {
			runNamedModule(sh, name, folders, lang)
		}
	}
}

// runNamedModule runs the file of a module in one of some folders.
func runNamedModule(sh *shell.Shell, name string, folders []string, lang string) {
	if lang == "perl" {
		name, _, _ = strings.Cut(strings.ReplaceAll(name, "::", "/"), "=")
	}
	for _, folder := range folders {
		for _, end := range [...]string{"", ".js", ".rb", ".pm", ".py"} {
			path := fspath.Join(sh.Path(folder), name+end)
			if _, brought := sh.Brought(path); (brought || sh.Lists(path)) && source.Run(sh, path, nil, lang) {
				return
			}
		}
	}
}

// opaqueInterpreter reports code of a language that is not read.
func opaqueInterpreter(sh *shell.Shell, c shell.Command, o argv.Options) {
	switch {
	case o.Given("c= e= eval= E= expr="), c.In != nil && len(o.Pos) == 0:
		sh.Effect(effect.RunUnknown, effect.ForeignCode, c.Name)
	}
	if lex.OneOf(c.Name, "tclsh wish jimsh") {
		recipes.RunLines(sh, o.At(0), tclCommand)
	}
	source.RunFile(sh, c, o)
}

// filtered reports the files that "perl -ne" and "ruby -ne" read, and those that they edit with -i.
func filtered(sh *shell.Shell, o argv.Options, lang string) {
	if !lex.OneOf(lang, "perl ruby") {
		return
	}
	op := effect.Edit
	code := strings.Join(o.All("e", "E"), "\n")
	if o.Given("n") && !o.Given("p") && code == partial.Scrub(code) && !lex.Mentions(code, "print say put write") {
		op = effect.Truncate // nothing is written back
	}
	for _, f := range o.Pos {
		if o.Given("i") {
			sh.WriteAs(op, f)
		}
		if o.Given("n p") && op == effect.Edit {
			sh.Read(f)
		}
	}
}

// runtimeVerb runs a verb of bun or deno, which are also package managers. It returns false if there is none.
func runtimeVerb(sh *shell.Shell, c shell.Command) bool {
	verb, args := lex.First(c.Args), c.Args
	switch {
	case verb == "task" && len(args) > 1:
		_, rest := argv.Leading(args[1:], "c config cwd")
		return build.DenoFile.Run(sh, []string{lex.First(rest)}, rest[min(1, len(rest)):])
	case verb == "eval" && len(args) > 1:
		script.Run(sh, args[1], "js")
	case lex.OneOf(verb, "add eval install publish remove run upgrade x"):
		if c.Name == "bun" && build.RunNodeScripts(sh, c, argv.ParseOptions(args, "cwd filter")) {
			return true
		}
		if c.Name == "bun" && lex.OneOf(verb, "x run") {
			sh.Exec(append([]string{"bunx"}, args[1:]...), c.In)
		}
		_, file := argv.Leading(args[1:], "c config import-map lock")
		scriptArgs(sh, c, file)
		if verb == "publish" && !lex.ContainsAny(args, "--dry-run") {
			sh.Effect(effect.PublishOut, effect.Named(c.Name), "registry")
		}
	case c.Name == "bun" && len(args) > 1 && rows.IsWord(verb):
		build.RunPackageProgram(sh, c, verb)
	default:
		return false
	}
	return true
}

// scriptArgs runs a script file with its arguments, as far as it is known.
func scriptArgs(sh *shell.Shell, c shell.Command, args []string) {
	if len(args) == 0 {
		return
	}
	path, base, lang := args[0], fspath.Base(args[0]), source.LanguageOf(c.Name)
	_, arrived := sh.Arrived(path)
	switch {
	case shell.IsStdin(path):
		source.RunPiped(sh, c, lang)
	case arrived:
		source.Run(sh, path, nil, lang)
	case lex.OneOf(base, "ace artisan cake console manage.py rails rake spark yii"):
		sh.Exec(append([]string{base}, args[1:]...), c.In)
	case lex.BeginsWith(path, "https:// http://"):
		sh.Effect(effect.RunUnknown, effect.Network, path)
	case base == "setup.py" && lex.ContainsAny(args, "upload register"):
		sh.Effect(effect.PublishOut, effect.Named("python"), "registry")
		fallthrough
	default:
		if !source.Run(sh, path, args[1:], lang) {
			sh.Unread(path)
		}
	}
}

// pythonModule runs a module that "python -m" names.
func pythonModule(sh *shell.Shell, args []string, in *string) {
	switch args[0] {
	case "pip", "twine", "tox", "nox", "invoke", "pytest", "jupyter", "papermill":
		sh.Exec(args, in)
	case "build":
		source.BuildPackage(sh, shell.Command{}, argv.Options{Pos: append(args, ".")})
	case "awscli":
		sh.Exec(append([]string{"aws"}, args[1:]...), in)
	case "zipfile", "tarfile":
		if len(args) > 3 && lex.OneOf(args[1], "-e --extract") {
			sh.Exec([]string{"unzip", args[2], "-d", args[3]}, in)
		}
		secret.ReportFiles(sh, args[1:])
	case "json.tool", "base64", "tokenize", "gzip":
		secret.ReportFiles(sh, args[1:])
	case "coverage", "pdb", "cProfile", "profile", "trace", "runpy":
		_, rest := argv.Leading(lex.After(args, args[0], 1), "o s c source omit")
		if lex.First(rest) == "run" {
			_, rest = argv.Leading(rest[1:], "source omit")
		}
		sh.Exec(append([]string{"python"}, rest...), in)
	default:
		source.RunModule(sh, args)
	}
}

// editor runs the commands that an editor gets in its arguments or on standard input.
func editor(sh *shell.Shell, c shell.Command, o argv.Options) {
	codes := o.All("c", "cmd", "eval", "f")
	var files []string
	for _, a := range o.Pos {
		if code, ok := strings.CutPrefix(a, "+"); ok {
			codes = append(codes, code)
		} else {
			files = append(files, a)
		}
	}
	for _, name := range o.All("S", "u") {
		recipes.RunLines(sh, name, editorCommand)
	}
	for _, name := range o.All("l") {
		source.Run(sh, name, nil, "other")
	}
	lines := lex.OneOf(c.Name, "ed ex")
	if lines || o.Given("e s") {
		codes = append(codes, shell.SplitLines(strings.Join(rows.Stdin(c), "\n"))...)
	}
	for _, code := range codes {
		editorCommand(sh, code)
	}
	op := effect.Edit
	if slices.ContainsFunc(codes, emptiesBuffer) {
		op = effect.Truncate
	}
	writes := lines || op == effect.Truncate || slices.ContainsFunc(codes, savesBuffer)
	for _, f := range files {
		if writes {
			sh.WriteAs(op, f)
		}
	}
}

// savesBuffer reports whether a command of an editor writes the file that it edits.
func savesBuffer(code string) bool {
	return lex.OneOf(strings.TrimRight(strings.TrimLeft(code, ": "), "! "), "w wq wqa write x xa")
}

// emptiesBuffer reports whether one of the commands of an editor deletes all lines.
func emptiesBuffer(code string) bool {
	return slices.ContainsFunc(strings.Split(code, "|"), func(command string) bool {
		words := strings.Fields(strings.Trim(command, ": \t_"))
		if lex.OneOf(lex.First(words), "norm norm! normal normal! sil sil! silent silent!") {
			words = words[1:]
		}
		return lex.OneOf(strings.Join(words, ""),
			"%c %d %delete ,c ,d ,delete 0,$d 1,$c 1,$d 1,$delete g/./d g/^/d ggVGd ggdG v/^$/d")
	})
}

// editorCommand runs one command of an editor. Before "!command" may come an address, modifiers, "r" or "w".
func editorCommand(sh *shell.Shell, code string) {
	s := strings.TrimLeft(code, ": 0123456789,.$%")
	for _, modifier := range [...]string{"silent! ", "silent ", "sil ", "r ", "w ", "read ", "write ", "terminal "} {
		s = strings.TrimLeft(strings.TrimPrefix(s, modifier), " ")
	}
	if shellCode, ok := strings.CutPrefix(s, "!"); ok {
		sh.RunText(shellCode)
		return
	}
	if verb, name, ok := strings.Cut(s, " "); ok && lex.OneOf(verb, "luafile luaf source so") {
		source.Run(sh, name, nil, "other")
		return
	}
	reportBufferWritten(sh, code)
	script.Run(sh, code, "other")
}

// reportBufferWritten reports the file to which a command of an editor writes under another name.
func reportBufferWritten(sh *shell.Shell, code string) {
	for _, command := range strings.Split(code, "|") {
		words := strings.Fields(strings.TrimLeft(command, ": 0123456789,.$%"))
		switch {
		case len(words) != 2, !lex.OneOf(words[0], "sav sav! saveas saveas! w w! write write!"):
		case !lex.BeginsWith(words[1], "! >>"):
			sh.Write(words[1])
		}
	}
}

// tclCommand runs a command of Tcl, if it starts a program.
func tclCommand(sh *shell.Shell, code string) {
	if words, ok := strings.CutPrefix(strings.TrimSpace(code), "exec "); ok {
		sh.Sub().Run(strings.NewReplacer("$env(HOME)", "$HOME", "$::env(HOME)", "$HOME").Replace(words), nil)
	}
}

// RunsInput reports whether a program runs the code that it reads or that another command prints for it.
func RunsInput(name string) bool {
	switch {
	case lex.IsShellName(name), lex.OneOf(name, ". eval mongo mongosh redis-cli source ssh valkey-cli"),
		source.LanguageOf(name) != "":
		return true
	}
	return rows.TableIn(database.Clients, name) != nil
}
