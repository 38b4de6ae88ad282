package script

import (
	"cmp"
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
)

// literal reads a constant expression: literals, known names and the calls that mean "home directory",
// joined by +, by formatting or by commas inside a path join.
//
// It reads at most about maxTerms tokens, and reports a longer expression as unreadable.
func (r *reading) literal(toks []Token) (string, bool) {
	text, _, known := r.literalLength(toks)
	return text, known
}

// literalLength is literal, with the number of the tokens of the expression.
func (r *reading) literalLength(toks []Token) (text string, i int, known bool) {
	l := literal{reading: r}
	for i < len(toks) && r.sh.Spend(i%2) {
		if i >= maxTerms {
			r.sh.Unreadable(effect.Named("too many parts"), l.text)
			break
		}
		n := l.take(toks, i)
		if n == 0 {
			break
		}
		i += n
	}
	return l.text, min(i, len(toks)), l.known
}

const maxTerms = 128

type literal struct {
	*reading
	text  string
	known bool // at least one part is known
	joins bool // a comma joins parts of a path
	depth int  // of brackets
}

// take reads the token at i. It returns the number of tokens that it used, 0 at the end of the expression.
func (l *literal) take(toks []Token, i int) int {
	t := toks[i]
	if t.Kind == 'n' && beginsNext(tokenAt(toks, i-1), t.Text) {
		return 0
	}
	if text, n := l.joinedList(toks[i:]); n > 0 {
		l.add(text, true)
		return n
	}
	if called := Shaped(toks, i-1, "n("); !called {
		if text, n := l.computedText(toks[i:]); n > 0 {
			l.add(text, true)
			return n
		}
	}
	switch t.Kind {
	case 's':
		l.add(t.Text, true)
	case 'x':
		l.add(l.sh.Output(t.Text), true)
	case 'n':
		return l.name(toks, i)
	case '%':
		if i == 0 || i+1 == len(toks) {
			return 0
		}
		return l.percent(toks, i)
	case '/':
		l.add("/", l.known)
	default:
		return l.join(toks, i)
	}
	return 1
}

// beginsNext reports whether a name behind a token begins the next statement. In awk, fields that
// follow each other are joined.
func beginsNext(before Token, name string) bool {
	return before.in("sn)") && name[0] != '$' && !lex.OneOf(before.Text, "new await")
}

// joinedList reads " ".join(["a", "b"]) and " ".join(list). It returns the text and the number of
// tokens, 0 if toks do not begin with one.
func (r *reading) joinedList(toks []Token) (string, int) {
	if !Shaped(toks, 0, "s.n(") || toks[2].Text != "join" {
		return "", 0
	}
	var items []string
	end := 4
	switch {
	case Shaped(toks, 4, "n)"):
		items = r.lists[toks[4].Text]
	case kindAt(toks, 4) == '[':
		items, end = r.literalList(toks, 4)
	}
	if len(items) == 0 {
		return "", 0
	}
	return strings.Join(items, toks[0].Text), end + 2
}

// join reads the tokens between two parts of an expression.
func (l *literal) join(toks []Token, i int) int {
	switch toks[i].Kind {
	case '+', '.':
		return 1
	case '(':
		if i < 2 || l.joins && kindAt(toks, i-1) == 'n' {
			l.depth++
			return 1
		}
	case ')':
		switch l.depth--; {
		case kindAt(toks, i-1) == '(', l.depth > 0:
			return 1
		case l.depth == 0 && tokenAt(toks, i+1).in("/+"): // Path("a") / "b"
			l.joins = false
			return 1
		}
	case ',':
		if l.joins && l.text != "" {
			if strings.HasPrefix(l.shown(tokenAt(toks, i+1)), "/") { // this part replaces the ones before it
				l.text = ""
				return 1
			}
			l.add("/", l.known)
			return 1
		}
	}
	return 0
}

