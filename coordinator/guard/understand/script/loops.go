package script

import (
	"cmp"
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
)

// A literalLoop is a loop over texts that the program shows.
type literalLoop struct {
	name  string // its variable
	items []string
	at    int // the first token that is read once for each of the items
}

// none is the index of no token.
const none = -1

// mostInLoop bounds the tokens from the beginning of a loop that are read once for each of its texts.
const mostInLoop = 200

// literalLoops finds the loops over lists of texts, also those that have a name.
func (r *reading) literalLoops() (loops []literalLoop) {
	toks, opens := r.toks, map[string]int{}
	defer func(consts map[string]string, lists map[string][]string) {
		r.consts, r.lists = consts, lists
	}(r.consts, r.lists)
	r.consts, r.lists = map[string]string{}, map[string][]string{}
	for i := 0; i < len(toks); i++ {
		open := i
		if toks[i].Kind == 'n' {
			open = cmp.Or(opens[objectOf(toks[i].Text)], none)
		}
		if found := append(r.rowLoops(i, open), r.foundBelow(i)...); found != nil {
			loops = append(loops, found...)
			continue
		}
		items, n := r.itemsAt(i)
		name := loopName(toks, i, n)
		if files, each, length := r.filesAt(i); files != "" {
			items, name, n = alternatives(files), each, length
		}
		if toks[i].Text == "os.walk" {
			for _, list := range loopNames(toks, i, n) {
				r.lists[list] = []string{"*"}
			}
		}
		if name != "" && len(items) > 0 {
			if len(items) == 1 {
				items = []string{r.narrowed(items[0], name, i)}
			}
			loops = append(loops, literalLoop{name, items, r.loopStart(i)})
			i += n - 1
			continue
		}
		if toks[i].Kind != 'n' || len(r.lists) >= maxConstants {
			continue
		}
		if from, appends := r.assigned(i); from > 0 {
			r.lists[toks[i].Text], _ = r.itemsAt(from)
			opens[toks[i].Text] = listOpening(toks, from)
			r.rememberText(toks[i].Text, toks[from:], appends)
		}
	}
	return loops
}

// rowLoops returns the loops over the rows of the list or the object that opens at a token, if each row
// gets several names: for a, b in [("x", "y")], for (const [a, b] of Object.entries(o)),
// {"x" => "y"}.each { |a, b|. The expression for it begins at token i.
func (r *reading) rowLoops(i, open int) (loops []literalLoop) {
	if !tokenAt(r.toks, open).in("[({") {
		return nil
	}
	n := 1
	if i == open {
		n = len(inBrackets(r.toks[i:])) + 2
	}
	names := loopNames(r.toks, i, n)
	if len(names) < 2 {
		return nil
	}
	values := arguments{reading: r, fresh: true, every: true}
	values.read(r.toks, open, maxListed)
	for k, name := range names {
		var items []string
		for v := k; v < len(values.args); v += len(names) {
			items = append(items, values.args[v])
		}
		if len(items) > 0 {
			loops = append(loops, literalLoop{name, items, r.loopStart(i)})
		}
	}
	return loops
}

// foundBelow returns the loops over the files that the call of File::Find at token i visits.
func (r *reading) foundBelow(i int) []literalLoop {
	if r.lang != "perl" || !lex.OneOf(unqualified(r.toks[i].Text), "find finddepth") || kindAt(r.toks, i+1) != '(' {
		return nil
	}
	var files []string
	for args := inBrackets(r.toks[i+1:]); len(args) > 0; args = args[1:] {
		switch t := args[0]; {
		case t.in("{["):
			args = args[len(inBrackets(args)):]
		case t.Kind == 's':
			files = append(files, r.narrowed(strings.TrimSuffix(t.Text, "/")+shell.EveryFile, "$_", i))
		}
	}
	if len(files) == 0 {
		return nil
	}
	return []literalLoop{{"$_", files, i}, {"$File::Find::name", files, i}}
}

