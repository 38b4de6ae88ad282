package script

import (
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
)

// This file reads the calls whose value is a file that the program does not name: a folder that it makes
// for temporary files, and the files of a folder. The variable of a loop over these stands for their
// pattern. A loop over a list of texts is read once for each of these. No other loop is followed.

// madeFolder is a folder for temporary files that a program makes.
const (
	madeFolder = "/tmp/tmp" + partial.Unknown
	tempMakers = "GetTempPath MkdirTemp TempDir TemporaryDirectory createTempDirectory gettempdir makeTempDir" +
		" makeTempDirSync mkdtemp mkdtempSync mkstemp mktmpdir sys_get_temp_dir temp_dir tempdir tmpdir"
)

// A producer is a call that makes a folder or lists files, by the last part of its name or by the whole
// name. files follows the folder that is its argument; without it, the argument is a pattern.
type producer struct{ names, full, files string }

var producers = [...]producer{
	{names: tempMakers, files: madeFolder},
	{names: "listdir readdirSync readdir readDirSync readDir children each_child",
		full: "scandir Dir.entries Dir.foreach os.ReadDir", files: "*"}, // names without the folder
	{names: "glob iglob globSync Glob", full: "Dir"},
	{full: "os.walk", files: "/" + partial.Unknown},
	{full: "Find.find", files: shell.EveryFile},
	{names: "scandir entries ReadDir read_dir GetFiles", files: "/*"},
}

// produced reads a call that lists files or makes a folder for temporary files. It returns the pattern of the files or
// the folder, "" if it is not known, and the number of tokens, 0 if toks do not begin with such a call.
func (r *reading) produced(toks []Token) (string, int) {
	name, next := toks[0].Text, tokenAt(toks, 1)
	called := next.Kind == '(' || name == "Dir" && next.Kind == '['
	switch {
	case name == "glob" && next.Kind == 's': // perl
		return next.Text, 2
	case name == "readdir" && next.Kind == 'n':
		return "*", 2
	case !called && !lex.OneOf(unqualified(name), tempMakers):
		return "", 0
	}
	p := producerNamed(name)
	switch {
	case p == nil:
		return "", 0
	case !called:
		return madeFolder, 1
	}
	args := inBrackets(toks[1:])
	n := min(len(args)+3, len(toks))
	if lex.OneOf(p.files, "* "+madeFolder) {
		return p.files, n
	}
	text, ok := r.literal(args)
	switch {
	case !ok:
		return "", n
	case p.files == "":
		return text, n
	}
	return strings.TrimSuffix(text, "/") + p.files, n
}

// producerNamed returns the producer with a name, or nil.
func producerNamed(name string) *producer {
	for i := range producers {
		if p := &producers[i]; lex.OneOf(unqualified(name), p.names) || lex.OneOf(name, p.full) {
			return p
		}
	}
	return nil
}

// rememberFiles sets the variable of a loop over files, which the call at token i lists: it stands for
// their pattern, or for a file of the folder if the loop tests its name. It also sets the variable that gets a folder for temporary files.
func (r *reading) rememberFiles(i int) {
	files, name := r.filesAt(i)
	if files == "" || name == "" || strings.Contains(files, "{") {
		return
	}
	if folder, every := strings.CutSuffix(files, "*"); every {
		files = folder + r.tested(i)
	}
	r.keep(name, files)
}

// tested returns the pattern of the names that pass the test of a name near the head of a loop at token i,
// as in "if f.endswith('.pyc')": "*" without a test, and a hole for one that is not read.
func (r *reading) tested(i int) string {
	const longest = 48
	toks := r.toks[i:min(i+longest, len(r.toks))]
	test := slices.IndexFunc(toks, func(t Token) bool {
		return t.Kind == 'r' || lex.EndsWith(t.Text, "endswith endsWith end_with startswith startsWith start_with .suffix")
	})
	switch {
	case test < 0:
		return "*"
	case !tokenAt(toks, test+1).in("(?") || tokenAt(toks, test-1).in("!"),
		slices.ContainsFunc(toks, func(t Token) bool { return lex.OneOf(t.Text, "not unless continue next") }):
		return partial.Unknown
	case kindAt(toks, test+1) == '?': // ruby
		test++
	}
	switch text := textAt(toks, test+2); {
	case kindAt(toks, test+2) != 's':
		return partial.Unknown
	case strings.Contains(toks[test].Text, "tart"):
		return text + "*"
	default:
		return "*" + text
	}
}

