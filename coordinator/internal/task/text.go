package task

import (
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/internal/markdown"
)

// find returns the first section of a text with one of these headings, in any case.
func find(text string, names []string) (markdown.Section, bool) {
	for _, section := range markdown.Sections(text) {
		heading := strings.TrimRight(section.Heading, ": \r")
		same := func(name string) bool { return strings.EqualFold(name, heading) }
		if slices.ContainsFunc(names, same) {
			return section, true
		}
	}
	return markdown.Section{}, false
}

// trim returns a text with \n line endings and without the blanks around it.
func trim(text string) string { return strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n")) }

// lineOf returns the value of the first line NAME: VALUE, in any case, also as an item of a
// list or in bold.
func lineOf(text, name string) (value string, ok bool) {
	from, to, ok := place(text, name)
	return text[from:to], ok
}

// place returns where the value of such a line lies in a text.
func place(text, name string) (from, to int, ok bool) {
	begin := 0
	for line := range strings.Lines(text) {
		before, after, found := strings.Cut(line, ":")
		if found && strings.EqualFold(strings.Trim(before, "-* \t"), name) {
			value := strings.TrimLeft(after, "* \t")
			from = begin + len(line) - len(value)
			return from, from + len(strings.TrimRight(value, "* \t\r\n")), true
		}
		begin += len(line)
	}
	return 0, 0, false
}

// ending returns a text whose last line is ended.
func ending(text string) string {
	if text == "" || strings.HasSuffix(text, "\n") {
		return text
	}
	return text + markdown.LineEnding(text)
}

// list returns texts with commas between them.
func list[S ~string](texts []S) string {
	var b strings.Builder
	for i, t := range texts {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(string(t))
	}
	return b.String()
}
