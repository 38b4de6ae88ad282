package markdown

import (
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
	for {
		before := *r
		l, ok := r.next()
		if !ok || l.blank() && len(lines) > 0 {
			*r = before
			return lines
		}
		if !l.blank() {
			lines = append(lines, l)
		}
	}
}

func (l line) blank() bool { return strings.TrimSpace(l.text) == "" }

// field reads a line "- name: value". The name holds no spaces.
func (l line) field() (Field, bool) {
	item := strings.TrimLeft(l.text, " ")
	if len(item) < 2 || !strings.ContainsRune("-*+", rune(item[0])) || item[1] != ' ' {
		return Field{}, false
	}
	name, value, ok := strings.Cut(item[2:], ":")
	name = strings.ToLower(strings.TrimSpace(name))
	if !ok || name == "" || strings.ContainsAny(name, " \t") {
		return Field{}, false
	}
	filled := strings.TrimLeftFunc(value, unicode.IsSpace)
	from := l.offset + len(l.text) - len(filled)
	value = strings.TrimSpace(filled)
	return Field{Name: name, Value: value, Line: l.number, from: from, to: from + len(value)}, true
}
