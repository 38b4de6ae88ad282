package page

import (
	"fmt"
	"html/template"
	"strings"
	"unicode"

	"github.com/afar-sh/afar/coordinator/text"
)

// The bounds of a code block.
const (
	shownLines = 18 // at once
	shownBytes = 2 << 10
	mostBytes  = 12 << 10  // that can be opened, and that are coloured
	wholeBytes = 256 << 10 // on the page of a question
)

// languages colour the inputs of tools.
var languages = map[string]func(*strings.Builder, string){
	"Bash": shell, "PowerShell": shell,
	"Edit": diff, "MultiEdit": diff, "Write": diff, "NotebookEdit": diff,
}

// code shows the input of a tool in its colours. A long one is cut; the rest can be opened.
func code(tool, input string) template.HTML {
	input = strings.TrimRight(input, "\n")
	if input == "" {
		return ""
	}
	head := beginning(input)
	if head == input {
		return template.HTML(coloured(tool, input))
	}
	label := "Show all of it"
	if n := strings.Count(input, "\n") + 1; n > shownLines {
		label = "Show all " + text.Count(n, "line")
	}
	return template.HTML(coloured(tool, head) + `<details class="rest"><summary>` + label + `</summary>` +
		coloured(tool, text.ClipBytes(input, mostBytes)) +
		rest(input, mostBytes, "the page of the question shows more") +
		`</details>`)
}

// whole shows all of a tool's input.
func whole(tool, input string) template.HTML {
	input = strings.TrimRight(input, "\n")
	if input == "" {
		return ""
	}
	shown := text.ClipBytes(input, wholeBytes)
	if len(shown) > mostBytes {
		tool = "" // without colours: they would be ten times as long as the text
	}
	return template.HTML(coloured(tool, shown) + rest(input, wholeBytes, "<code>afar asks</code> prints all"))
}

// beginning returns the part of an input that is shown at once.
func beginning(input string) string {
	lines := strings.SplitN(input, "\n", shownLines+1)
	if len(lines) > shownLines {
		input = strings.Join(lines[:shownLines], "\n")
	}
	return text.ClipBytes(input, shownBytes)
}

// rest says how much of an input is not shown, and where it is.
func rest(input string, most int, where string) string {
	if len(input) <= most {
		return ""
	}
	return fmt.Sprintf(`<p class="muted">%d bytes more are not shown here; %s.</p>`, len(input)-most, where)
}

func coloured(tool, input string) string {
	colour := languages[tool]
	if colour == nil {
		colour = func(b *strings.Builder, s string) { b.WriteString(template.HTMLEscapeString(s)) }
	}
	var b strings.Builder
	b.WriteString(`<pre class="code"><code>`)
	colour(&b, input)
	b.WriteString(`</code></pre>`)
	return b.String()
}

// mark writes a token with its class; "" is plain text.
func mark(b *strings.Builder, class, token string) {
	if token == "" {
		return
	}
	if class == "" {
		b.WriteString(template.HTMLEscapeString(token))
		return
	}
	fmt.Fprintf(b, `<span class="t-%s">%s</span>`, class, template.HTMLEscapeString(token))
}

// diff colours the lines of a change.
func diff(b *strings.Builder, input string) {
	for i, l := range strings.Split(input, "\n") {
		if i > 0 {
			b.WriteByte('\n')
		}
		mark(b, diffClasses[l[:min(1, len(l))]], l)
	}
}

// diffClasses are the classes of a line by its first character.
var diffClasses = map[string]string{"+": "add", "-": "del", "@": "hunk"}

// shell colours a command: the programs, their flags, strings, variables, operators and
// comments. It is for the eye alone; the guard has a parser.
func shell(b *strings.Builder, input string) {
	rest, begins := input, true // begins: the next word names a program
	for rest != "" {
		token, class := shellToken(rest, begins)
		mark(b, class, token)
		rest = rest[len(token):]
		switch {
		case class == "op" || strings.Contains(token, "\n"):
			begins = true
		case strings.TrimSpace(token) != "" && !(begins && isAssignment(token)):
			begins = false
		}
	}
}

const operators = "|&;<>()"

// shellToken returns the first token of a command, and its class.
func shellToken(s string, begins bool) (token, class string) {
	switch c := s[0]; {
	case strings.IndexByte(" \t\n", c) >= 0:
		return s[:prefixOf(s, " \t\n")], ""
	case c == '#':
		return upTo(s, "\n"), "comment"
	case strings.IndexByte(operators, c) >= 0:
		return s[:prefixOf(s, operators)], "op"
	case c == '\'' || c == '"':
		return quotedPart(s), "string"
	case c == '$':
		return variable(s), "var"
	}
	word := s[:wordEnd(s)]
	switch {
	case begins && !isAssignment(word):
		return word, "cmd"
	case strings.HasPrefix(word, "-"):
		return word, "flag"
	}
	return word, ""
}

// prefixOf returns how many bytes at the start of s are among those of set.
func prefixOf(s, set string) int { return len(s) - len(strings.TrimLeft(s, set)) }

func upTo(s, end string) string {
	before, _, _ := strings.Cut(s, end)
	return before
}

// quotedPart returns the string at the start of s with its quotes.
func quotedPart(s string) string {
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '\\' && s[0] == '"':
			i++
		case s[i] == s[0]:
			return s[:i+1]
		}
	}
	return s
}

// variable returns the expansion at the start of s.
func variable(s string) string {
	if strings.HasPrefix(s, "${") {
		if end := strings.IndexByte(s, '}'); end > 0 {
			return s[:end+1]
		}
	}
	i := 1
	for i < len(s) && (isNameByte(s[i]) || i == 1 && strings.IndexByte("?!#@*$-", s[i]) >= 0) {
		i++
	}
	return s[:i]
}

// wordEnd returns where the unquoted word at the start of s ends. It has at least one byte.
func wordEnd(s string) int {
	i := strings.IndexAny(s, " \t\n'\"$"+operators)
	if i < 0 {
		return len(s)
	}
	return max(1, i)
}

// isAssignment reports whether a word sets a variable, as NAME=value.
func isAssignment(word string) bool {
	name, _, ok := strings.Cut(word, "=")
	return ok && name != "" && strings.IndexFunc(name, func(r rune) bool { return !isNameRune(r) }) < 0
}

func isNameByte(c byte) bool { return isNameRune(rune(c)) }

func isNameRune(r rune) bool {
	return r == '_' || r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r))
}