// filesAt returns the files that the call at token i lists, and the variable of the loop over them.
func (r *reading) filesAt(i int) (files, name string) {
	if files, name = r.methodFiles(i); files != "" {
		return files, name
	}
	files, n := r.produced(r.toks[i:])
	return files, loopName(r.toks, i, max(n, 1))
}

// methodFiles returns the files of a folder that is known, and the variable of the loop over them, as in
// "for x in folder.iterdir()". The name of the method is the token at i.
func (r *reading) methodFiles(i int) (files, name string) {
	object, method, qualified := strings.Cut(r.toks[i].Text, ".")
	if !qualified && kindAt(r.toks, i-1) == '.' {
		method = object
	}
	if !lex.OneOf(method, "iterdir glob rglob") || object == "glob" && qualified {
		return "", ""
	}
	dir, pattern := r.receiver(i), textAt(r.toks, i+2)
	switch {
	case dir == "", method != "iterdir" && kindAt(r.toks, i+2) != 's':
		return "", ""
	case method == "iterdir":
		pattern = "*"
	}
	dir = strings.TrimSuffix(dir, "/") + "/"
	deep := method == "rglob" || strings.HasPrefix(pattern, "**")
	switch pattern = strings.TrimPrefix(pattern, "**/"); {
	case deep && strings.Trim(pattern, "*") == "":
		pattern = "**"
	case deep:
		dir += partial.Unknown + "/"
	}
	return dir + pattern, forVariable(r.toks, i)
}

// forVariable returns the variable of a loop "for x in" in whose head the token i is, or "".
func forVariable(toks []Token, i int) string {
	const longestHead = 32
	for j := i; j > max(i-longestHead, 1); j-- {
		if toks[j].Text == "in" && textAt(toks, j-2) == "for" {
			return toks[j-1].Text
		}
	}
	return ""
}

// mapped reads array_map("unlink", files) and map(os.remove, files): a call by its name, once for each of the files.
func (r *reading) mapped(toks []Token) {
	kind := r.callNamed(textAt(toks, 1)).kind
	if kindAt(toks, 0) != '(' || kindAt(toks, 2) != ',' || !lex.OneOf(kind, "unlink tree run") {
		return
	}
	items, _ := r.literalList(toks, min(3, len(toks)-1))
	if text, ok := r.literal(toks[3:]); ok {
		items = []string{text}
	}
	for _, item := range items {
		reportEffect(r.sh, kind, item, []string{item})
	}
}

// loopName returns the name that a loop or a block gives to each item of what the n tokens at i stand for.
func loopName(toks []Token, i, n int) string {
	names := loopNames(toks, i, n)
	if len(names) > 1 && textAt(toks, i+n) == "as" {
		return names[1] // $key => $value
	}
	return lex.First(names)
}

// loopNames returns the names that a loop or a block gives to what the n tokens at i stand for, as in
// "for x, y in …", "….each { |x, y|" and "foreach (… as $x => $y)".
func loopNames(toks []Token, i, n int) []string {
	if names := namesBefore(toks, i); len(names) > 0 {
		return names
	}
	at, method := i+n, methodAt(toks, i+n)
	if method != "" {
		at += 2
	} else if n == 1 {
		_, method, _ = strings.Cut(toks[i].Text, ".")
	}
	switch {
	case method == "filter" && kindAt(toks, at) == '(':
		return loopNames(toks, i, at-i+len(inBrackets(toks[at:]))+2)
	case textAt(toks, at) == "as":
		return namesUntil(toks, at+1, "){:;")
	case lex.OneOf(method, loopMethods), Shaped(toks, at, "{|"), textAt(toks, at) == "do":
		return blockNames(toks, at, method)
	case kindAt(toks, at) == ')' && kindAt(toks, i-1) == '(' && lex.OneOf(textAt(toks, i-2), "for foreach"): // perl
		return []string{"$_"}
	}
	return nil
}

