package shell

import (
	"strings"
)

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
