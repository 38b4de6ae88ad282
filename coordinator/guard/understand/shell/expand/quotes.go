package expand

import (
	"strconv"
	"strings"
)

// First returns a text with its first letter changed.
func First(s string, change func(string) string) string {
	n := min(1, len(s))
	return change(s[:n]) + s[n:]
}

// The characters before which a backslash is removed in double quotes and in a here-document,
// where a quote needs no backslash.
const (
	InQuotes   = InDocument + `"`
	InDocument = "$`\\\n"
)

// Unescape removes the backslashes before the characters in special, or all if it is empty. A
// line break is removed with its backslash.
func Unescape(s, special string) string {
	if !strings.Contains(s, "\\") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		escaped := s[i] == '\\' && i+1 < len(s) && (special == "" || strings.IndexByte(special, s[i+1]) >= 0)
		if escaped {
			i++
		}
		if !escaped || s[i] != '\n' {
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

// AnsiC decodes the escapes of $'…'.
func AnsiC(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		i += DecodeEscape(&b, s[i:]) - 1
	}
	return b.String()
}

// DecodeEscape writes the character of the escape whose text after the backslash is at
// the start of s. It returns the length of that text.
func DecodeEscape(b *strings.Builder, s string) int {
	switch c := s[0]; c {
	case 'x', 'u', 'U':
		n := digitsIn(s[1:], "0123456789abcdefABCDEF", map[byte]int{'x': 2, 'u': 4, 'U': 8}[c])
		code, err := strconv.ParseUint(s[1:1+n], 16, 32)
		switch {
		case err != nil:
		case c == 'x':
			b.WriteByte(byte(code))
		default:
			b.WriteRune(rune(code))
		}
		return 1 + n
	case '0', '1', '2', '3', '4', '5', '6', '7':
		n := digitsIn(s, "01234567", 4)
		code, _ := strconv.ParseUint(s[:n], 8, 32)
		b.WriteByte(byte(code))
		return n
	default:
		if j := strings.IndexByte("ntrabefv", c); j >= 0 {
			c = "\n\t\r\a\b\x1b\f\v"[j]
		}
		b.WriteByte(c)
		return 1
	}
}

// digitsIn returns how many of the first bytes of a text are digits, at most most.
func digitsIn(s, digits string, most int) int {
	s = s[:min(most, len(s))]
	return len(s) - len(strings.TrimLeft(s, digits))
}

// QuotedFields splits a text at blanks. Quotes and backslashes keep blanks.
func QuotedFields(s string) []string {
	var out []string
	for {
		s = strings.TrimLeft(s, blanks)
		if s == "" {
			return out
		}
		field, rest, quoted := quotedField(s)
		if quoted || field != "" {
			out = append(out, field)
		}
		s = rest
	}
}

const blanks = " \t\n\x00"

// quotedField reads the field at the start of a text, and whether it has quotes.
func quotedField(s string) (field, rest string, quoted bool) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '\'', '"':
			text, _, closed := strings.Cut(s[i+1:], s[i:i+1])
			b.WriteString(text)
			if !closed {
				return b.String(), "", false
			}
			i += len(text) + 1
			quoted = true
		case '\\':
			i = min(i+1, len(s)-1)
			b.WriteByte(s[i])
		default:
			if strings.IndexByte(blanks, c) >= 0 {
				return b.String(), s[i:], quoted
			}
			b.WriteByte(c)
		}
	}
	return b.String(), "", quoted && b.Len() > 0
}
