package script

import (
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
)

type Token struct {
	Kind byte // 'n' name, 's' string, 'x' text of a shell quote, or the punctuation itself
	Text string
	At   int // where it begins in the program text
}

func Tokenize(text, lang string) []Token {
	z := tokenizer{text: text, lang: lang}
	for z.at < len(text) {
		from, n := z.at, len(z.out)
		z.next()
		for i := n; i < len(z.out); i++ {
			z.out[i].At = from
		}
	}
	return z.out
}

// A tokenizer splits a text into tokens, from left to right.
type tokenizer struct {
	text, lang string
	at         int
	out        []Token
	formatted  bool // the next literal is a format string
}

// next reads one token, or the text between two tokens.
func (z *tokenizer) next() {
	c, rest := z.text[z.at], z.text[z.at:]
	if n, kind := quoteOperator(rest, z.lang); n > 0 {
		var length int
		z.out, length = appendQuoted(z.out, rest[n:], kind)
		z.at += n + length
		return
	}
	switch {
	case strings.IndexByte(" \t\n\r", c) >= 0:
		z.at++
	case strings.HasPrefix(rest, commentMark(z.lang)):
		z.at += lineLength(rest)
	case c == '"', c == '\'':
		z.literal(rest)
	case c == '`':
		z.backquoted(rest)
	case lex.IsNameByte(c), partial.HasHole(rest[:1]):
		z.name(rest)
	default:
		z.add(c, rest[:1])
	}
}

// add appends a token that is as long as its text.
func (z *tokenizer) add(kind byte, text string) {
	z.out = append(z.out, Token{Kind: kind, Text: text})
	z.at += len(text)
}

// commentMark returns the mark that begins a comment up to the end of a line.
func commentMark(lang string) string {
	if lex.OneOf(lang, "js php") {
		return "//"
	}
	return "#"
}

func lineLength(text string) int {
	if i := strings.IndexByte(text, '\n'); i >= 0 {
		return i
	}
	return len(text)
}

// literal reads a string, and the names in it if the language replaces them.
func (z *tokenizer) literal(rest string) {
	s, n := quotedString(rest, z.lang)
	switch {
	case z.formatted && strings.Contains(s, "{"):
		z.out = appendParts(z.out, s, "{")
	case z.lang == "ruby" && rest[0] == '"' && strings.Contains(rest[:n], "#{"):
		z.out = appendParts(z.out, rest[1:n-1], "#{")
	default:
		z.out = append(z.out, Token{Kind: 's', Text: s})
	}
	z.formatted = false
	z.at += n
}

// backquoted reads a template, or a command that is passed to a shell.
func (z *tokenizer) backquoted(rest string) {
	s, n := quotedString(rest, z.lang)
	z.at += n
	switch {
	case z.lang == "js" && strings.Contains(rest, "${"):
		z.out = appendParts(z.out, rest[1:max(1, n-1)], "${")
	case lex.OneOf(z.lang, "perl ruby php"):
		z.out = append(z.out, Token{Kind: 'x', Text: s})
	default:
		z.out = append(z.out, Token{Kind: 's', Text: s})
	}
}

// name reads a name with its dots, unless it is a prefix of a string such as r"…".
func (z *tokenizer) name(rest string) {
	n := 1
	for n < len(rest) && inName(rest, n, z.lang) {
		n++
	}
	name, behind := rest[:n], rest[n:]
	z.at += n
	if lex.OneOf(z.lang, "other ruby") && endsInMark(behind) {
		z.at++ // a part of the name: File.rm_rf!
		behind = behind[1:]
	}
	if isPrefix(name) && lex.BeginsWith(behind, "\" '") {
		z.formatted = strings.ContainsAny(name, "fF")
		return
	}
	z.out = append(z.out, Token{Kind: 'n', Text: name})
}

// endsInMark reports whether a name goes on with "!", and no comparison follows it.
func endsInMark(behind string) bool {
	after, ok := strings.CutPrefix(behind, "!")
	return ok && after != "" && after[0] != '='
}

// inName reports whether the byte at i continues a name.
func inName(text string, i int, lang string) bool {
	switch c := text[i]; {
	case lex.IsNameByte(c), c == '.':
		return true
	case c == '-':
		return lang == "lisp"
	case c == ':':
		return text[i-1] == ':' || strings.HasPrefix(text[i+1:], ":")
	}
	return false
}

// isPrefix reports whether a name is a prefix of a string, as in r"…".
func isPrefix(name string) bool {
	return len(name) <= 2 && strings.Trim(strings.ToLower(name), "rbfu") == ""
}