// below returns a path relative to a folder, if that is known.
func below(path string, folder []string) string {
	if lex.BeginsWith(path, "/ ~") {
		return path
	}
	return strings.Join(append(folder[:min(1, len(folder))], path), "/")
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
	if name == "format" && kindAt(toks, i-1) == '.' {
		return l.format(toks, i)
	}
	for _, read := range [...]func([]Token) (string, int){l.environment, l.formatted, l.joinedBy} {
		if text, n := read(toks[i:]); n > 0 {
			l.add(text, true)
			return n
		}
	}
	if files, n := l.produced(toks[i:]); n > 0 {
		l.add(cmp.Or(files, partial.Unknown), files != "")
		return n
	}
	if decodes(toks[i]) && kindAt(toks, i+1) == '(' {
		l.add(partial.UnknownDecoded, true)
		return min(len(callTokens(toks[i+1:]))+3, len(toks)-i)
	}
	switch {
	case lex.OneOf(name, "shlex.split new await scalar"):
		return 1 // the words of the text behind it
	case lex.OneOf(name, sameList) && kindAt(toks, i+1) == '(':
		return 2
	case name == "require" && Shaped(toks, i+1, "(s)"):
		return 4
	}
	if text, ok := l.constant(toks[i]); ok {
		l.add(text, true)
		if Shaped(toks, i+1, "()") {
			return 3
		}
		return 1
	}
	return l.path(toks, i)
}

// format fills the text before the call of format at token i.
func (l *literal) format(toks []Token, i int) int {
	args, end := l.arguments(toks, i)
	l.text = filled(l.text, args, "{}")
	return max(end-i, 0) + 1
}

// filled returns a text with values in place of a verb, holes where there are no more of them.
func filled(text string, values []string, verb string) string {
	for _, value := range values {
		text = strings.Replace(text, verb, value, 1)
	}
	return strings.ReplaceAll(text, verb, partial.Unknown)
}

// These calls make a path of their arguments, or of the path before them, or leave a text as it is.
const (
	pathMakers = "join Join Path expanduser resolve String.raw str File.expand_path realpath abspath normalize Clean " +
		"Path.new Pathname Pathname.new PathBuf.from PathBuf::from Path::new File Paths.get Path.of Path.Combine " +
		"joinpath GetFolderPath Path.expand"
	sameText = "unwrap expect to_string to_s as_path as_posix clone expanduser absolute strip trim unwrap_or_default " +
		"toString resolve value"
)

// sameList are calls that return some of the items of their first argument, or all.
const sameList = "array_filter array_values array_reverse array_slice sorted reversed list iter"

// path reads a name that makes a path.
func (l *literal) path(toks []Token, i int) int {
	object, method, _ := strings.Cut(toks[i].Text, ".")
	behind := kindAt(toks, i-1) == '.' && l.known
	switch text, ok := l.consts[object]; {
	case ok && lex.OneOf(method, "join joinpath resolve"), behind && lex.OneOf(object, "join joinpath"):
		l.add(text+"/", true)
		l.joins = true
		return 1 + min(1, len(toks)-i-1)
	case behind && lex.OneOf(object, sameText) && kindAt(toks, i+1) == '(':
		return len(callTokens(toks[i+1:])) + 3
	case lex.EndsWith(toks[i].Text, pathMakers):
		l.joins = true
		return 1
	}
	l.add(partial.Unknown, false)
	return 1
}

// formatted reads a call that puts its arguments into its first one, as in
// fmt.Sprintf("%s/x", dir). It returns the number of tokens, 0 for any other call.
func (l *literal) formatted(toks []Token) (string, int) {
	expands := toks[0].Text == "File.expand_path" && hasComma(toks[1:])
	switch {
	case kindAt(toks, 1) != '(', !expands && !lex.OneOf(unqualified(toks[0].Text), "Sprintf sprintf format format!"):
		return "", 0
	}
	args, end := l.arguments(toks, 0)
	switch {
	case len(args) == 0:
		return "", 0
	case expands:
		return below(args[0], args[1:]), min(end+1, len(toks))
	}
	text := args[0]
	for _, verb := range [...]string{"%s", "%v", "{}", "%q"} {
		text = filled(text, args[1:], verb)
	}
	return text, min(end+1, len(toks))
}

