package markdown

import (
	"regexp"
	"strings"
	"unicode"
)

// A line is one line of a text, without its line ending.
type line struct {
	text   string
	offset int // of its first byte in the text
	number int // counted from 1
}

// A lineReader hands out the lines of a text in order.
type lineReader struct {
	text   string
	offset int // of the next line
	number int // of the last line handed out
}

func (r *lineReader) next() (line, bool) {
	if r.offset >= len(r.text) {
		return line{}, false
	}
	text, _, found := strings.Cut(r.text[r.offset:], "\n")
	r.number++
	l := line{text: text, offset: r.offset, number: r.number}
	r.offset += len(text)
	if found {
		r.offset++
		l.text = strings.TrimSuffix(text, "\r")
	}
	if l.offset == 0 && strings.HasPrefix(l.text, byteOrderMark) {
		l.text, l.offset = l.text[len(byteOrderMark):], len(byteOrderMark)
	}
	return l, true
}

// nextFilled returns the next line that is not blank.
func (r *lineReader) nextFilled() (line, bool) {
	for {
		l, ok := r.next()
		if !ok || !l.blank() {
			return l, ok
		}
	}
}

// block returns the next lines up to a blank one, which stays unread. It skips
// the blank lines before them.
func (r *lineReader) block() (lines []line) {
	for l, ok := r.nextFilled(); ok; {
		lines = append(lines, l)
		before := *r
		if l, ok = r.next(); l.blank() {
			*r = before
			break
		}
	}
	return lines
}

func (l line) blank() bool { return strings.TrimSpace(l.text) == "" }

// fieldLine matches the line of a field: its name and its value.
var fieldLine = regexp.MustCompile(`^ *[-*+] [\s\p{Z}]*([^\s\p{Z}:]+)[\s\p{Z}]*:(.*)$`)

// field reads a line "- name: value". The name holds no spaces.
func (l line) field() (Field, bool) {
	m := fieldLine.FindStringSubmatch(l.text)
	if m == nil {
		return Field{}, false
	}
	filled := strings.TrimLeftFunc(m[2], unicode.IsSpace)
	from := l.offset + len(l.text) - len(filled)
	value := strings.TrimSpace(filled)
	f := Field{Name: strings.ToLower(m[1]), Value: value, Line: l.number, from: from, to: from + len(value)}
	return f, true
}
