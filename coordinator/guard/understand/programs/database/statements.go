// Package database has the clients of databases and the tools that migrate them.
package database

import (
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/fspath"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/understand/recipes"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
	"github.com/afar-sh/afar/coordinator/guard/understand/sql"
)

// runStatements runs a file of SQL that this call wrote or that lies on the disk.
func runStatements(sh *shell.Shell, name string) {
	recipes.RunFile(sh, name, nil, func(child *shell.Shell, text string) {
		sql.Read(child, text)
		shellEscapes(child, text)
		for _, line := range shell.SplitLines(text) {
			if f, ok := statementFile(line); ok {
				includeStatements(child, name, f)
			}
		}
	})
}

// includeStatements runs a file of SQL that another one includes, from its own folder or that of the command.
func includeStatements(sh *shell.Shell, from, name string) {
	if below := fspath.Dir(from) + "/" + name; !strings.HasPrefix(name, "/") {
		if _, ok := sh.FileText(below); ok {
			name = below
		}
	}
	runStatements(sh, name)
}

// statementFile returns the file that a database client reads because of \i FILE, .read FILE or source FILE.
func statementFile(text string) (string, bool) {
	words := strings.Fields(strings.TrimRight(text, "; \n"))
	if len(words) != 2 || !lex.OneOf(words[0], `.read \. \i \ir source`) {
		return "", false
	}
	return strings.Trim(words[1], `'"`), true
}