// percent fills the verbs of "text % value" and "text % (value, value)". The sign is the token at i. It
// returns the number of tokens from there on.
func (l *literal) percent(toks []Token, i int) int {
	a, end := arguments{reading: l.reading, every: true}, i+1
	if toks[end].in("([") {
		a.fresh = true
		end = a.read(toks, end, maxListed)
	} else {
		a.addAny(toks[:end+1], end)
	}
	l.text = filled(l.text, a.args, "%s")
	return min(end+1, len(toks)) - i
}

// environment reads os.environ["X"], getenv("X"), ENV["X"], $ENV{X} and properties of Java. It
// returns the text and the number of tokens, 0 if toks do not begin with one.
func (r *reading) environment(toks []Token) (string, int) {
	sh := r.sh
	if len(toks) < 4 || toks[0].Kind != 'n' || !toks[1].in("[({") {
		return "", 0
	}
	if toks[0].Text == "System.getProperty" {
		switch toks[2].Text {
		case "user.home":
			return sh.HomeText(), 4
		case "user.dir":
			return sh.Place.Cwd, 4
		case "java.io.tmpdir":
			return "/tmp", 4
		}
		return "", 0
	}
	if !lex.EndsWith(toks[0].Text, "environ environ.get getenv Getenv ENV ENV.fetch process.env env.get env::var "+
		"GetEnvironmentVariable") {
		return "", 0
	}
	v, ok := sh.Lookup(toks[2].Text)
	if !ok {
		v = shell.Value{sh.Unset(toks[2].Text)}
	}
	return lex.First(v), 4
}

// Texts and lists of texts are read with the methods that a program calls on them, as in
// ["r", "m"].join("") and "mr".reverse.

// A computation is the value of such an expression.
type computation struct {
	items   []string
	list    bool
	unknown bool // a method was called that is not read
}

// computedText reads the expression that begins at the first of toks. It returns its text, of a list
// the items with blanks between them, and the number of its tokens, 0 if no method is called.
func (l *literal) computedText(toks []Token) (string, int) {
	if lex.OneOf(l.lang, "php perl") { // there, a dot adds texts
		return "", 0
	}
	c, n := l.computation(toks)
	if n == 0 {
		return "", 0
	}
	first := n
	if n == 1 && kindAt(toks, n) == '[' { // a part of the text
		c.unknown = true
		n += len(inBrackets(toks[n:])) + 2
	}
	for Shaped(toks, n, ".n") && !lex.OneOf(toks[n+1].Text, "format write") {
		args := callTokens(toks[n+2:])
		c.call(toks[n+1].Text, args)
		n += 2
		if kindAt(toks, n) == '(' {
			n += len(args) + 2
		}
	}
	switch {
	case n == first && toks[0].Kind != 'n':
		return "", 0
	case !c.unknown:
		return strings.Join(c.items, " "), min(n, len(toks))
	}
	return l.hidden(), min(n, len(toks))
}

// hidden returns the hole for a text that is computed in a way that is not read. As the name of a
// program on the command line it is meant to hide what runs.
func (l *literal) hidden() string {
	if strings.Contains(l.text, " ") || l.sh.InProgram() {
		return partial.Unknown
	}
	return partial.UnknownDecoded
}

// computation reads the text, or the list of texts, that begins an expression.
func (r *reading) computation(toks []Token) (c computation, n int) {
	const longest = 48
	switch toks[0].Kind {
	case 's':
		return computation{items: []string{toks[0].Text}}, 1
	case 'n':
		return r.namedComputation(toks)
	case '[', '(':
		n = len(inBrackets(toks[:min(longest, len(toks))])) + 2
		if !Shaped(toks, n, ".n") || kindAt(toks, 1) != 's' {
			return c, 0
		}
		items, _ := r.literalList(toks, 0)
		return computation{items: items, list: toks[0].Kind == '[', unknown: len(items) == 0}, n
	}
	return c, 0
}

