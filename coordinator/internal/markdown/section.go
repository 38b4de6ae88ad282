package markdown

import (
	"regexp"
	"strings"
)

// A Section is a part of a text under a heading of the second level. The text
// before the first such heading is a section without a heading.
type Section struct {
	Heading string // without its signs and the spaces around it
	Line    int    // of the heading, counted from 1; 1 where there is none
	Text    string // below the heading, byte for byte, deeper headings included

	from, begin int // the bytes of the whole text at which the heading and Text begin
}

// CutFrom returns the text that s was read from, without s.
func (s Section) CutFrom(text string) string { return text[:s.from] + text[s.begin+len(s.Text):] }

// ReplaceIn returns the text that s was read from, with another text below its heading.
func (s Section) ReplaceIn(text, below string) string {
	return text[:s.begin] + below + text[s.begin+len(s.Text):]
}

// WithHeading returns the text that s was read from, with another heading of s.
func (s Section) WithHeading(text, heading string) string {
	line := text[s.from:s.begin]
	ending := line[len(strings.TrimRight(line, "\r\n")):]
	return text[:s.from] + "## " + heading + ending + text[s.begin:]
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
			begin = lines.offset
			section = Section{Heading: strings.TrimSpace(heading), Line: l.number, from: l.offset, begin: begin}
		}
	}
}

// The lines that open and close a fenced code block. A fence of backticks opens nothing if
// there is another backtick in its line.
var (
	openingFence = regexp.MustCompile("^ {0,3}(?:(`{3,})[^`]*|(~{3,}).*)$")
	closingFence = regexp.MustCompile("^ {0,3}(`+|~+)[\\s\\p{Z}]*$")
)

// fenceAfter returns the fence that is open after the line, given the one that
// is open before it. An empty string means none.
func (l line) fenceAfter(open string) string {
	if open == "" {
		if m := openingFence.FindStringSubmatch(l.text); m != nil {
			return m[1] + m[2]
		}
		return ""
	}
	if m := closingFence.FindStringSubmatch(l.text); m != nil && strings.HasPrefix(m[1], open) {
		return ""
	}
	return open
}
