package shell

import (
	"errors"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"mvdan.cc/sh/v3/syntax"
)

// Run parses and evaluates nested source text.
func (sh *Shell) Run(text string, stdin *string) {
	if !sh.SpendSource(text) {
		return
	}
	file, err := sh.Eval.parsers.parse(text)
	if err != nil {
		sh.Unreadable(effect.Named("syntax"), text)
		return
	}
	before := *sh
	sh.Depth++
	sh.Src = sh.source(text)
	sh.stmts(file.Stmts, stdin)
	sh.Depth, sh.Src, sh.Part, sh.at, sh.Via = before.Depth, before.Src, before.Part, before.at, before.Via
	sh.line = before.line
}

// parsers are created once per call, which may have thousands of small sources.
type parsers struct{ bash, zsh *syntax.Parser }

// parse parses a text for bash, and if that fails, for zsh.
func (p *parsers) parse(text string) (*syntax.File, error) {
	if tooNested(text) {
		return nil, errTooNested
	}
	if p.bash == nil {
		p.bash = syntax.NewParser()
	}
	file, err := p.bash.Parse(strings.NewReader(text), "")
	if err == nil {
		return file, nil
	}
	if p.zsh == nil {
		p.zsh = syntax.NewParser(syntax.Variant(syntax.LangZsh))
	}
	if zsh, zerr := p.zsh.Parse(strings.NewReader(text), ""); zerr == nil {
		return zsh, nil
	}
	return nil, err
}

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

// tooNested reports whether a text exceeds the bounds, or has more commands than
// the budget of a call of its size allows. Parsing such a text would be useless.
func tooNested(text string) bool {
	n := nesting{text: text}
	words := min(maxWords, 300+len(text)/32) // prose in a heredoc has such words too
	ends := newBudget(len(text)).steps / (perStatement + PerCommand)
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

// maxGranted bounds the text of a command that a standing permission may cover.
// The person must read a longer one.
const maxGranted = 16 << 10

// MaxPlain bounds the commands of a plain text.
const MaxPlain = 32

// Plain returns the argument lists of the commands of a text, in order. It returns
// false unless each of their words is known exactly, and nothing is substituted,
// assigned or redirected to a file.
func Plain(text string) ([][]string, bool) {
	switch {
	case len(text) > maxGranted, text != partial.Scrub(text), tooNested(text):
		return nil, false
	}
	file, err := syntax.NewParser().Parse(strings.NewReader(text), "")
	if err != nil {
		return nil, false
	}
	var commands [][]string
	plain := true
	syntax.Walk(file, func(n syntax.Node) bool {
		fits, inside := true, true // whether the node is plain, and what lies in it has to be looked at
		switch x := n.(type) {
		case nil, *syntax.File, *syntax.Comment, *syntax.BinaryCmd:
		case *syntax.Stmt:
			fits = plainStmt(x) && len(commands) <= MaxPlain
		case *syntax.Redirect:
			fits, inside = plainRedirect(x), false
		case *syntax.CallExpr:
			fits = len(x.Assigns) == 0
			commands = append(commands, nil)
		case *syntax.Word:
			var word string
			word, fits = plainWord(x)
			last := len(commands) - 1
			commands[last] = append(commands[last], word)
			inside = false
		default:
			fits = false
		}
		plain = plain && fits
		return plain && inside
	})
	if !plain {
		return nil, false
	}
	return commands, len(commands) > 0
}

// plainStmt reports whether a statement is a command that runs by itself in the foreground.
func plainStmt(st *syntax.Stmt) bool {
	switch {
	case st.Cmd == nil, st.Background, st.Coprocess, st.Negated:
		return false
	}
	return true
}

// plainRedirect accepts a redirection between descriptors, and one to or from /dev/null.
func plainRedirect(r *syntax.Redirect) bool {
	word, _ := plainWord(r.Word)
	switch r.Op {
	case syntax.DplOut:
		return lex.OneOf(word, "1 2")
	case syntax.RdrOut, syntax.AppOut, syntax.RdrAll, syntax.RdrIn:
		return word == "/dev/null"
	}
	return false
}

// plainWord returns the text of a word that every shell takes literally.
func plainWord(w *syntax.Word) (string, bool) {
	var b strings.Builder
	for i, part := range w.Parts {
		text, ok := plainPart(part, i == 0)
		if !ok {
			return "", false
		}
		b.WriteString(text)
	}
	return b.String(), true
}

func plainPart(part syntax.WordPart, first bool) (string, bool) {
	switch x := part.(type) {
	case *syntax.Lit:
		switch {
		case strings.ContainsAny(x.Value, "\\*?[]{}$`!"),
			lex.Mentions(x.Value, "=~ :~"),
			first && lex.BeginsWith(x.Value, "~ ="):
			return "", false
		}
		return x.Value, true
	case *syntax.SglQuoted:
		return x.Value, !x.Dollar
	case *syntax.DblQuoted:
		return plainQuoted(x)
	}
	return "", false
}

func plainQuoted(q *syntax.DblQuoted) (string, bool) {
	var b strings.Builder
	for _, part := range q.Parts {
		lit, ok := part.(*syntax.Lit)
		if !ok || strings.ContainsAny(lit.Value, "\\`$") {
			return "", false
		}
		b.WriteString(lit.Value)
	}
	return b.String(), !q.Dollar
}
