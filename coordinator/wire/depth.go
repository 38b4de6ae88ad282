package wire

// Deeper reports whether JSON text nests deeper than so many levels, in one pass
// that needs no memory: what walks or recurses over it must not be tried first.
// Of other text it says something or other.
func Deeper(text []byte, levels int) bool {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			if depth++; depth > levels {
				return true
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return false
}
