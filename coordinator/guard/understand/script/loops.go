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
	at    int // its first token
}

// mostInLoop bounds the tokens from the beginning of a loop that are read once for each
// of its texts.
const mostInLoop = 200

// literalLoops finds "for x in [literals]" and "[literals].each { |x|".
func literalLoops(toks []Token) (loops []literalLoop) {
	for i := 0; i+3 < len(toks); i++ {
		l := literalLoop{at: i}
		if files, n := listedFiles(toks[i:]); n > 0 {
			l.name, l.items = loopName(toks, i, n), []string{files}
		} else {
			l.name, l.items = loopAt(toks, i)
		}
		if l.name != "" && len(l.items) > 0 {
			loops = append(loops, l)
		}
	}
	return loops
}

// loopAt reads a loop over literals that begins at the token i: its variable and the
// literals. The name is "" if there is none.
func loopAt(toks []Token, i int) (name string, items []string) {
	if toks[i].Kind == '[' {
		items, end := literalList(toks, i)
		if lex.OneOf(textAt(toks, end+1), "each forEach map each_with_index flatMap") {
			name = nextName(toks[end+2:])
		}
		return name, items
	}
	if toks[i].Kind != 'n' || !lex.OneOf(toks[i+1].Text, "in of") || !toks[i+2].in("[(") {
		return "", nil
	}
	items, _ = literalList(toks, i+2)
	return toks[i].Text, items
}

// listedFiles reads a call that lists files. It returns the pattern of the files
// and the number of tokens of the call, 0 if toks do not begin with one.
func listedFiles(toks []Token) (string, int) {
	if !Shaped(toks, 0, "n(s") && !Shaped(toks, 0, "n[s") || len(toks) < 4 {
		return "", 0
	}
	full, name := toks[0].Text, unqualified(toks[0].Text)
	dir := strings.TrimSuffix(toks[2].Text, "/")
	switch {
	case name == "Path" && Shaped(toks, 3, ").") && len(toks) > 7:
		return pathFiles(dir, toks[5:])
	case full == "Dir", lex.OneOf(name, "glob iglob globSync"):
		return toks[2].Text, 4
	case full == "os.walk":
		return dir + "/" + partial.Unknown, 4
	case lex.OneOf(name, "listdir scandir readdirSync readdir children entries"):
		return dir + "/*", 4
	}
	return "", 0
}

// pathFiles is listedFiles for rglob, glob and iterdir of a known directory.
func pathFiles(dir string, toks []Token) (string, int) {
	const before = 5 // Path ( "dir" ) .
	name := unqualified(toks[0].Text)
	if name == "iterdir" {
		return dir + "/*", before + 3
	}
	if kindAt(toks, 2) != 's' || !lex.OneOf(name, "glob rglob") {
		return "", 0
	}
	pattern := toks[2].Text
	deep := name == "rglob" || strings.HasPrefix(pattern, "**")
	switch pattern = strings.TrimPrefix(pattern, "**/"); {
	case deep && strings.Trim(pattern, "*") == "":
		return dir + shell.EveryFile, before + 4
	case deep:
		return dir + "/" + partial.Unknown + "/" + pattern, before + 4
	}
	return dir + "/" + pattern, before + 4
}

// rememberFiles sets the variable of a loop over the files of a path that the program has
// named before, as in "for x in folder.iterdir()". The name of the method is the token at i.
func (r *reading) rememberFiles(i int) {
	module, method, qualified := strings.Cut(r.toks[i].Text, ".")
	switch {
	case !lex.OneOf(cmp.Or(method, module), "iterdir glob rglob"), module == "glob" && qualified:
		return
	case !qualified && kindAt(r.toks, i-1) != '.':
		return
	}
	dir, name := r.receiver(i), forVariable(r.toks, i)
	if dir == "" || name == "" || len(r.consts) >= maxConstants {
		return
	}
	if files, n := pathFiles(strings.TrimSuffix(dir, "/"), r.toks[i:]); n > 0 {
		r.consts[name] = files
	}
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
	if !Shaped(toks, 0, "(s,") && !Shaped(toks, 0, "(n,") {
		return
	}
	kind := r.callNamed(toks[1].Text).kind
	if text, ok := r.literal(toks[3:]); ok && lex.OneOf(kind, "unlink tree run") {
		reportEffect(r.sh, kind, text, []string{text}, false)
	}
}

// loopName returns the name that a loop gives to the files listed by the n tokens
// at i, as in "for x in glob(…)" and "glob(…).each { |x|".
func loopName(toks []Token, i, n int) string {
	if i > 1 && lex.OneOf(toks[i-1].Text, "in of") {
		j := i - 2
		for j > 1 && toks[j-1].Kind == ',' { // for root, dirs, files in os.walk(…)
			j -= 2
		}
		return toks[j].Text
	}
	if kindAt(toks, i+n) == '.' && lex.OneOf(textAt(toks, i+n+1), "each forEach map") {
		return nextName(toks[i+n+2:])
	}
	return ""
}

// literalList returns the texts of the list that opens at from, and the index of
// its end.
func literalList(toks []Token, from int) ([]string, int) {
	var items []string
	for i := from + 1; i < len(toks); i++ {
		switch toks[i].Kind {
		case 's':
			items = append(items, toks[i].Text)
		case ',':
		case ']', ')':
			if kindAt(toks, i+1) == '.' {
				i++
			}
			return items, i
		default:
			return nil, i
		}
	}
	return nil, from
}

func nextName(toks []Token) string {
	for _, t := range toks[:min(6, len(toks))] {
		if t.Kind == 'n' && !lex.OneOf(t.Text, "do async function") {
			return t.Text
		}
	}
	return ""
}

// What a program does in an endless loop that starts processes.
const (
	forkCalls  = "fork"
	startCalls = "Popen spawn posix_spawn"
	waitCalls  = "sleep usleep wait waitpid wait3 communicate break accept poll join input readline recv get"
)

// forksForever reports whether a program starts processes in an endless loop and
// waits for none.
func forksForever(toks []Token) bool {
	endless := false
	for i := range toks {
		endless = endless || toks[i].Kind == 'n' && loopsForever(toks[i:])
	}
	if !endless {
		return false
	}
	has := func(calls string) bool {
		return slices.ContainsFunc(toks, func(t Token) bool {
			return t.Kind == 'n' && (lex.OneOf(t.Text, calls) || lex.OneOf(unqualified(t.Text), calls))
		})
	}
	switch {
	case has(forkCalls):
		return true
	case has(startCalls):
		return !has(waitCalls)
	}
	return false
}

// loopsForever reports whether toks begin with a loop that does not end: loop { …,
// while True, fork while 1, for (;;).
func loopsForever(toks []Token) bool {
	switch toks[0].Text {
	case "loop":
		return true
	case "for":
		return Shaped(toks, 1, "(;;)")
	case "while":
		return lex.OneOf(nextText(toks[1:]), "1 True true fork")
	}
	return false
}
