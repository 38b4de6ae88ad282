package recipes

import (
	"slices"
	"strconv"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/lex"
)

// A YAMLText is one text in a file of YAML, with its line and the keys and numbers of items that lead to it.
type YAMLText struct {
	Keys []string
	Text string
	Line int
}

// Field returns the keys from the n-th on that are no numbers, with dots between them.
func (y YAMLText) Field(n int) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(y.Keys[n:]), lex.IsNumber), ".")
}

// A yamlKey is a key or a number with its column. The number of an item stands half a column to
// the right, because a list may begin in the column of its key.
type yamlKey struct {
	name string
	at   int
}

// A yamlReader reads the part of YAML in which people write files of commands.
type yamlReader struct {
	lines []string
	line  int
	open  []yamlKey
	out   []YAMLText
}

// maxYAMLKeys bounds the keys that lead to a text.
const maxYAMLKeys = 16

// ReadYAML returns the texts of a file.
func ReadYAML(text string) []YAMLText {
	y := yamlReader{lines: strings.Split(text, "\n")}
	for ; y.line < len(y.lines); y.line++ {
		line := strings.TrimRight(y.lines[y.line], " \t\r")
		switch code := strings.TrimLeft(line, " "); {
		case code == "", code[0] == '#', code == "---":
		default:
			y.read(code, len(line)-len(code))
		}
	}
	return y.out
}

// read reads a line that begins at a column.
func (y *yamlReader) read(code string, column int) {
	parent := column // of a text in several lines
	for len(y.open) < maxYAMLKeys && strings.HasPrefix(code+" ", "- ") {
		n := y.closeTo(2*column + 1)
		y.open = append(y.open, yamlKey{strconv.Itoa(n), 2*column + 1})
		item := strings.TrimLeft(code[1:], " ")
		parent = column
		column += len(code) - len(item)
		code = item
	}
	if key, value, ok := YAMLPair(code); ok {
		y.closeTo(2 * column)
		y.open = append(y.open[:min(len(y.open), maxYAMLKeys)], yamlKey{key, 2 * column})
		code, parent = value, column
	}
	switch {
	case code == "":
	case strings.IndexByte("|>", code[0]) >= 0:
		y.block(parent)
	default:
		y.value(code)
	}
}

// closeTo closes the keys from a column on. It returns the number of the next item of a list there.
func (y *yamlReader) closeTo(at int) (next int) {
	for len(y.open) > 0 && y.open[len(y.open)-1].at >= at {
		last := y.open[len(y.open)-1]
		if n, err := strconv.Atoi(last.name); err == nil && last.at == at {
			next = n + 1
		}
		y.open = y.open[:len(y.open)-1]
	}
	return next
}

// block reads the lines of a text that stand to the right of its key.
func (y *yamlReader) block(column int) {
	var text strings.Builder
	first := y.line + 1
	for y.line+1 < len(y.lines) {
		next := y.lines[y.line+1]
		if strings.TrimSpace(next) != "" && lex.Indent(next) <= column {
			break
		}
		text.WriteString(strings.TrimSpace(next) + "\n")
		y.line++
	}
	y.add(text.String(), first)
}

// value reads a text, or a list or an object in brackets.
func (y *yamlReader) value(code string) {
	closing := map[byte]string{'[': "]", '{': "}"}[code[0]]
	switch {
	case closing == "", !strings.HasSuffix(code, closing), strings.HasPrefix(code, "{{"):
		y.add(Unquoted(code), y.line)
		return
	}
	for i, item := range splitItems(code[1 : len(code)-1]) {
		key, text, ok := YAMLPair(item)
		if !ok || closing == "]" {
			key, text = strconv.Itoa(i), item
		}
		y.open = append(y.open, yamlKey{name: key})
		y.add(Unquoted(text), y.line)
		y.open = y.open[:len(y.open)-1]
	}
}

func (y *yamlReader) add(text string, line int) {
	keys := make([]string, len(y.open))
	for i, k := range y.open {
		keys[i] = k.name
	}
	y.out = append(y.out, YAMLText{keys, text, line + 1})
}

// YAMLPair splits "key: value".
func YAMLPair(code string) (key, value string, ok bool) {
	at := 0
	if lex.BeginsWith(code, `" '`) {
		at = 1 + max(strings.IndexByte(code[1:], code[0]), 0)
	}
	i := strings.Index(code[at:]+" ", ": ")
	if i < 0 || lex.BeginsWith(code, "[ {") {
		return "", "", false
	}
	i += at
	return strings.Trim(code[:i], `"'`), strings.TrimSpace(code[min(i+1, len(code)):]), true
}

// splitItems splits a text at its commas outside quotes and brackets.
func splitItems(text string) (items []string) {
	for rest := strings.TrimSpace(text); rest != ""; {
		var item string
		item, _, rest = cutItem(rest, ",")
		items = append(items, strings.TrimSpace(item))
	}
	return items
}

// cutItem cuts a text at the first of some signs outside quotes and brackets.
func cutItem(text, signs string) (item, sign, rest string) {
	depth, quote := 0, byte(0)
	for i := range len(text) {
		switch c := text[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case strings.IndexByte("\"'`", c) >= 0:
			quote = c
		case strings.IndexByte("[{(", c) >= 0:
			depth++
		case strings.IndexByte("]})", c) >= 0:
			depth--
		case depth == 0 && strings.IndexByte(signs, c) >= 0:
			return text[:i], text[i : i+1], text[i+1:]
		}
	}
	return text, "", ""
}

// Unquoted returns a text without the quotes around it, or without the comment behind it.
func Unquoted(text string) string {
	if !lex.BeginsWith(text, `" '`) {
		text, _, _ = strings.Cut(text, " #")
		return text
	}
	end := strings.LastIndexByte(text, text[0])
	inner := text[1:max(end, 1)]
	if text[0] == '"' {
		return strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(inner)
	}
	return strings.ReplaceAll(inner, "''", "'")
}