// appendParts appends a text with {names} in it as a sum of strings and names.
func appendParts(out []Token, text, open string) []Token {
	for i := 0; ; i++ {
		before, rest, found := strings.Cut(text, open)
		if i > 0 {
			out = append(out, Token{Kind: '+', Text: "+"})
		}
		out = append(out, Token{Kind: 's', Text: before})
		name, after, closed := strings.Cut(rest, "}")
		if !found || !closed || i > 64 {
			return out
		}
		part := Token{Kind: 'n', Text: strings.TrimSpace(name)}
		if part.Text == "" || strings.Trim(part.Text, nameBytes) != "" {
			part = Token{Kind: 's', Text: partial.Unknown}
		}
		out = append(out, Token{Kind: '+', Text: "+"}, part)
		text = after
	}
}

const nameBytes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.$@"

// quoteOperator reads perl's q, qq, qw and qx and ruby's %q, %Q, %w, %W and %x at the
// start of s: the length before the delimiter and the kind of the token, with 'w' for
// words. The length is 0 for anything else.
func quoteOperator(s, lang string) (n int, kind byte) {
	mark, ok := map[string]byte{"perl": 'q', "ruby": '%'}[lang]
	if !ok || len(s) < 3 || s[0] != mark {
		return 0, 0
	}
	n = 2
	switch s[1] {
	case 'x':
		kind = 'x'
	case 'q', 'Q':
		kind = 's'
	case 'w', 'W':
		kind = 'w'
	default:
		n = 1
		if lang != "perl" {
			return 0, 0
		}
		kind = 's'
	}
	if strings.IndexByte("{([</|!~#'\"^%:", s[n]) < 0 {
		return 0, 0
	}
	return n, kind
}

// appendQuoted reads what a quote operator quotes; words are a list of strings.
func appendQuoted(out []Token, s string, kind byte) ([]Token, int) {
	text, n := delimited(s)
	if kind != 'w' {
		return append(out, Token{Kind: kind, Text: text}), n
	}
	out = append(out, Token{Kind: '(', Text: "("})
	for i, word := range strings.Fields(text) {
		if i > 0 {
			out = append(out, Token{Kind: ',', Text: ","})
		}
		out = append(out, Token{Kind: 's', Text: word})
	}
	return append(out, Token{Kind: ')', Text: ")"}), n
}

// delimited reads a text between two delimiters and returns it with its length in
// the source. Brackets nest.
func delimited(s string) (string, int) {
	if s == "" {
		return "", 0
	}
	opening, closing := s[0], map[byte]byte{'{': '}', '(': ')', '[': ']', '<': '>'}[s[0]]
	if closing == 0 {
		closing = opening
	}
	depth := 0
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '\\':
			i++
		case s[i] == closing && depth == 0:
			return s[1:i], i + 1
		case s[i] == closing:
			depth--
		case s[i] == opening:
			depth++
		}
	}
	return s[1:], len(s)
}

// quotedString reads the literal at the start of s and returns its text and
// its length in the source. Interpolated parts become holes.
func quotedString(s, lang string) (string, int) {
	q := s[:1]
	if lang == "python" && strings.HasPrefix(s, q+q+q) {
		q = q + q + q
	}
	var b strings.Builder
	i := len(q)
	for i < len(s) && !strings.HasPrefix(s[i:], q) {
		switch {
		case s[i] == '\\' && i+1 < len(s):
			i += 1 + shell.DecodeEscape(&b, s[i+1:])
		case replacedLength(s[i:], q, lang) > 0:
			b.WriteString(partial.Unknown)
			i += replacedLength(s[i:], q, lang)
		default:
			b.WriteByte(s[i])
			i++
		}
	}
	return strings.ReplaceAll(b.String(), "\x00", ""), min(i+len(q), len(s))
}

// replacedLength returns the length of the ${name} or #{name} at the start of a text
// in quotes, 0 if the language replaces nothing there.
func replacedLength(text, quote, lang string) int {
	open := "#{"
	switch lang + quote {
	case "js`":
		open = "${"
	case "ruby'", "ruby\"", "ruby`":
	default:
		return 0
	}
	if !strings.HasPrefix(text, open) {
		return 0
	}
	return strings.IndexByte(text, '}') + 1
}

