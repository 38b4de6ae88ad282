package script

import (
	"cmp"
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/effect"
	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell/expand"
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
		if text, n := l.methods(toks[i:]); n > 0 {
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
	l.text = expand.Glue(l.text, text)
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
	sameText = "absolute as_path as_posix clone expanduser expect resolve strip toString to_s to_string trim unwrap" +
		" unwrap_or_default value"
)

// sameList are calls that return some of the items of their first argument, or all.
const sameList = "array_filter array_reverse array_slice array_values iter list reversed sorted"

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
		v = expand.Value{sh.Unset(toks[2].Text)}
	}
	return lex.First(v), 4
}

// methods reads a text or a list of texts with the methods that the program calls on it, as in
// ["r", "m"].join(""). It returns the number of tokens, 0 if no method is called. What other methods
// than join make of a text is not known.
func (l *literal) methods(toks []Token) (text string, n int) {
	items, method, n := l.receiverTexts(toks)
	if n == 0 || lex.OneOf(l.lang, "php perl") { // there, a dot adds texts
		return "", 0
	}
	first, known := n, true
	if n == 1 && kindAt(toks, 1) == '[' { // a part of the text
		known = false
		n += len(inBrackets(toks[1:])) + 2
	}
	for method != "" || Shaped(toks, n, ".n") && !lex.OneOf(toks[n+1].Text, "format write") {
		if method == "" {
			method = toks[n+1].Text
			n += 2
		}
		args, end := callTokens(toks[n:]), n
		if kindAt(toks, n) == '(' {
			end += len(args) + 2
		}
		switch {
		case method == "split" && len(args) == 0 && !Shaped(toks, end, ".n"): // the words of the text
		case method == "join":
			items = []string{strings.Join(items, textAt(args, 0))}
		case !lex.OneOf(method, sameText) && !lex.OneOf(method, "chomp dedent encode flat freeze trimEnd trimStart"):
			known = false
		}
		method, n = "", end
	}
	switch {
	case n == first && toks[0].Kind != 'n':
		return "", 0
	case known:
		return strings.Join(items, " "), min(n, len(toks))
	}
	return l.hidden(), min(n, len(toks))
}

// receiverTexts returns the texts at the first of toks on which a method is called, and the number of
// their tokens, 0 if they are not known. method is the one in the name that stands for them, "" if none is.
func (r *reading) receiverTexts(toks []Token) (items []string, method string, n int) {
	const longest = 48
	const computing = "chars concat downcase gsub lower replace replaceAll reverse slice split toLowerCase" +
		" toReversed"
	switch t := toks[0]; t.Kind {
	case 's':
		return []string{t.Text}, "", 1
	case '[', '(':
		n = len(inBrackets(toks[:min(longest, len(toks))])) + 2
		if items, _ = r.literalList(toks, 0); len(items) == 0 || !Shaped(toks, n, ".n") {
			return nil, "", 0
		}
		return items, "", n
	case 'n':
		object, method, _ := strings.Cut(t.Text, ".")
		text, list := r.consts[object], r.lists[object]
		switch {
		case list != nil && method == "join":
			return list, method, 1
		case !unreadable(text) && lex.OneOf(method, computing):
			return []string{text}, method, 1
		}
	}
	return nil, "", 0
}

// hidden returns the hole for a text that is computed in a way that is not read. As the name of a
// program on the command line it is meant to hide what runs.
func (l *literal) hidden() string {
	if strings.Contains(l.text, " ") || l.sh.InProgram() {
		return partial.Unknown
	}
	return partial.UnknownDecoded
}

// joinedBy reads the calls that make a text of their arguments or of one of them, in languages where
// these are no methods. It returns the number of tokens, 0 for any other call.
func (l *literal) joinedBy(toks []Token) (string, int) {
	name := toks[0].Text
	const joiners = "join implode paste paste0"
	if !lex.OneOf(l.lang, "perl php r") || kindAt(toks, 1) != '(' || !lex.OneOf(name, joiners) {
		return "", 0
	}
	args, end := l.arguments(toks, 0)
	n := min(end+1, len(toks))
	switch {
	case len(args) == 0, slices.ContainsFunc(callTokens(toks[1:]), func(t Token) bool { return t.Kind == '(' }):
		return l.hidden(), n
	case name == "paste":
		return strings.Join(args, " "), n
	case name == "paste0":
		return strings.Join(args, ""), n
	}
	return strings.Join(args[1:], args[0]), n
}
