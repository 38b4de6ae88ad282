package script

import (
	"cmp"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/fspath"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell/expand"
)

type Token struct {
	Kind byte // 'n' name, 's' string, 'x' text of a shell quote, or the punctuation itself
	Text string
	At   int // where it begins in the program text
}

// Tokenize splits a program text of a language into tokens.
func Tokenize(text, lang string) []Token {
	z := tokenizer{text: text, dialect: dialectOf(lang), out: make([]Token, 0, len(text)/bytesPerToken)}
	for z.at < len(text) {
		from, n := z.at, len(z.out)
		z.next()
		for i := n; i < len(z.out); i++ {
			z.out[i].At = from
		}
	}
	return z.out
}

// bytesPerToken is the usual length of a token with the blanks around it.
const bytesPerToken = 5

// A dialect is what the tokens of a language depend on.
type dialect struct {
	comment   string // begins a comment up to the end of a line
	operators string // begins the quote operators
	triple    bool   // texts may have three quotes at each end
	backquote byte   // the kind of a token in backquotes
	// begins and in are what a text replaces, and the quotes between which it does so.
	begins, in string
	parts      string // the quotes between which what it replaces are tokens of their own
	bang       bool   // a name may end in "!"
	angles     bool   // <text> lists files
	patterns   bool   // a regular expression may stand between slashes
	marks      bool   // a single quote may begin the name of a lifetime
	dollars    bool   // a text in double quotes replaces $names
}

// dialects are the languages that differ from the last one.
var dialects = [...]struct {
	lang string
	dialect
}{
	{"python", dialect{comment: "#", backquote: 's', triple: true}},
	{"js", dialect{comment: "//", backquote: 's', begins: "${", in: "`", parts: "`", patterns: true}},
	{"php", dialect{comment: "//", backquote: 'x', dollars: true}},
	{"go", dialect{comment: "//", backquote: 's'}},
	{"perl", dialect{comment: "#", backquote: 'x', operators: "q", angles: true, dollars: true, patterns: true}},
	{"awk", dialect{comment: "#", backquote: 's', patterns: true}},
	{"ruby", dialect{comment: "#", backquote: 'x', operators: "%", begins: "#{", in: "'\"`", parts: "\"",
		bang: true, patterns: true}},
	{"groovy", dialect{comment: "//", backquote: 's', begins: "${", in: "\"", parts: "\""}},
	{"c", dialect{comment: "//", backquote: 's', marks: true}},
	{"", dialect{comment: "#", backquote: 's'}},
}

// dialectOf returns the dialect of a language.
func dialectOf(lang string) *dialect {
	for i := range dialects {
		if dialects[i].lang == lang {
			return &dialects[i].dialect
		}
	}
	return &dialects[len(dialects)-1].dialect
}

// A tokenizer splits a text into tokens, from left to right.
type tokenizer struct {
	*dialect
	text      string
	at        int
	out       []Token
	formatted bool // the next literal is a format string
}

// next reads one token, or the text between two tokens.
func (z *tokenizer) next() {
	c, rest := z.text[z.at], z.text[z.at:]
	if n, kind := z.quoteOperator(rest); n > 0 {
		var length int
		z.out, length = appendQuoted(z.out, rest[n:], kind)
		z.at += n + length
		return
	}
	switch c {
	case ' ', '\t', '\n', '\r':
		z.at++
		return
	case '"', '\'', '`':
		if z.marks && c == '\'' && !strings.Contains(rest[1:min(len(rest), 4)], "'") {
			break
		}
		z.literal(rest)
		return
	case '/':
		if n := z.patternLength(rest); n > 0 {
			z.add('r', rest[:n])
			return
		}
	case '<':
		if files, ok := z.listed(rest); ok {
			z.out = append(z.out, Token{Kind: 's', Text: files})
			z.at += len(files) + 2
			return
		}
	}
	switch n := z.commentLength(rest); {
	case n > 0:
		z.at += n
	case lex.IsNameByte(c), partial.HasHole(rest[:1]):
		z.name(rest)
	default:
		z.add(c, rest[:1])
	}
}

// commentLength returns the length of the comment at the start of a text, 0 if there is none.
func (d *dialect) commentLength(text string) int {
	switch {
	case strings.HasPrefix(text, d.comment):
		return lineLength(text)
	case d.comment == "//" && strings.HasPrefix(text, "/*"):
		inner, _, closed := strings.Cut(text[2:], "*/")
		if closed {
			return len(inner) + 4
		}
		return len(text)
	}
	return 0
}

