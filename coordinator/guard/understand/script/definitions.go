package script

import (
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/lex"
)

// A definitions is a text that defines functions and tasks. The code of one is the line that defines
// it, the decorators above it and the lines below it that stand further to the right.
type definitions struct {
	lines   []string
	defined map[string]int // the line at which each begins
	taken   []bool         // the lines that run
}

const mostDefined = 100 // definitions that are read for one command or one import

// Reached returns a text without the definitions that neither these names nor the rest of the text
// reach. Their lines are left empty, so that each line keeps its number.
func Reached(text string, names []string) string {
	d := definitions{lines: strings.Split(text, "\n"), defined: map[string]int{}}
	d.taken = make([]bool, len(d.lines))
	inside := 0 // the line up to which a definition reaches
	for i, line := range d.lines {
		if name := definedName(line); name != "" {
			d.defined[name] = i
			inside = max(inside, d.end(i))
		}
		if d.taken[i] = i >= inside; d.taken[i] {
			names = append(names, called(line)...)
		}
	}
	d.reach(names)
	for i := range d.lines {
		if !d.taken[i] {
			d.lines[i] = ""
		}
	}
	return strings.Join(d.lines, "\n")
}

// reach takes the lines of the definitions with these names, and of those that they reach.
func (d *definitions) reach(names []string) {
	for done := map[string]bool{}; len(names) > 0 && len(done) < mostDefined; names = names[1:] {
		name := lastName(names[0])
		at, ok := d.defined[name]
		if !ok || done[name] {
			continue
		}
		done[name] = true
		names = append(names, d.take(at)...)
	}
}

// end returns the line behind the definition that begins at a line.
func (d *definitions) end(at int) int {
	end, depth := at+1, lex.Indent(d.lines[at])
	for end < len(d.lines) && (strings.TrimSpace(d.lines[end]) == "" || lex.Indent(d.lines[end]) > depth) {
		end++
	}
	return end
}

// take takes the lines of the definition that begins at a line. It returns the names in them that
// may be those of other ones.
func (d *definitions) take(at int) (names []string) {
	from, end := at, d.end(at)
	for from > 0 && strings.HasPrefix(strings.TrimSpace(d.lines[from-1]), "@") {
		from--
	}
	for i := from; i < end; i++ {
		d.taken[i] = true
		if i <= at || strings.Contains(d.lines[i], "dependsOn") {
			names = append(names, strings.FieldsFunc(d.lines[i], notInName)...)
		} else {
			names = append(names, called(d.lines[i])...)
		}
	}
	return names
}

// called returns the names of the functions that a line calls.
func called(line string) (names []string) {
	parts := strings.Split(line, "(")
	for _, before := range parts[:len(parts)-1] {
		if name := before[strings.LastIndexFunc(before, notInName)+1:]; name != "" {
			names = append(names, name)
		}
	}
	return names
}

// definedName returns the name of the function or the task that a line defines, or "".
func definedName(line string) string {
	code := strings.TrimSpace(line)
	for _, before := range [...]string{"export ", "default ", "async ", "local "} {
		code = strings.TrimPrefix(code, before)
	}
	switch made, rest, _ := strings.Cut(code, "tasks.regist"); { // gradle
	case made == "":
		code = "task " + rest[strings.IndexByte(rest, '(')+1:]
	case strings.HasPrefix(made, "val "):
		code = "task " + made[len("val "):]
	}
	word, rest, _ := strings.Cut(code, " ")
	switch {
	case lex.OneOf(word, "def task multitask function func sub lane private_lane rule"):
	case strings.HasPrefix(code, "if __name__"):
		return "__main__"
	default:
		name, value, ok := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(code, "const "), "let "), "=")
		if !ok || !strings.Contains(value, "=>") && !lex.BeginsWith(strings.TrimSpace(value), "function async") {
			return ""
		}
		rest = strings.TrimSpace(name)
	}
	name := strings.TrimLeft(rest, ` (:'"`)
	if end := strings.IndexAny(name, ` (,='"{`); end >= 0 {
		name = name[:end]
	}
	return lastName(strings.TrimSuffix(name, ":"))
}

// lastName returns a name without those of the spaces that hold it, as Python writes it.
func lastName(name string) string {
	name, _, _ = strings.Cut(name, "[") // the arguments of a task of rake
	return strings.ReplaceAll(name[strings.LastIndexAny(name, ":.")+1:], "-", "_")
}

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

// Taken returns a program of Python without the branches that its arguments rule out. Their lines are left empty.
func Taken(text string, args []string) string {
	d := definitions{lines: strings.Split(text, "\n")}
	const most = 32 // comparisons
	compared := 0
	for i, line := range d.lines {
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
		for j := i + 1; j < d.end(i); j++ {
			d.lines[j] = ""
		}
	}
	return strings.Join(d.lines, "\n")
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
