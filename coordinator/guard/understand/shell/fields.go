package shell

import (
	"strings"
)

// QuotedFields splits a text as xargs does: at blanks outside quotes.
func QuotedFields(s string) []string {
	var out []string
	var b strings.Builder
	var quote byte
	open := false
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
			b.WriteByte(c)
		case c == '\'' || c == '"':
			quote, open = c, true
		case c == '\\' && i+1 < len(s):
			i++
			b.WriteByte(s[i])
		case c == ' ' || c == '\t' || c == '\n' || c == 0:
			if b.Len() > 0 || open {
				out = append(out, b.String())
				b.Reset()
				open = false
			}
		default:
			b.WriteByte(c)
		}
	}
	if b.Len() > 0 {
		out = append(out, b.String())
	}
	return out
}
