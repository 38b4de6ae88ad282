package script

import (
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
)

// readTcl reads a text in which each line is a command.
func readTcl(sh *shell.Shell, text string) {
	TclShells(sh, text)
	for _, line := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("\n;[]", r) }) {
		words := shell.QuotedFields(strings.NewReplacer("{", " ", "}", " ").Replace(line))
		if len(words) < 2 {
			continue
		}
		switch rest := words[1:]; {
		case words[0] == "exec":
			sh.Exec(rest, nil)
		case words[0] == "file" && rest[0] == "delete":
			for _, f := range shell.ParseOptions(rest[1:], "").Pos {
				sh.Deletes(effect.DeleteTree, "", f)
			}
		case words[0] == "open":
			openFile(sh, rest[0], rest)
		}
	}
}

// TclShells runs the text in braces after -c, which is one word for a shell.
func TclShells(sh *shell.Shell, text string) {
	for sh.Spend(1) {
		_, rest, found := strings.Cut(text, "-c {")
		if !found {
			return
		}
		code, n := delimited("{" + rest)
		sh.RunText(code)
		text = rest[n-1:]
	}
}
