package understand

import (
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/fspath"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
)

// This file reads the files of build tools that are lists of calls: those of CMake, Bazel, Buck and
// Meson.

// buildPrograms are the programs of this file, with what each does.
var buildPrograms = []table{
	{
		programs: "cmake",
		options:  "S B G P D C U A T j? build t target preset parallel? config toolchain install prefix",
		leads:    true,
		dry:      "help version N",
		do:       cmake,
	},
	{programs: "bazel bazelisk buck buck2 plz", options: "-", rows: []row{
		{words: "run|build|test", also: buildsLabels},
	}},
	{programs: "ninja samu", options: "C j f k l t", dry: "n t version", rows: []row{
		{given: "C=", goOn: true, runs: "cmake --build $=C --target $0*"},
		{without: "C=", goOn: true, runs: "cmake --build . --target $0*"},
		{runs: "meson compile $0*"},
	}},
	{programs: "meson", options: "C t", dry: "help version", rows: []row{{words: "setup|compile", also: runsMeson}}},
}

// A buildCall is a call in such a file.
type buildCall struct {
	name, args string
	line       int
}

// buildCalls returns the calls of a text that stand in no other call. quotes are the signs around strings.
func buildCalls(text, quotes string) (calls []buildCall) {
	depth, quote, from, line := 0, byte(0), 0, 1
	open := buildCall{}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\n':
			line++
		case c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case strings.IndexByte(quotes, c) >= 0:
			quote = c
		case c == '#':
			i += len(lineAt(text[i:])) - 1
		case c == '(':
			if depth++; depth == 1 {
				open, from = buildCall{name: nameBefore(text[:i]), line: line}, i+1
			}
		case c == ')':
			if depth = max(depth-1, 0); depth == 0 && open.name != "" {
				open.args = text[from:i]
				calls, open = append(calls, open), buildCall{}
			}
		}
	}
	return calls
}

// lineAt returns the first line of a text, without its end.
func lineAt(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// nameBefore returns the name at the end of a text.
func nameBefore(text string) string {
	text = strings.TrimRight(text, " ")
	from := len(text)
	for from > 0 && lex.IsNameByte(text[from-1]) {
		from--
	}
	return text[from:]
}

// attribute returns the texts of a named argument: one, or those of a list.
func (c buildCall) attribute(name string) (texts []string) {
	for _, item := range splitItems(c.args) {
		at := strings.IndexAny(item, "=:")
		if at > 0 && strings.TrimSpace(item[:at]) == name {
			texts = append(texts, textsIn(strings.TrimSpace(item[at+1:]))...)
		}
	}
	return texts
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

// buildsLabels runs the commands and the programs of the targets that a command of Bazel or Buck names.
func buildsLabels(sh *shell.Shell, _ shell.Command, o shell.Options) {
	labels := o.From(1)
	for _, label := range labels[:max(0, len(labels)-len(o.Behind))] {
		runsLabel(sh, label, o.At(0) == "run", o.Behind)
	}
}

// runsLabel runs a target: //folder:name, or :name for one of this folder.
func runsLabel(sh *shell.Shell, label string, runs bool, args []string) {
	dir := sh.Place.Cwd
	label, fromTop := strings.CutPrefix(label, "//")
	if top, ok := nearest(sh, "MODULE.bazel WORKSPACE WORKSPACE.bazel .buckconfig .plzconfig"); ok && fromTop {
		dir = fspath.Dir(top)
	}
	folder, name, named := strings.Cut(label, ":")
	if !named {
		name = fspath.Base(folder)
	}
	dir = fspath.Join(dir, folder)
	for _, path := range endings(dir+"/", []string{"BUILD.bazel", "BUILD", "BUCK", "BUCK.v2"}) {
		runRecipeFile(sh, path, args, func(child *shell.Shell, text string) {
			for _, call := range buildCalls(text, `"'`) {
				if lex.First(call.attribute("name")) == name {
					child.AtLine(call.line)
					call.build(child, dir, runs, args)
				}
			}
		})
	}
}

// build runs the command with which a target is made and, if it runs, its program.
func (c buildCall) build(sh *shell.Shell, dir string, runs bool, args []string) {
	for _, key := range [...]string{"cmd", "cmd_bash", "command"} {
		for _, code := range c.attribute(key) {
			sh.Sub().Run(strings.ReplaceAll(code, "$$", "$"), nil)
		}
	}
	for _, key := range [...]string{"main", "src", "entry_point", "srcs"} {
		if files := c.attribute(key); runs && len(files) > 0 {
			path := dir + "/" + strings.TrimLeft(files[0], ":/")
			if lang := languageOfFile(path); lang != "" {
				runSource(sh, path, args, lang)
			} else {
				sh.Exec(append([]string{path}, args...), nil)
			}
			return
		}
	}
}

// runsMeson runs the commands that Meson starts when it sets a folder up, or those of a target.
func runsMeson(sh *shell.Shell, _ shell.Command, o shell.Options) {
	path, _ := nearest(sh, "meson.build")
	wanted := "run_command"
	if o.At(0) == "compile" {
		wanted = "run_target"
	}
	runTasks(sh, path, nil, func(child *shell.Shell, text string) {
		for _, call := range buildCalls(text, "'") {
			words := textsIn("[" + call.args + "]")
			switch {
			case call.name != wanted, wanted == "run_target" && words[0] != o.At(1):
				continue
			case wanted == "run_target":
				words = call.attribute("command")
			}
			child.AtLine(call.line)
			child.Exec(words, nil)
		}
	})
}