// patternLength returns the length of the regular expression at the start of a text, with its
// flags, 0 if there is none.
func (z *tokenizer) patternLength(text string) int {
	if !z.patterns || !z.expectsValue() || lex.BeginsWith(text, "// /*") {
		return 0
	}
	const longestPattern = 512
	inClass := false
	for i := 1; i < min(len(text), longestPattern); i++ {
		switch text[i] {
		case '\n':
			return 0
		case '\\':
			i++
		case '[', ']':
			inClass = text[i] == '['
		case '/':
			if inClass {
				continue
			}
			return i + 1 + nameLength(text[i+1:]) // with its flags
		}
	}
	return 0
}

// expectsValue reports whether a value begins here, so that a slash divides nothing.
func (z *tokenizer) expectsValue() bool {
	if len(z.out) == 0 {
		return true
	}
	last := z.out[len(z.out)-1]
	if last.Kind == 'n' {
		return lex.OneOf(last.Text, "and case grep if in m not or qr return split unless until when while")
	}
	return !last.in("sx)]}")
}

// listed reads <text> at the start of a text, which lists the files that match a pattern.
func (d *dialect) listed(text string) (pattern string, ok bool) {
	pattern, _, closed := strings.Cut(text[1:], ">")
	switch {
	case !d.angles, !closed, strings.ContainsAny(pattern, " \n;="):
		return "", false
	}
	return pattern, strings.Contains(pattern, "*")
}

// add appends a token that is as long as its text.
func (z *tokenizer) add(kind byte, text string) {
	z.out = append(z.out, Token{Kind: kind, Text: text})
	z.at += len(text)
}

func lineLength(text string) int {
	if i := strings.IndexByte(text, '\n'); i >= 0 {
		return i
	}
	return len(text)
}

// literal reads a string, and the names in it if the language replaces them. In backquotes it may be a
// template, or a command that is passed to a shell.
func (z *tokenizer) literal(rest string) {
	s, n := z.quotedString(rest)
	kind := byte('s')
	switch {
	case rest[0] == '`':
		kind = z.backquote
	case z.angles:
		s = strings.ReplaceAll(s, "$ENV{HOME}", "~")
	}
	switch {
	case z.formatted && strings.Contains(s, "{"):
		z.out = appendParts(z.out, s, "{")
	case z.replaces(rest[:n]):
		z.out = appendParts(z.out, rest[1:max(1, n-1)], z.begins)
	case z.dollars && rest[0] == '"' && strings.Contains(s, "$"):
		z.out = appendVariables(z.out, s)
	default:
		z.out = append(z.out, Token{Kind: kind, Text: s})
	}
	z.formatted = false
	z.at += n
}

// replaces reports whether a literal has parts that are tokens of their own.
func (d *dialect) replaces(literal string) bool {
	return strings.IndexByte(d.parts, literal[0]) >= 0 && strings.Contains(literal, d.begins)
}

