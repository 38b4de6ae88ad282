// Package rows describes programs by tables: what the words and options of a command mean is a row, and one
// interpreter reads the rows. It also owns what programs share: how operands, input, pathspecs and folders are read.
// It knows no program.
package rows

import (
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"github.com/afar-sh/afar/coordinator/guard/understand/argv"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell/expand"
)

// IsWord reports whether an argument is neither an option nor a file.
func IsWord(arg string) bool { return !strings.HasPrefix(arg, "-") && !strings.ContainsAny(arg, "./") }

// UnknownNames are what names hold that are not known.
const UnknownNames = partial.Unknown + " " + partial.UnknownNetwork + " " + partial.UnknownDecoded + " " +
	partial.UnknownBenign + " " + partial.UnknownSecret + " " + partial.UnknownKey

// Stdin returns the standard input of a command, as far as it is known.
func Stdin(c shell.Command) []string {
	if c.In == nil {
		return nil
	}
	return []string{*c.In}
}

// InputOf returns the standard input of a command, or a hole.
func InputOf(c shell.Command) string { return lex.First(append(Stdin(c), partial.Unknown)) }

// OperandsTo returns the sources and the destination of mv, cp or ln.
func OperandsTo(o argv.Options) ([]string, string) {
	if dir, ok := o.Get("t", "target-directory"); ok {
		return o.Pos, dir
	}
	if len(o.Pos) < 2 {
		return nil, ""
	}
	return o.Pos[:len(o.Pos)-1], o.Pos[len(o.Pos)-1]
}

// NamesFiles are the programs that show names of files, or whose arguments are texts.
const NamesFiles = "ls ll dir stat du df test [ [[ echo printf rm rmdir cd pushd find fd fdfind mkdir touch file wc " +
	"tree exa eza lsd chmod chown basename dirname realpath readlink which whereis locate pgrep pkill ps kill git gh " +
	"glab grep egrep fgrep rg ag ack sed awk gawk jq export alias pip pip3 uv npm pnpm yarn cargo go apt apt-get brew"

// IsPath reports whether a text has the form of a path.
func IsPath(text string) bool {
	switch {
	case strings.HasPrefix(text, "!"), strings.ContainsAny(text, "\n("):
		return false
	}
	return strings.ContainsAny(text, "/\\~")
}

// Values returns the values of options that are separated by blanks.
func Values(o argv.Options, names string) []string { return o.All(strings.Fields(names)...) }

// IsAssignment reports whether a word in place of a program assigns a variable.
func IsAssignment(word string) bool {
	return strings.Contains(word, "=") && !strings.HasPrefix(word, "-")
}

// Endings returns a text with each of some ends.
func Endings(text string, ends []string) (out []string) {
	for _, end := range ends {
		out = append(out, text+end)
	}
	return out
}

// IsOwnScript reports whether a program is called by a path that is not one of the system's.
func IsOwnScript(full string) bool {
	return strings.Contains(full, "/") && !lex.BeginsWith(full, "/usr/ /bin/ /sbin/ /opt/ /nix/ /snap/")
}

// ReplaceAll returns the words with each marker replaced.
func ReplaceAll(words []string, marker, text string) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = expand.Glue(strings.ReplaceAll(w, marker, text), "")
	}
	return out
}