// loopStart returns the first token of the loop over what stands at token i. The body of a
// comprehension, as in [f(x) for x in …], stands before its head.
func (r *reading) loopStart(i int) int {
	const longestHead, longestBody = 8, 32
	for head := i - 1; head > max(0, i-longestHead); head-- {
		before := r.toks[head-1]
		if r.toks[head].Text == "for" && !before.in(":;{}") && r.sameLine(before, r.toks[head]) {
			return max(0, head-longestBody)
		}
	}
	return i
}

// objectOf returns the name of the object in the name of a method.
func objectOf(name string) string {
	object, _, _ := strings.Cut(name, ".")
	return object
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
	case toks[i].Kind == 'n':
		return r.lists[objectOf(toks[i].Text)], 1
	}
	return nil, 1
}

// madeFolder is a folder for temporary files that a program makes.
const (
	madeFolder = "/tmp/tmp" + partial.Unknown
	tempMakers = "mkdtemp mkdtempSync mktmpdir MkdirTemp gettempdir TemporaryDirectory tmpdir TempDir temp_dir " +
		"tempdir makeTempDir makeTempDirSync sys_get_temp_dir createTempDirectory GetTempPath mkstemp"
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

// alternatives returns the patterns for which a pattern with braces stands.
func alternatives(pattern string) (all []string) {
	before, rest, _ := strings.Cut(pattern, "{")
	inner, after, closed := strings.Cut(rest, "}")
	if !closed {
		return []string{pattern}
	}
	for _, item := range strings.Split(inner, ",") {
		all = append(all, before+item+after)
	}
	return all
}

// rememberFiles sets the variable of a loop over files: those that the call at token i lists, and those
// for which the name at token i stands. It also sets the variable that gets a folder for temporary files.
func (r *reading) rememberFiles(i int) {
	files, name, _ := r.filesAt(i)
	files = cmp.Or(files, r.filesOf(r.toks[i].Text))
	if files != "" && name != "" && !strings.Contains(files, "{") {
		r.keep(name, r.narrowed(files, name, i))
	}
}

// filesAt returns the files that the call at token i lists, the variable of the loop over them, and the
// number of its tokens. Without such a call, the variable is that of a loop over the name at the token.
func (r *reading) filesAt(i int) (files, name string, n int) {
	if files, name = r.methodFiles(i); files != "" {
		return files, name, 1
	}
	files, n = r.produced(r.toks[i:])
	return files, loopName(r.toks, i, max(n, 1)), n
}

// filesOf returns the files for which a name stands: those of a pattern, or those that a parameter of
// the function that is read may be. It returns "" for any other name.
func (r *reading) filesOf(name string) string {
	text := r.consts[name]
	switch {
	case strings.Contains(text, "*"), lex.OneOf(name, r.bound):
		return text
	}
	return ""
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

const loopMethods = "each forEach map each_with_index flatMap"

// mostNames bounds the tokens in which a loop names what it takes.
const mostNames = 12

// namesBefore returns the variables of a loop over what stands at token i, if its head comes before that:
// for x, y in, for (const [x, y] of, for _, x := range, foreach my $x (.
func namesBefore(toks []Token, i int) (names []string) {
	if Shaped(toks, i-4, "n(n,") && toks[i-4].Text == "map" { // for x in map(Path, …
		i -= 4
	}
	j := i - 1
	for tokenAt(toks, j).in("&(") || lex.OneOf(textAt(toks, j), "await Object.entries sorted list iter") {
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
		case t.Kind != 'n', lex.OneOf(t.Text, "for foreach const let var async if elif not and or"):
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

// waitCalls are the calls with which an endless loop waits for the processes that it starts.
const waitCalls = "sleep usleep wait waitpid wait3 communicate break accept poll join input readline recv get"

// forksForever reports whether a program starts processes in an endless loop and waits for none.
func forksForever(toks []Token) bool {
	endless := false
	for i := range toks {
		endless = endless || loopsForever(toks[i:])
	}
	if !endless {
		return false
	}
	has := func(calls string) bool {
		return slices.ContainsFunc(toks, func(t Token) bool { return t.calls(calls) })
	}
	switch {
	case has("fork"):
		return true
	case has(waitCalls):
		return false
	}
	return has("Popen spawn posix_spawn")
}

// loopsForever reports whether toks begin with a loop that does not end: loop { …, while True, fork while 1, for (;;).
func loopsForever(toks []Token) bool {
	if toks[0].Kind != 'n' {
		return false
	}
	switch toks[0].Text {
	case "loop":
		return true
	case "for":
		return Shaped(toks, 1, "(;;)")
	case "while":
		return lex.OneOf(textAt(given(toks[1:]), 0), "1 True true fork")
	}
	return false
}

// A loop over files mostly looks at their names: if f.endswith(".pyc"), if f == "x.tmp". Only the
// files with such a name count then.

// longestTest bounds the tokens from the head of a loop in which a test of its variable is looked for.
const longestTest = 48

// narrowed returns the pattern of the files that a loop takes whose head is at token i: those of
// the pattern whose names pass the first test of the loop's variable.
func (r *reading) narrowed(files, name string, i int) string {
	end, every := strings.CutSuffix(files, shell.EveryFile)
	if every {
		end += "/" + partial.Unknown + "/"
	} else if end, every = strings.CutSuffix(files, "*"); !every {
		return files
	}
	for j := i; j < min(i+longestTest, len(r.toks)); j++ {
		wanted, n := nameTest(r.toks, j, name)
		if n == 0 {
			continue
		}
		if negated(r.toks, j) != skips(r.toks, j+n) {
			return files
		}
		return end + wanted
	}
	return files
}

// nameTest reads a test of the name for which a variable stands. It returns the pattern of the
// names that pass, and the number of tokens, 0 if none begins at the i-th.
func nameTest(toks []Token, i int, variable string) (string, int) {
	t := toks[i]
	if t.Kind == 'r' {
		return expressionTest(toks, i, variable)
	}
	object, method, _ := strings.Cut(t.Text, ".")
	if object != variable || t.Kind != 'n' {
		return "", 0
	}
	method = strings.TrimPrefix(method, "name.")
	at := i + 1
	for tokenAt(toks, at).in("?([{=") || textAt(toks, at) == "in" {
		at++
	}
	text := textAt(toks, at)
	switch compares := Shaped(toks, i+1, "==") || textAt(toks, i+1) == "in"; {
	case kindAt(toks, at) != 's':
	case lex.OneOf(method, "endswith endsWith end_with"), compares && method == "suffix":
		return "*" + text, at - i
	case lex.OneOf(method, "startswith startsWith start_with"):
		return text + "*", at - i
	case !compares:
	case method == "", method == "name":
		return text, at - i
	}
	return "", 0
}

// expressionTest is nameTest for a regular expression: /\.md$/.test(x), and /\.md$/ of Perl.
func expressionTest(toks []Token, i int, variable string) (string, int) {
	end, ok := strings.CutPrefix(toks[i].Text, `/\.`)
	name, _, closed := strings.Cut(end, "$/")
	plain := strings.Trim(strings.ToLower(name), "abcdefghijklmnopqrstuvwxyz0123456789") == ""
	switch {
	case !ok, !closed, !plain:
		return "", 0
	case variable == "$_":
		return "*." + name, 1
	case Shaped(toks, i+1, ".n(n)") && textAt(toks, i+4) == variable:
		return "*." + name, 5
	}
	return "", 0
}

// negated reports whether the test at token i holds for the names that do not pass.
func negated(toks []Token, i int) bool {
	return kindAt(toks, i-1) == '!' || lex.OneOf(textAt(toks, i-1), "not unless")
}

// skips reports whether the condition that ends near token i leads to the next round of the loop.
func skips(toks []Token, i int) bool {
	for j := i; j < i+10; j++ {
		switch t := tokenAt(toks, j); {
		case lex.OneOf(t.Text, "continue next"):
			return true
		case t.Kind == 'n':
			return false
		}
	}
	return false
}
