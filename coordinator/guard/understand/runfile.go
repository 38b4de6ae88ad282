package understand

import (
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/understand/script"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
	"github.com/afar-sh/afar/coordinator/guard/understand/sql"
)

// runsInput reports whether a program runs the code that it reads from standard input
// or gets as the output of another command.
func runsInput(name string) bool {
	switch {
	case lex.IsShellName(name), lex.OneOf(name, "eval source . ssh"), languageOf(name) != "":
		return true
	}
	return tableIn(sqlClients, name) != nil
}

// runSource runs a program of another language, which this call wrote or which lies on the disk.
// It returns false if the file is neither.
func runSource(sh *shell.Shell, name string, args []string, lang string) bool {
	if text, written := sh.Brought(name); written {
		script.Run(sh, text, lang)
		return true
	}
	text, ok := sh.FileText(name)
	if ok {
		sh.Enter(sh.Path(name), text, args, func(child *shell.Shell) { script.Run(child, text, lang) })
	}
	return ok
}

// runStatements runs a file of SQL that this call wrote or that lies on the disk.
func runStatements(sh *shell.Shell, name string) {
	if text, written := sh.Brought(name); written {
		sql.Read(sh, text)
		return
	}
	if text, ok := sh.FileText(name); ok {
		sh.Enter(sh.Path(name), text, nil, func(child *shell.Shell) { sql.Read(child, text) })
	}
}

// statementFile returns the file that a command of a database client reads: \i FILE,
// .read FILE or source FILE.
func statementFile(text string) (string, bool) {
	words := strings.Fields(strings.TrimRight(text, "; \n"))
	if len(words) != 2 || !lex.OneOf(words[0], `\i \ir \. .read source`) {
		return "", false
	}
	return strings.Trim(words[1], `'"`), true
}