// readLiteral reads a constant expression: literals, known names and the calls
// that mean "home directory", joined by +, by formatting or by commas inside a
// path join.
//
// It reads at most about maxTerms tokens, and reports a longer expression as
// unreadable.
func readLiteral(sh *shell.Shell, toks []Token, consts map[string]string) (string, bool) {
	l := literal{sh: sh, consts: consts}
	for i := 0; i < len(toks) && sh.Spend(i%2); {
		if i >= maxTerms {
			sh.Unreadable(effect.TooManyParts, l.text)
			break
		}
		n := l.take(toks, i)
		if n == 0 {
			break
		}
		i += n
	}
	return l.text, l.known
}

const maxTerms = 128

type literal struct {
	sh     *shell.Shell
	consts map[string]string
	text   string
	known  bool // at least one part is known
	joins  bool // a comma joins parts of a path
}

// take reads the token at i. It returns the number of tokens that it used, 0 at
// the end of the expression.
func (l *literal) take(toks []Token, i int) int {
	t := toks[i]
	if i > 0 && t.Kind == 'n' && toks[i-1].in("sn") && t.Text[0] != '$' {
		return 0 // the next statement; awk joins fields that follow each other
	}
	if text, n := joinedList(toks[i:]); n > 0 {
		l.add(text, true)
		return n
	}
	switch t.Kind {
	case 's':
		l.add(t.Text, true)
	case 'n':
		return l.name(toks, i)
	case '%':
		if i == 0 || i+1 == len(toks) {
			return 0
		}
		return l.percent(toks[i+1:])
	case '/':
		l.add("/", l.known)
	default:
		return l.join(toks, i)
	}
	return 1
}

// joinedList reads " ".join(["a", "b"]) and ["a", "b"].join(" "). It returns the text
// and the number of tokens, 0 if toks do not begin with one.
func joinedList(toks []Token) (string, int) {
	switch {
	case Shaped(toks, 0, "s.n([") && toks[2].Text == "join":
		items, end := literalList(toks, 4)
		return strings.Join(items, toks[0].Text), joinedTokens(items, end+2)
	case kindAt(toks, 0) == '[' && kindAt(toks, 1) == 's':
		items, dot := literalList(toks, 0)
		if Shaped(toks, dot, ".n(s)") && toks[dot+1].Text == "join" {
			return strings.Join(items, toks[dot+3].Text), joinedTokens(items, dot+5)
		}
	}
	return "", 0
}

// joinedTokens returns n if there are items, and 0 otherwise.
func joinedTokens(items []string, n int) int {
	if len(items) == 0 {
		return 0
	}
	return n
}

// join reads the tokens between two parts of an expression.
func (l *literal) join(toks []Token, i int) int {
	switch toks[i].Kind {
	case '+', '.':
		return 1
	case '(':
		if i < 2 {
			return 1
		}
	case ')':
		if kindAt(toks, i-1) == '(' {
			return 1
		}
	case ',':
		if l.joins && l.text != "" {
			l.add("/", l.known)
			return 1
		}
	}
	return 0
}

func (l *literal) add(text string, known bool) {
	l.text = shell.Glue(l.text, text)
	l.known = l.known || known
	if len(l.text) > 1<<16 {
		l.text = partial.Unknown
	}
}

func (l *literal) name(toks []Token, i int) int {
	name := toks[i].Text
	if text, n := environmentOf(l.sh, toks[i:]); n > 0 {
		l.add(text, true)
		return n
	}
	if name == "format" && kindAt(toks, i-1) == '.' {
		args, _, end := readArguments(l.sh, toks, i, l.consts)
		for _, a := range args {
			l.text = strings.Replace(l.text, "{}", a, 1)
		}
		l.text = strings.ReplaceAll(l.text, "{}", partial.Unknown)
		return max(end-i, 0) + 1
	}
	if files, n := listedFiles(toks[i:]); n > 0 {
		l.add(files, true)
		return n
	}
	if name == "shlex.split" {
		return 1 // the words of the text behind it
	}
	if name == "require" && Shaped(toks, i+1, "(s)") {
		return 4
	}
	if text, ok := constantOf(l.sh, name, l.consts); ok {
		l.add(text, true)
		if Shaped(toks, i+1, "()") {
			return 3
		}
		return 1
	}
	for _, suffix := range [...]string{"join", "Path", "expanduser", "resolve", "String.raw", "str"} {
		if strings.HasSuffix(name, suffix) {
			l.joins = true
			return 1
		}
	}
	l.add(partial.Unknown, false)
	return 1
}

// percent fills the first verb of "text % value".
func (l *literal) percent(toks []Token) int {
	if len(toks) > 1 && toks[0].Kind == '(' {
		toks = toks[1:]
	}
	text := partial.Unknown
	if toks[0].Kind == 's' {
		text = toks[0].Text
	} else if v, ok := constantOf(l.sh, toks[0].Text, l.consts); ok && toks[0].Kind == 'n' {
		text = v
	}
	l.text = strings.ReplaceAll(l.text, "%s", text)
	return 2
}

