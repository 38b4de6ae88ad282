package script

import (
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/lex"
)

// Taken returns a program of Python without the branches that its arguments rule out. Their lines are left empty.
func Taken(text string, args []string) string {
	lines := strings.Split(text, "\n")
	const most = 32 // comparisons
	compared := 0
	for i, line := range lines {
		name, value, ok := comparison(line)
		if !ok {
			continue
		}
		if compared++; compared > most {
			break
		}
		if slices.Contains(args, value) || !isArgument(text, name, value) {
			continue
		}
		depth := lex.Indent(line)
		for j := i + 1; j < len(lines) && (strings.TrimSpace(lines[j]) == "" || lex.Indent(lines[j]) > depth); j++ {
			lines[j] = ""
		}
	}
	return strings.Join(lines, "\n")
}

// comparison reads "if name == 'value':" and the same with elif.
func comparison(line string) (name, value string, ok bool) {
	code := strings.TrimPrefix(strings.TrimSpace(line), "el")
	code, isIf := strings.CutPrefix(code, "if ")
	name, value, equal := strings.Cut(code, " == ")
	value, closed := strings.CutSuffix(value, ":")
	bare := strings.Trim(value, `'"`)
	switch {
	case !isIf, !equal, !closed, len(bare)+2 != len(value):
		return "", "", false
	}
	return name, bare, strings.IndexFunc(bare, notInWord) < 0
}

// notInWord reports whether a letter does not belong to a word of a command.
func notInWord(r rune) bool { return r != '-' && notInName(r) }

// notInName reports whether a letter does not belong to a name.
func notInName(r rune) bool {
	switch {
	case r > 0x7f:
		return true
	case r == '_', '0' <= r && r <= '9':
		return false
	}
	return !lex.IsLetter(byte(r))
}

// isArgument reports whether a name of a program stands for one of its arguments, and the value is none
// that it has without one.
func isArgument(text, name, value string) bool {
	for _, before := range [...]string{"default=", "else ", "or ", "= "} {
		for _, quote := range [...]string{`"`, "'"} {
			if strings.Contains(strings.ReplaceAll(text, "== ", "=="), before+quote+value+quote) {
				return false
			}
		}
	}
	return lex.BeginsWith(name, "args. sys.argv[ opts.") || strings.Contains(text, name+" = sys.argv[")
}
