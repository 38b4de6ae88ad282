package grammar

import (
	"errors"
	"strings"
)

var errTooNested = errors.New("nested too deeply")

// Bounds on one source, so that the parser of the library never recurses deeply.
// Each token that can make it recurse counts, in any place. The bounds may refuse
// a text that the parser could handle.
const (
	maxNesting = 400  // open brackets
	maxWords   = 3000 // compound commands that are not closed
	maxPrefix  = 2000 // operators before their operand, in one line
	maxSums    = 2000 // operators in one arithmetic expression
	maxHeads   = 1000 // function heads in a row
)

// tooNested reports whether a text exceeds the bounds, or may have more than ends commands.
func tooNested(text string, ends int) bool {
	n := nesting{text: text}
	words := min(maxWords, 300+len(text)/32) // prose in a heredoc has such words too
	for i := range len(text) {
		if !n.count(i) { // as for most characters
			continue
		}
		switch {
		case n.depth > maxNesting,
			n.words > words,
			n.prefix > maxPrefix,
			n.sums > maxSums,
			n.heads > maxHeads,
			n.ends > ends:
			return true
		}
	}
	return false
}

type nesting struct {
	text   string
	depth  int // open brackets
	words  int // open compound commands
	prefix int // operators before their operand, in this line
	sums   int // operators inside the open arithmetic
	arith  int // depth at which arithmetic began; 0 = none
	heads  int // function heads in a row
	ends   int // ends of commands
}

// count counts the character at i. It returns false for one that changes nothing.
func (n *nesting) count(i int) bool {
	switch n.text[i] {
	case '(', '{', '[':
		n.open(i)
	case ')', '}', ']':
		n.close(i)
	case '`':
		n.prefix++
	case '!', '-', '+', '~', '?', ':', '=', '*', ',', '<', '>', '|', '&', '/':
		n.operator(i)
	case ';':
		n.end(i)
		n.prefix, n.heads = 0, 0
	case '\n':
		n.end(i)
		n.prefix = 0
	case 'c', 'd', 'e', 'f', 'i', 'l', 's', 't', 'u', 'w':
		if !isBlank(n.before(i)) {
			return false
		}
		n.word(i)
	default:
		return false
	}
	return true
}

func (n *nesting) open(i int) {
	n.depth++
	if n.arith == 0 && (n.text[i] == '[' || strings.HasSuffix(n.text[:i+1], "((")) {
		n.arith, n.sums = n.depth, 0
	}
}

func (n *nesting) close(i int) {
	n.depth = max(n.depth-1, 0)
	if n.depth < n.arith {
		n.arith = 0
	}
	if strings.HasSuffix(strings.TrimRight(n.text[:i], " \t"), "(") { // "f()" or "f( )"
		n.heads++
	}
}

func (n *nesting) operator(i int) {
	switch c := n.text[i]; c {
	case '|', '&':
		n.end(i)
		n.heads = 0
	case '/':
	default:
		if c == '=' {
			n.heads = 0
		}
		if before := n.before(i); before == ' ' || before == c {
			n.prefix++
		}
	}
	if n.arith > 0 {
		n.sums++
	}
}

// before returns the byte before the one at i, a line break at the beginning.
func (n *nesting) before(i int) byte {
	if i == 0 {
		return '\n'
	}
	return n.text[i-1]
}

func (n *nesting) end(i int) {
	if n.before(i) != n.text[i] { // "&&" is one
		n.ends++
	}
}

func (n *nesting) word(i int) {
	rest := n.text[i:]
	if strings.HasPrefix(rest, "let ") && n.arith == 0 {
		n.arith, n.sums = max(n.depth, 1), 0
	}
	n.words = max(n.words+wordDepth(rest), 0)
}

// longestHead bounds the part of a text in which a word is looked for.
const longestHead = 9

// wordDepth returns how the word at the start of s changes the number of open
// compound commands.
func wordDepth(s string) int {
	s = s[:min(len(s), longestHead)]
	if i := strings.IndexAny(s, blanksAndEnds); i >= 0 {
		s = s[:i]
	}
	switch s {
	case "if", "while", "until", "for", "case", "select", "function", "time", "coproc":
		return 1
	case "fi", "done", "esac":
		return -1
	}
	return 0
}

// blanksAndEnds are the characters around a word of the shell.
const blanksAndEnds = " \t\n;&|"

func isBlank(c byte) bool { return strings.IndexByte(blanksAndEnds, c) >= 0 }