// environmentOf reads os.environ["X"], getenv("X"), ENV["X"] and $ENV{X}. It
// returns the text and the number of tokens, 0 if toks do not begin with one.
func environmentOf(sh *shell.Shell, toks []Token) (string, int) {
	if len(toks) < 4 || toks[0].Kind != 'n' || !toks[1].in("[({") {
		return "", 0
	}
	name := toks[0].Text
	for _, suffix := range [...]string{"environ", "environ.get", "getenv", "ENV", "ENV.fetch", "process.env", "env.get"} {
		if strings.HasSuffix(name, suffix) {
			v, ok := sh.Lookup(toks[2].Text)
			if !ok {
				v = shell.Value{sh.Unset(toks[2].Text)}
			}
			return lex.First(v), 4
		}
	}
	return "", 0
}

// showsVariable reports a variable of the environment whose value is printed. It
// does not report one of which only a property is used, such as its length or
// whether it is set.
func showsVariable(sh *shell.Shell, toks []Token) {
	if toks[0].Kind == '(' {
		toks = toks[1:]
	}
	text, n := environmentOf(sh, toks)
	if n == 0 && len(toks) > 0 {
		if name, ok := strings.CutPrefix(toks[0].Text, "process.env."); ok && !strings.Contains(name, ".") {
			text, n = sh.Unset(name), 1
		}
	}
	shown := n > 0 && (n >= len(toks) || lex.OneOf(string(toks[n].Kind), ") , ;"))
	if shown && strings.ContainsRune(text, partial.HoleKey) {
		sh.Effect(effect.RevealSecret, effect.Environment, "")
	}
}

// networkCall reports whether a call sends its arguments to another machine. A
// put or get counts only if the name of a client is before it.
func networkCall(short, full string) bool {
	if lex.OneOf(short, "put patch get") {
		return lex.OneOf(full[:max(strings.IndexByte(full, '.'), 0)], "requests httpx axios got session HTTParty "+
			"Faraday")
	}
	return lex.OneOf(short, "post request Request fetch axios urlopen urlencode post_form sendall sendto "+
		"sendBeacon curl_setopt")
}

// sendsEnvironment reports whether a list of arguments has the whole environment,
// with every key and token in it.
func sendsEnvironment(toks []Token) bool {
	depth := 0
	for i, t := range toks[:min(256, len(toks))] {
		switch t.Kind {
		case '(':
			depth++
		case ')':
			depth--
		case 'n':
			if wholeEnvironment(t.Text) && !tokenAt(toks, i+1).in("[{") {
				return true
			}
		}
		if depth <= 0 {
			return false
		}
	}
	return false
}

func wholeEnvironment(name string) bool {
	return lex.OneOf(name, "os.environ environ os.environ.copy os.environ.items process.env Bun.env "+
		"Deno.env.toObject ENV ENV.to_h ENV.to_hash ENV.to_json ENV.to_h.to_json ENV.to_hash.to_json "+
		"ENV.inspect ENV.to_a $_ENV")
}

func constantOf(sh *shell.Shell, name string, consts map[string]string) (string, bool) {
	if v, ok := consts[name]; ok {
		return v, true
	}
	for _, suffix := range [...]string{"Path.home", "homedir", "os.homedir", "Dir.home", "env.HOME"} {
		if strings.HasSuffix(name, suffix) {
			return sh.HomeText(), true
		}
	}
	return "", false
}

// tokenAt returns the i-th token, an empty one where there is none.
func tokenAt(toks []Token, i int) Token {
	if i < 0 || i >= len(toks) {
		return Token{}
	}
	return toks[i]
}

// kindAt returns the kind of the i-th token, 0 where there is none.
func kindAt(toks []Token, i int) byte { return tokenAt(toks, i).Kind }

// textAt returns the text of the i-th token, "" where there is none.
func textAt(toks []Token, i int) string { return tokenAt(toks, i).Text }

// in reports whether the kind of a token is one of kinds.
func (t Token) in(kinds string) bool { return strings.IndexByte(kinds, t.Kind) >= 0 }

// Shaped reports whether the tokens from the i-th on have these kinds.
func Shaped(toks []Token, i int, kinds string) bool {
	for k := range len(kinds) {
		if kindAt(toks, i+k) != kinds[k] {
			return false
		}
	}
	return true
}
