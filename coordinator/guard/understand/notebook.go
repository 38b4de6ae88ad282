package understand

import (
	"cmp"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/understand/script"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
	"github.com/afar-sh/afar/coordinator/host/claude/hostjson"
)

// notebookPrograms are programs that execute notebooks of Jupyter.
var notebookPrograms = []table{
	{programs: "jupyter jupyter-nbconvert", options: "to output output-dir config", rows: []row{
		{of: "jupyter-nbconvert", given: "execute", also: runsNotebooks},
		{of: "jupyter", words: "nbconvert", given: "execute", also: runsNotebooks},
		{of: "jupyter", words: "execute|run", also: runsNotebooks},
	}},
	{programs: "jupyter-execute jupyter-run papermill runipy treon", options: "p r f k kernel cwd", do: runsNotebooks},
}

// runsNotebooks runs the code of the notebooks among the operands.
func runsNotebooks(sh *shell.Shell, _ shell.Command, o shell.Options) {
	for _, name := range o.Pos {
		if !strings.HasSuffix(name, ".ipynb") {
			continue
		}
		for _, path := range matching(sh, name) {
			sh.RunCode(path, nil, nil, runNotebook)
		}
	}
}

// runNotebook runs the cells with code of a notebook.
func runNotebook(sh *shell.Shell, text string) {
	book, _ := hostjson.Parse(text, hostjson.MaxDepth)
	language := strings.ToLower(book.Get("metadata.kernelspec.language").Str())
	for _, cell := range book.Get("cells").Items() {
		if cell.Get("cell_type").Str() != "code" {
			continue
		}
		code := cell.Get("source").Str()
		for _, line := range cell.Get("source").Items() {
			code += line.Str()
		}
		runCell(sh, code, language)
	}
}

// runCell runs a cell of a notebook. Its first line can say that all of it is for a shell, and any
// other line can be for a shell, too.
func runCell(sh *shell.Shell, code, language string) {
	first, rest, _ := strings.Cut(code, "\n")
	if magic, ok := strings.CutPrefix(first, "%%"); ok && lex.ContainsAny(strings.Fields(magic), "bash sh zsh") {
		sh.RunText(rest)
		return
	}
	if lex.IsShellName(language) {
		sh.RunText(code)
		return
	}
	for _, line := range shell.SplitLines(code) {
		if command, ok := strings.CutPrefix(strings.TrimSpace(line), "!"); ok {
			sh.RunText(command)
		}
	}
	script.Run(sh, code, cmp.Or(languageOf(language), "python"))
}
