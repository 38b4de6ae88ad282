package rows

import (
	"slices"
	"strconv"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"github.com/afar-sh/afar/coordinator/guard/understand/argv"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
	"github.com/afar-sh/afar/coordinator/guard/understand/sql"
)

// RunOneOrAll runs a single word as shell code, and several words as a command.
func RunOneOrAll(sh *shell.Shell, words []string, in *string) {
	if len(words) == 1 {
		sh.RunTextIn(words[0], in)
		return
	}
	sh.Exec(words, in)
}

// IsMade reports whether this call made all that the names say.
func IsMade(sh *shell.Shell, kind string, names []string) bool {
	return len(names) > 0 && !slices.ContainsFunc(names, func(name string) bool { return !sh.Made(kind, name) })
}

// ReadTypedSQL reads an SQL statement that was typed in place of a command. It may be
// input for a client that reads the terminal, so its effects are doubtful.
func ReadTypedSQL(sh *shell.Shell, c shell.Command) {
	n := len(sh.Eval.Effects)
	sql.Read(sh, c.Name+" "+strings.Join(c.Args, " "))
	if lex.OneOf(c.Name, "flushall flushdb") {
		sh.Effect(effect.DropData, effect.Database, c.Name)
	}
	sh.Doubt(n)
}

// ShellIn returns a shell in a folder.
func ShellIn(sh *shell.Shell, dir string) *shell.Shell {
	child := sh.Sub()
	child.Place.Cwd = child.Path(dir)
	return child
}

// InFolder returns a shell in the folder that the options name, each from the one before, or in that of sh.
func InFolder(sh *shell.Shell, o argv.Options, options string) *shell.Shell {
	child := sh.Sub()
	for _, dir := range o.All(strings.Fields(options)...) {
		child.Place.Cwd = child.Path(dir)
	}
	return child
}

// PrintUnknown prints a line of unknown text.
func PrintUnknown(sh *shell.Shell, _ shell.Command, _ argv.Options) {
	sh.Print(partial.Unknown + "\n")
}

// PrintData prints a tree, a repository or a database as one text.
func PrintData(sh *shell.Shell, _ shell.Command, _ argv.Options) { sh.Print(partial.UnknownData) }

// PrintRepeated prints the input that a program repeats. It reports a token that is shown
// this way, unless only a few of its bytes are.
func PrintRepeated(sh *shell.Shell, c shell.Command, text string) {
	if lex.OneOf(c.Name, "head tail cut") && fewBytes(c) {
		text = strings.ReplaceAll(text, partial.UnknownKey, partial.Unknown)
	}
	if sh.Out == nil && strings.Contains(text, partial.UnknownKey) {
		sh.Effect(effect.RevealSecret, effect.Variable, "")
	}
	sh.Print(text)
}

// fewBytes reports whether head, tail or cut shows so few bytes that a token stays hidden.
func fewBytes(c shell.Command) bool {
	bytes, ok := argv.ParseOptions(c.Args, "c bytes b n lines d f delimiter fields").Get("c", "bytes", "b")
	switch {
	case !ok, bytes == "", strings.HasSuffix(bytes, "-"), strings.Contains(bytes, "-,"): // to the end of the line
		return false
	case lex.OneOf(c.Name+bytes[:1], "head- tail+"): // all but so many
		return false
	}
	const few = 12
	numbers := strings.FieldsFunc(bytes, func(r rune) bool { return strings.ContainsRune(",-+", r) })
	return !slices.ContainsFunc(numbers, func(number string) bool {
		n, err := strconv.Atoi(number)
		return err != nil || n > few
	})
}

// RunOperands runs the operands.
func RunOperands(sh *shell.Shell, c shell.Command, o argv.Options) { sh.Exec(o.Pos, c.In) }