// name reads a name with its dots, unless it is a prefix of a string such as r"…".
func (z *tokenizer) name(rest string) {
	n := 1
	for n < len(rest) && z.inName(rest, n) {
		n++
	}
	name, behind := rest[:n], rest[n:]
	z.at += n
	if z.bang && endsInMark(behind) {
		z.at++ // a part of the name: File.rm_rf!
		behind = behind[1:]
	}
	if isPrefix(name) && lex.BeginsWith(behind, "\" '") {
		z.formatted = strings.ContainsAny(name, "fF$")
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
func (d *dialect) inName(text string, i int) bool {
	switch c := text[i]; {
	case lex.IsNameByte(c), c == '.':
		return true
	case c == ':':
		return text[i-1] == ':' || strings.HasPrefix(text[i+1:], ":")
	}
	return false
}

// isPrefix reports whether a name is a prefix of a string, as in r"…".
func isPrefix(name string) bool {
	return len(name) <= 2 && strings.Trim(strings.ToLower(name), "rbfu$@") == ""
}

// plus stands between the parts of a text.
var plus = Token{Kind: '+', Text: "+"}

// appendParts appends a text with {names} in it as a sum of strings and names.
func appendParts(out []Token, text, open string) []Token {
	for i := 0; ; i++ {
		before, rest, _ := strings.Cut(text, open)
		out = append(out, Token{Kind: 's', Text: before})
		name, after, closed := strings.Cut(rest, "}")
		if !closed || i > 64 {
			return out
		}
		part := Token{Kind: 'n', Text: strings.TrimSuffix(strings.TrimSpace(name), "()")}
		if strings.Contains(name, "user.home") {
			part.Text = "homedir"
		}
		if part.Text == "" || strings.Trim(part.Text, nameBytes) != "" {
			part = Token{Kind: 's', Text: partial.Unknown}
		}
		out = append(out, plus, part, plus)
		text = after
	}
}

// appendVariables appends a text with $names in it as a sum of strings and names. Braces around a name are left out.
func appendVariables(out []Token, text string) []Token {
	for i := 0; ; i++ {
		before, rest, found := strings.Cut(text, "$")
		braced := strings.HasSuffix(before, "{") || strings.HasPrefix(rest, "{")
		out = append(out, Token{Kind: 's', Text: strings.TrimSuffix(before, "{")})
		rest = strings.TrimPrefix(rest, "{")
		n := nameLength(rest)
		if !found || i > 64 {
			return out
		}
		out = append(out, plus, Token{Kind: 'n', Text: "$" + rest[:n]}, plus)
		if text = rest[n:]; braced {
			text = strings.TrimPrefix(text, "}")
		}
	}
}

// nameLength returns the length of the name, without dots, at the start of a text.
func nameLength(text string) int {
	for i := range len(text) {
		if !lex.IsNameByte(text[i]) {
			return i
		}
	}
	return len(text)
}

const nameBytes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.$@"

// quoteOperator reads perl's q, qq, qw and qx and ruby's %q, %Q, %w, %W and %x at the start of s: the length before the
// delimiter and the kind of the token, with 'w' for words. The length is 0 for anything else.
func (d *dialect) quoteOperator(s string) (n int, kind byte) {
	if len(s) < 3 || strings.IndexByte(d.operators, s[0]) < 0 {
		return 0, 0
	}
	n, kind = 2, 's'
	switch s[1] {
	case 'q', 'Q':
	case 'x':
		kind = 'x'
	case 'w', 'W':
		kind = 'w'
	default:
		if s[0] != 'q' {
			return 0, 0
		}
		n = 1
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

// delimited reads a text between two delimiters and returns it with its length in the source. Brackets nest.
func delimited(s string) (string, int) {
	if s == "" {
		return "", 0
	}
	opening, closing := s[0], s[0]
	if i := strings.IndexByte("{([<", opening); i >= 0 {
		closing = "})]>"[i]
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
func (d *dialect) quotedString(s string) (string, int) {
	q := s[:1]
	if d.triple && strings.HasPrefix(s, q+q+q) {
		q = q + q + q
	}
	special := `\` + q[:1]
	if strings.IndexByte(d.in, q[0]) >= 0 {
		special += d.begins[:1]
	}
	var b strings.Builder
	i := len(q)
	for i < len(s) && !strings.HasPrefix(s[i:], q) {
		switch n := strings.IndexAny(s[i:], special); {
		case n != 0:
			n = cmp.Or(max(n, 0), len(s)-i)
			b.WriteString(s[i : i+n])
			i += n
		case s[i] == '\\' && i+1 < len(s):
			i += 1 + expand.DecodeEscape(&b, s[i+1:])
		case d.replacedLength(s[i:]) > 0:
			b.WriteString(partial.Unknown)
			i += d.replacedLength(s[i:])
		default:
			b.WriteByte(s[i])
			i++
		}
	}
	return strings.ReplaceAll(b.String(), "\x00", ""), min(i+len(q), len(s))
}

// replacedLength returns the length of the ${name} or #{name} at the start of a text
// in quotes, 0 if nothing is replaced there.
func (d *dialect) replacedLength(text string) int {
	if d.begins == "" || !strings.HasPrefix(text, d.begins) {
		return 0
	}
	return strings.IndexByte(text, '}') + 1
}

// showsVariable reports a variable of the environment whose value is printed. It does not report one of
// which only a property is used, such as its length or whether it is set.
func (r *reading) showsVariable(toks []Token) {
	if toks[0].Kind == '(' {
		toks = toks[1:]
	}
	text, n := r.environment(toks)
	if n == 0 {
		if name, ok := strings.CutPrefix(textAt(toks, 0), "process.env."); ok && !strings.Contains(name, ".") {
			text, n = r.sh.Unset(name), 1
		}
	}
	shown := tokenAt(toks, n).in("),;\x00")
	if shown && strings.ContainsRune(text, partial.HoleKey) {
		r.sh.Effect(effect.RevealSecret, effect.Named("environment"), "")
	}
}

// networkCall reports whether a call sends its arguments to another machine. A
// put or get counts only if the name of a client is before it.
func networkCall(short, full string) bool {
	if lex.OneOf(short, "put patch get") {
		return lex.OneOf(full[:max(strings.IndexByte(full, '.'), 0)], "Faraday HTTParty axios got httpx requests"+
			" session")
	}
	return lex.OneOf(short, "NewRequest NewRequestWithContext Post PostForm Request axios curl_setopt fetch post"+
		" post_form request sendBeacon sendall sendto urlencode urlopen")
}

// uploaders are calls that send a file, or a text, to a service.
const uploaders = "files_upload putObject put_file put_object sendMail send_message sendmail storbinary upload" +
	" uploadFile upload_blob upload_file upload_fileobj upload_from_filename upload_from_string"

// sendsEnvironment reports whether a list of arguments has the whole environment, with every key and token in it.
func sendsEnvironment(toks []Token) bool {
	const all = "os.environ environ os.environ.copy os.environ.items process.env Bun.env Deno.env.toObject ENV " +
		"ENV.to_h ENV.to_hash ENV.to_json ENV.to_h.to_json ENV.to_hash.to_json ENV.inspect ENV.to_a $_ENV"
	args := given(toks)
	for i, t := range args {
		if t.named(all) && !tokenAt(args, i+1).in("[{") {
			return true
		}
	}
	return false
}

// constant returns the text that a name stands for.
func (r *reading) constant(t Token) (string, bool) {
	if t.Kind != 'n' {
		return "", false
	}
	if v, ok := r.consts[t.Text]; ok {
		return v, true
	}
	if lex.OneOf(t.Text, "__DIR__ __dir__ __dirname import.meta.dir import.meta.dirname") {
		return r.sh.SourceDir(), true
	}
	if lex.OneOf(t.Text, "Deno.cwd Dir.getwd Dir.pwd Path.cwd getcwd os.getcwd pathlib.Path.cwd process.cwd") {
		return r.sh.Place.Cwd, true
	}
	if v, ok := r.part(t.Text); ok {
		return v, true
	}
	return r.sh.HomeText(), lex.EndsWith(t.Text, "Path.home homedir Dir.home env.HOME home_dir UserHomeDir "+
		"NSHomeDirectory SpecialFolder.UserProfile")
}

// part returns a part of the path that a name stands for, as in entry.name.
func (r *reading) part(name string) (string, bool) {
	object, part, _ := strings.Cut(name, ".")
	v, ok := r.consts[object]
	switch {
	case part == "path":
		return v, ok
	case part == "name":
		return fspath.Base(v), ok
	case part == "parent":
		return fspath.Dir(v), ok
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

// nesting returns 1 for a token that opens a bracket, -1 for one that closes it, and 0 for any other.
func (t Token) nesting() int {
	switch {
	case t.in("([{"):
		return 1
	case t.in(")]}"):
		return -1
	}
	return 0
}

// named reports whether a token is one of the blank-separated names.
func (t Token) named(names string) bool { return t.Kind == 'n' && lex.OneOf(t.Text, names) }

// calls reports whether a token is a name whose last part is one of the blank-separated names.
func (t Token) calls(names string) bool {
	return t.Kind == 'n' && lex.OneOf(unqualified(t.Text), names)
}

// methodAt returns the name behind the i-th token, "" if that token is not a dot.
func methodAt(toks []Token, i int) string {
	if kindAt(toks, i) != '.' {
		return ""
	}
	return textAt(toks, i+1)
}

// Shaped reports whether the tokens from the i-th on have these kinds.
func Shaped(toks []Token, i int, kinds string) bool {
	for k := range len(kinds) {
		if kindAt(toks, i+k) != kinds[k] {
			return false
		}
	}
	return true
}
