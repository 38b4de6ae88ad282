package recipes

import (
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/lex"
)

// A Setting is one key of a file of settings with sections, such as tox.ini and pyproject.toml.
type Setting struct {
	Section, Key string
	Lines        []Line // of its value
	open         int    // brackets and quotes that its lines have not closed
}

// ReadSettings reads a file of settings. A value goes on in the lines that stand further to the
// right, and up to the end of a bracket or of three quotes.
func ReadSettings(text string) (out []Setting) {
	section := ""
	for i, line := range strings.Split(text, "\n") {
		value := strings.TrimSpace(line)
		goesOn := len(out) > 0 && (out[len(out)-1].open > 0 || lex.Indent(line) > 0)
		switch key, after, pair := strings.Cut(value, "="); {
		case value == "", value[0] == '#':
			continue
		case goesOn:
		case value[0] == '[':
			section = strings.ReplaceAll(strings.Trim(value, "[]"), `"`, "")
			continue
		case !pair:
			continue
		default:
			out = append(out, Setting{Section: section, Key: strings.Trim(strings.TrimSpace(key), `"'`)})
			value = strings.TrimSpace(after)
		}
		out[len(out)-1].add(value, i+1)
	}
	return out
}

// add adds a line to the value.
func (s *Setting) add(value string, line int) {
	if value == "" {
		return
	}
	s.Lines = append(s.Lines, Line{value, line})
	first := s.Lines[0].Code
	switch {
	case lex.BeginsWith(first, `""" '''`):
		s.open = (s.open + strings.Count(value, first[:3])) % 2
	case lex.BeginsWith(first, "[ {"):
		s.open += strings.Count(value, first[:1]) - strings.Count(value, string(first[0]+2))
	}
}

// Text returns the value as one text.
func (s *Setting) Text() string {
	var codes []string
	for _, l := range s.Lines {
		codes = append(codes, l.Code)
	}
	return strings.Join(codes, "\n")
}

// Codes returns the commands in the value of a script: a text, a list of texts, the words of one
// command, or an object with one of these.
func (s *Setting) Codes() []string {
	key, value := s.Key, s.Text()
	if strings.HasPrefix(value, "{") {
		key, value = commandIn(value)
	}
	items := textsIn(value)
	if key == "cmd" {
		return []string{strings.Join(items, " ")}
	}
	return items
}

// commandIn returns the command in an object, with its key.
func commandIn(object string) (key, value string) {
	for _, item := range splitItems(strings.Trim(object, "{}\n ")) {
		key, value, _ := strings.Cut(item, "=")
		if key = strings.TrimSpace(key); lex.OneOf(key, CommandKeys) {
			return key, strings.TrimSpace(value)
		}
	}
	return "", ""
}

// CommandKeys are the keys of a command in a script that is a section or an object.
const CommandKeys = "chain cmd command composite run script sequence shell"

// textsIn returns the texts of a list, or the one text of a value that is not a list.
func textsIn(value string) (texts []string) {
	items := []string{value}
	if strings.HasPrefix(value, "[") {
		items = splitItems(strings.Trim(value, "[] \n"))
	}
	for _, item := range items {
		texts = append(texts, strings.Trim(strings.ReplaceAll(item, `" + "`, ""), "\"'\n "))
	}
	return texts
}