const loopMethods = "each each_with_index flatMap forEach map"

// mostNames bounds the tokens in which a loop names what it takes.
const mostNames = 12

// namesBefore returns the variables of a loop over what stands at token i, if its head comes before that:
// for x, y in, for (const [x, y] of, for _, x := range, foreach my $x (.
func namesBefore(toks []Token, i int) (names []string) {
	if Shaped(toks, i-4, "n(n,") && toks[i-4].Text == "map" { // for x in map(Path, …
		i -= 4
	}
	j := i - 1
	for tokenAt(toks, j).in("&(") || lex.OneOf(textAt(toks, j), "Object.entries await iter list sorted") {
		j--
	}
	switch t := tokenAt(toks, j); {
	case j < 1:
		return nil
	case t.Text == "range" && kindAt(toks, j-1) == '=':
		return []string{textAt(toks, j-3)}
	case strings.HasPrefix(t.Text, "$") && lex.OneOf(toks[j-1].Text, "my for foreach our"):
		return []string{t.Text}
	case !lex.OneOf(t.Text, "in of"):
		return nil
	}
	for k := j - 1; k > max(0, j-mostNames); k-- {
		switch t := toks[k]; {
		case t.in("[](),"):
		case t.Kind != 'n', lex.OneOf(t.Text, "and async const elif for foreach if let not or var"):
			return names
		default:
			names = slices.Insert(names, 0, t.Text)
		}
	}
	return names
}

// blockNames returns the names that the block of a method gives to its items: { |x|, do |x, y|, (([x, y]) =>.
func blockNames(toks []Token, at int, method string) []string {
	end := at + 6
	for at < end && (kindAt(toks, at) != 'n' || lex.OneOf(toks[at].Text, "do async function")) {
		at++
	}
	switch before := tokenAt(toks, at-1); {
	case before.Kind == '|' && method == "each":
		return namesUntil(toks, at, "|")
	case before.Kind == '[':
		return namesUntil(toks, at, "]")
	}
	return namesUntil(toks, at, ",)|=")
}

// namesUntil returns the names from token i on up to one of some kinds.
func namesUntil(toks []Token, i int, ends string) (names []string) {
	for j := i; j < min(i+mostNames, len(toks)) && !toks[j].in(ends); j++ {
		if toks[j].Kind == 'n' {
			names = append(names, toks[j].Text)
		}
	}
	return names
}

// A literalLoop is a loop over texts that the program shows.
type literalLoop struct {
	name      string // its variable
	items     []string
	from, end int // the tokens that are read once for each of the items
}

// Bounds on the loops of a program, on the rounds of one, and on the tokens around its head that are read
// in each round.
const (
	mostLoops  = 64
	mostRounds = 8
	beforeHead = 32 // the body of a comprehension
	behindHead = 200
)

// literalLoops returns the loops of the program over lists of texts.
func (r *reading) literalLoops() (loops []literalLoop) {
	for i := 0; i < len(r.toks) && len(loops) < mostLoops; i++ {
		items, n := r.itemsAt(i)
		name := loopName(r.toks, i, n)
		if name == "" || len(items) == 0 {
			continue
		}
		loops = append(loops, literalLoop{
			name:  name,
			items: items[:min(len(items), mostRounds)],
			from:  max(0, i-beforeHead),
			end:   min(len(r.toks), i+n+behindHead),
		})
		i += n - 1
	}
	return loops
}

// itemsAt returns the texts of the list at token i, and the number of its tokens.
func (r *reading) itemsAt(i int) ([]string, int) {
	toks := r.toks
	open := listOpening(toks, i)
	if r.lang == "perl" && tokenAt(toks, open+1).in("[(") { // (qw(a b))
		open++
	}
	switch {
	case Shaped(toks, i, "s.n()") && toks[i+2].Text == "split":
		return strings.Fields(toks[i].Text), 5
	case tokenAt(toks, open).in("[({"):
		items, end := r.literalList(toks, open)
		return items, end + 1 - i
	}
	return nil, 1
}
