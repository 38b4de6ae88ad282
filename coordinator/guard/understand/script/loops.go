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
		if rows := r.rowLoops(i, open); rows != nil {
			loops = append(loops, rows...)
			continue
		}
		if files := r.foundBelow(i); len(files) > 0 {
			loops = append(loops, literalLoop{"$_", files, i}, literalLoop{"$File::Find::name", files, i})
			continue
		}
		items, n := r.itemsAt(i)
		name := loopName(toks, i, n)
		if files, each, length := r.filesAt(i); files != "" {
			items, name, n = alternatives(files), each, length
		}
		for _, name := range walked(toks, i) {
			r.lists[name] = []string{"*"}
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

// foundBelow returns the files that the call of File::Find at token i visits.
func (r *reading) foundBelow(i int) (files []string) {
	if r.lang != "perl" || !lex.OneOf(unqualified(r.toks[i].Text), "find finddepth") || kindAt(r.toks, i+1) != '(' {
		return nil
	}
	for args := inBrackets(r.toks[i+1:]); len(args) > 0; args = args[1:] {
		switch t := args[0]; {
		case t.in("{["):
			args = args[len(inBrackets(args)):]
		case t.Kind == 's':
			files = append(files, r.narrowed(strings.TrimSuffix(t.Text, "/")+shell.EveryFile, "$_", i))
		}
	}
	return files
}

// walked returns the names of the lists of folders and files in a loop over os.walk at token i.
func walked(toks []Token, i int) (names []string) {
	if toks[i].Text != "os.walk" || textAt(toks, i-1) != "in" {
		return nil
	}
	for j := i - 2; Shaped(toks, j-1, ",n"); j -= 2 {
		names = append(names, toks[j].Text)
	}
	return names
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

// produced reads a call that lists files or makes a folder for temporary files. It returns the
// pattern of the files or the folder, "" if it is not known, and the number of tokens, 0 if
// toks do not begin with such a call.
func (r *reading) produced(toks []Token) (string, int) {
	name := toks[0].Text
	temp := lex.OneOf(unqualified(name), tempMakers)
	switch {
	case name == "glob" && kindAt(toks, 1) == 's': // perl
		return toks[1].Text, 2
	case name == "readdir" && kindAt(toks, 1) == 'n':
		return "*", 2
	case temp && kindAt(toks, 1) != '(':
		return madeFolder, 1
	case kindAt(toks, 1) != '(' && (name != "Dir" || kindAt(toks, 1) != '['), !temp && !lists(name):
		return "", 0
	}
	n := min(len(inBrackets(toks[1:]))+3, len(toks))
	switch {
	case temp:
		return madeFolder, n
	case lex.OneOf(unqualified(name), nameListers), lex.OneOf(name, "scandir Dir.entries Dir.foreach os.ReadDir"):
		return "*", n // names without the folder
	}
	text, ok := r.literal(toks[2 : n-1])
	if !ok {
		return "", n
	}
	return listing(name, text), n
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

// madeFolder is a folder for temporary files that a program makes.
const (
	madeFolder = "/tmp/tmp" + partial.Unknown
	tempMakers = "mkdtemp mkdtempSync mktmpdir MkdirTemp gettempdir TemporaryDirectory tmpdir TempDir temp_dir tempdir " +
		"makeTempDir makeTempDirSync sys_get_temp_dir createTempDirectory GetTempPath mkstemp"
)

// lists reports whether a call lists files.
func lists(full string) bool {
	return lex.OneOf(full, "Dir os.walk Dir.foreach Find.find") ||
		lex.OneOf(unqualified(full), fileListers)
}

const (
	fileListers = "glob iglob globSync Glob scandir entries ReadDir read_dir GetFiles " + nameListers
	nameListers = "listdir readdirSync readdir readDirSync readDir children each_child"
)

// listing returns the pattern of the files that a call lists.
func listing(full, arg string) string {
	dir := strings.TrimSuffix(arg, "/")
	switch {
	case full == "Dir", lex.OneOf(unqualified(full), "glob iglob globSync Glob"):
		return arg
	case full == "os.walk":
		return dir + "/" + partial.Unknown
	case full == "Find.find":
		return dir + shell.EveryFile
	}
	return dir + "/*"
}

// pathFiles reads a call of rglob, glob or iterdir of a known directory.
func pathFiles(dir string, toks []Token) (string, int) {
	name := unqualified(toks[0].Text)
	if name == "iterdir" {
		return dir + "/*", 3
	}
	if kindAt(toks, 2) != 's' || !lex.OneOf(name, "glob rglob") {
		return "", 0
	}
	pattern := toks[2].Text
	deep := name == "rglob" || strings.HasPrefix(pattern, "**")
	switch pattern = strings.TrimPrefix(pattern, "**/"); {
	case deep && strings.Trim(pattern, "*") == "":
		return dir + shell.EveryFile, 4
	case deep:
		return dir + "/" + partial.Unknown + "/" + pattern, 4
	}
	return dir + "/" + pattern, 4
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

// methodFiles returns the files of a path that the program has named before, and the variable of the loop
// over them, as in "for x in folder.iterdir()". The name of the method is the token at i.
func (r *reading) methodFiles(i int) (files, name string) {
	module, method, qualified := strings.Cut(r.toks[i].Text, ".")
	switch {
	case !lex.OneOf(cmp.Or(method, module), "iterdir glob rglob"), module == "glob" && qualified:
		return "", ""
	case !qualified && kindAt(r.toks, i-1) != '.':
		return "", ""
	}
	dir, name := r.receiver(i), forVariable(r.toks, i)
	if dir == "" {
		return "", ""
	}
	files, _ = pathFiles(strings.TrimSuffix(dir, "/"), r.toks[i:])
	return files, name
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

// mapped reads array_map("unlink", files) and map(os.remove, files): a call by its name,
// once for each of the files.
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
		reportEffect(r.sh, kind, item, []string{item}, false)
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

// literalList returns the texts of the list that opens at from, and the index of its end. An item
// that is a list is the command with its words.
func (r *reading) literalList(toks []Token, from int) (items []string, end int) {
	return listOf(toks, from, r.item)
}

// listOf reads the list that opens at from. item returns the text of an item and the number of its
// tokens, 0 if it is not known.
func listOf(toks []Token, from int, item func(toks []Token) (string, int)) (items []string, end int) {
	for i := from + 1; i < min(len(toks), from+maxListed); {
		if toks[i].in("])}") {
			return items, i
		}
		text, n := item(toks[i:])
		if n == 0 {
			return nil, i
		}
		if toks[i].Kind != ',' {
			items = append(items, text)
		}
		i += n
	}
	return nil, from
}

// item reads the item of a list, or the comma between two. Lists below a list in a list are not
// read: the command of a command would be quoted again at each level.
func (r *reading) item(toks []Token) (string, int) {
	if !toks[0].in("[(") {
		return r.word(toks)
	}
	words, end := listOf(toks, 0, r.word)
	return shell.QuoteAll(words), joinedTokens(words, end+1)
}

// word reads the text of an item, or the comma between two. An expression in an expression of an
// item is not read: it would be read again at each level.
func (r *reading) word(toks []Token) (string, int) {
	switch t := toks[0]; {
	case t.in("s,"):
		return t.Text, 1
	case t.Kind == 'n' && !r.inItem:
		r.inItem = true
		text, n, known := r.literalLength(toks)
		r.inItem = false
		if known {
			return text, closed(toks, n)
		}
	}
	return "", 0
}

// closed returns n with the brackets that close those which the first n tokens open.
func closed(toks []Token, n int) int {
	depth := 0
	for i := 0; i < len(toks) && (i < n || depth > 0); i++ {
		switch {
		case toks[i].in("(["):
			depth++
		case toks[i].in(")]"):
			depth--
		case i >= n:
			return n
		}
		n = max(n, i+1)
	}
	return n
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

// loopsForever reports whether toks begin with a loop that does not end: loop { …,
// while True, fork while 1, for (;;).
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
