// Package source finds the sources of the programs that a command builds and runs, and the files that they load by
// themselves.
package source

import (
	"strconv"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"github.com/afar-sh/afar/coordinator/guard/understand/argv"
	"github.com/afar-sh/afar/coordinator/guard/understand/script"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
)

// NodePrograms run programs of JavaScript and TypeScript.
const NodePrograms = "node nodejs bun deno tsx ts-node ts-node-esm ts-node-dev tsnd vite-node esr esno jiti " +
	"babel-node zx qjs"

// nodeEnds are the ends of the names of such programs.
const nodeEnds = ".js .ts .mjs .cjs .mts .cts"

// CompiledPrograms run code of languages that are mostly compiled.
const CompiledPrograms = "jshell kotlin kotlinc rust-script jbang scala-cli dotnet-script csharprepl"

// languages are the languages that are read, with their interpreters and the ends of the names of files.
var languages = []struct{ name, programs, ends string }{
	{"python", "python pypy ipython jython", ".py"},
	{"js", NodePrograms, nodeEnds + " .jsx .tsx"},
	{"perl", "perl", ""},
	{"ruby", "ruby jruby irb", ".rb .exs .ex"}, // Elixir writes texts and names as Ruby does
	{"php", "php", ".php"},
	{"r", "rscript r", ""},
	{"c", CompiledPrograms, ".java .kts .kt .scala .sc .swift .cs .csx .dart .rs"},
	{"other", "lua luajit julia", ""},
	{"groovy", "", ".groovy"},
	{"go", "", ".go"},
}

// LanguageOf returns the language of an interpreter, or "".
func LanguageOf(program string) string {
	for i := range languages {
		if lex.OneOf(program, languages[i].programs) {
			return languages[i].name
		}
	}
	return ""
}

// languageOfFile returns the language of a program by the end of its name, or "".
func languageOfFile(name string) string {
	for i := range languages {
		if ends := languages[i].ends; ends != "" && lex.EndsWith(name, ends) {
			return languages[i].name
		}
	}
	return ""
}

// LinesRead returns a statement that gives the name of the line that "perl -ne", "ruby -ne" and awk read
// the text of the files, because each of its lines may run.
func LinesRead(sh *shell.Shell, o argv.Options, lang string) string {
	const most = 1 << 12
	name, files := "$_", o.Pos
	switch {
	case lang == "awk" && strings.Contains(o.At(0), "system("):
		name, files = "$0", o.From(1)
	case !lex.OneOf(lang, "perl ruby"), !o.Given("n p"):
		return ""
	}
	text := ""
	for _, f := range files {
		if more, ok := sh.FileText(f); ok {
			text += more
		}
	}
	if text == "" || len(text) > most {
		return ""
	}
	return name + " = " + strconv.Quote(text) + ";\n"
}

// RunPiped runs the code on standard input.
func RunPiped(sh *shell.Shell, c shell.Command, lang string) {
	if c.In == nil {
		return
	}
	run := func(child *shell.Shell, text string) { script.Run(child, text, lang) }
	if !sh.InFile(*c.In, run) {
		run(sh, *c.In)
	}
}

// RunModule runs the file of a module of the project: x.y is x/y.py or x/y/__main__.py.
func RunModule(sh *shell.Shell, args []string) {
	path := strings.ReplaceAll(args[0], ".", "/")
	if !Run(sh, path+".py", args[1:], "python") {
		Run(sh, path+"/__main__.py", args[1:], "python")
	}
}

// Run runs a program that this call wrote or that lies on the disk. It returns false for any other.
func Run(sh *shell.Shell, name string, args []string, lang string) bool {
	taken := func(text string) string {
		switch {
		case lang != "python", args == nil, partial.HasHole(strings.Join(args, " ")):
			return text
		}
		return script.Taken(text, args)
	}
	return sh.RunCode(name, args, taken, func(child *shell.Shell, text string) { script.Run(child, text, lang) })
}
