package markdown

import "strings"

// A Section is a part of a text under a heading of the second level. The text
// before the first such heading is a section without a heading.
type Section struct {
	Heading string // without its signs and the spaces around it
	Line    int    // of the heading, counted from 1; 1 where there is none
	Text    string // below the heading, byte for byte, deeper headings included
}

// Sections returns the sections of any text in order. A heading inside a fenced
// code block is text. The list is empty only for an empty text.
func Sections(text string) (sections []Section) {
	lines := &lineReader{text: text}
	var fence string
	section, begin := Section{Line: 1}, 0
	end := func(at int) {
		section.Text = text[begin:at]
		if begin > 0 || section.Text != "" {
			sections = append(sections, section)
		}
	}
	for {
		l, ok := lines.next()
		if !ok {
			end(len(text))
			return sections
		}
		fence = l.fenceAfter(fence)
		if heading, isHeading := strings.CutPrefix(l.text, "## "); isHeading && fence == "" {
			end(l.offset)
			section, begin = Section{Heading: strings.TrimSpace(heading), Line: l.number}, lines.offset
		}
	}
}

// fenceAfter returns the fence that is open behind the line, given the one that
// is open before it. An empty string means none.
func (l line) fenceAfter(open string) string {
	text := strings.TrimLeft(l.text, " ")
	if len(l.text)-len(text) > 3 || text == "" || (text[0] != '`' && text[0] != '~') {
		return open
	}
	rest := strings.TrimLeft(text, text[:1])
	mark := text[:len(text)-len(rest)]
	if open == "" {
		isFence := len(mark) >= 3 && !(mark[0] == '`' && strings.Contains(rest, "`"))
		if isFence {
			return mark
		}
		return ""
	}
	closes := mark[0] == open[0] && len(mark) >= len(open) && strings.TrimSpace(rest) == ""
	if closes {
		return ""
	}
	return open
}
