package rawjson

import "strings"

// maxDepth bounds the nesting of what Valid takes.
const maxDepth = 1000

// Valid reports whether text is exactly one JSON value (RFC 8259). It does not
// check that the text is UTF-8.
func Valid(text string) bool {
	c := checker{text: text}
	c.space()
	if !c.value(0) {
		return false
	}
	c.space()
	return c.at == len(text)
}

type checker struct {
	text string
	at   int
}

func (c *checker) space() { c.at = skipSpace(c.text, c.at) }

// take moves over b, if it stands here.
func (c *checker) take(b byte) bool {
	if c.at < len(c.text) && c.text[c.at] == b {
		c.at++
		return true
	}
	return false
}

func (c *checker) value(depth int) bool {
	if c.at >= len(c.text) || depth > maxDepth {
		return false
	}
	switch c.text[c.at] {
	case '{':
		return c.list('}', func() bool { return c.member(depth) })
	case '[':
		return c.list(']', func() bool { return c.value(depth + 1) })
	case '"':
		return c.string()
	case 't':
		return c.word("true")
	case 'f':
		return c.word("false")
	case 'n':
		return c.word("null")
	}
	return c.number()
}

// list reads what stands between two brackets, with commas between.
func (c *checker) list(closing byte, item func() bool) bool {
	c.at++
	c.space()
	if c.take(closing) {
		return true
	}
	for {
		c.space()
		if !item() {
			return false
		}
		c.space()
		if c.take(closing) {
			return true
		}
		if !c.take(',') {
			return false
		}
	}
}

func (c *checker) member(depth int) bool {
	if !c.string() {
		return false
	}
	c.space()
	if !c.take(':') {
		return false
	}
	c.space()
	return c.value(depth + 1)
}

func (c *checker) word(w string) bool {
	if !strings.HasPrefix(c.text[c.at:], w) {
		return false
	}
	c.at += len(w)
	return true
}

func (c *checker) string() bool {
	if !c.take('"') {
		return false
	}
	for c.at < len(c.text) {
		b := c.text[c.at]
		c.at++
		switch {
		case b == '"':
			return true
		case b < ' ' || b == '\\' && !c.escape():
			return false
		}
	}
	return false
}

func (c *checker) escape() bool {
	if c.take('u') {
		n := min(c.at+4, len(c.text))
		four := c.text[c.at:n]
		c.at = n
		return len(four) == 4 && strings.Trim(four, "0123456789abcdefABCDEF") == ""
	}
	known := c.at < len(c.text) && strings.IndexByte(`"\/bfnrt`, c.text[c.at]) >= 0
	c.at++
	return known
}

func (c *checker) number() bool {
	c.take('-')
	if !c.take('0') && !c.digits() {
		return false
	}
	if c.take('.') && !c.digits() {
		return false
	}
	if c.take('e') || c.take('E') {
		_ = c.take('+') || c.take('-')
		return c.digits()
	}
	return true
}

func (c *checker) digits() bool {
	from := c.at
	for c.at < len(c.text) && c.text[c.at] >= '0' && c.text[c.at] <= '9' {
		c.at++
	}
	return c.at > from
}