// namedComputation reads a method of the text or the list for which a name stands.
func (r *reading) namedComputation(toks []Token) (c computation, n int) {
	object, method, _ := strings.Cut(toks[0].Text, ".")
	text, known := r.consts[object]
	c = computation{items: []string{text}}
	if items := r.lists[object]; items != nil {
		c, known = computation{items: slices.Clone(items), list: true}, true
	}
	const computing = "split chars reverse toReversed replace replaceAll gsub slice concat toLowerCase lower downcase"
	switch {
	case c.list && method == "join":
	case !known, partial.HasHole(text), !lex.OneOf(method, computing):
		return c, 0
	}
	args := callTokens(toks[1:])
	c.call(method, args)
	if kindAt(toks, 1) == '(' {
		return c, len(args) + 3
	}
	return c, 1
}

// call applies a method.
func (c *computation) call(method string, args []Token) {
	first := tokenAt(args, 0).Text
	switch {
	case lex.OneOf(method, sameText), lex.OneOf(method, "encode toString dedent chomp freeze trimEnd trimStart flat"):
	case lex.OneOf(method, "replace replaceAll gsub sub") && Shaped(args, 0, "s,s") && len(args) == 3:
		for i := range c.items {
			c.items[i] = strings.ReplaceAll(c.items[i], first, args[2].Text)
		}
	case lex.OneOf(method, "lower toLowerCase downcase"):
		for i := range c.items {
			c.items[i] = strings.ToLower(c.items[i])
		}
	case method == "concat" && Shaped(args, 0, "s") && len(args) == 1:
		c.items = append(c.items, first)
		if !c.list {
			c.items = []string{strings.Join(c.items, "")}
		}
	default:
		c.convert(method, first, len(args) == 0)
	}
}

// convert applies a method of lists, or one of texts that makes a list or turns the text around.
func (c *computation) convert(method, separator string, bare bool) {
	const most = 256
	text := strings.Join(c.items, "")
	switch {
	case c.list && method == "join":
		c.items, c.list = []string{strings.Join(c.items, separator)}, false
	case c.list && lex.OneOf(method, "reverse toReversed"):
		slices.Reverse(c.items)
	case c.list, len(c.items) != 1 && method != "reverse":
		c.unknown = true
	case method == "split" && bare:
		c.items, c.list = strings.Fields(text), true
	case lex.OneOf(method, "split chars"):
		c.items, c.list = strings.SplitN(text, separator, most), true
	case method == "reverse":
		runes := []rune(text)
		slices.Reverse(runes)
		c.items = []string{string(runes)}
	default:
		c.unknown = true
	}
}

// joinedBy reads the calls that make a text of their arguments or of one of them, in languages where
// these are no methods. It returns the number of tokens, 0 for any other call.
func (l *literal) joinedBy(toks []Token) (string, int) {
	name := toks[0].Text
	const joiners = "join implode paste paste0 reverse"
	if !lex.OneOf(l.lang, "perl php r") || kindAt(toks, 1) != '(' || !lex.OneOf(name, joiners) {
		return "", 0
	}
	args, end := l.arguments(toks, 0)
	n := min(end+1, len(toks))
	switch {
	case len(args) == 0, slices.ContainsFunc(callTokens(toks[1:]), func(t Token) bool { return t.Kind == '(' }):
		return l.hidden(), n
	case name == "reverse":
		c := computation{items: args}
		c.call("reverse", nil)
		return c.items[0], n
	case name == "paste":
		return strings.Join(args, " "), n
	case name == "paste0":
		return strings.Join(args, ""), n
	}
	return strings.Join(args[1:], args[0]), n
}
