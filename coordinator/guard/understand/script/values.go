package script

import (
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell/expand"
)

// This file reads what the statements of a program give to names: texts, and lists of texts.

// assigned returns the first token of what a statement gives to the name at token i, and whether the name keeps what it
// has: x = …, x += …, x := …, x: T = …, var x T = … and, in Go, x, err := …. It returns 0 for any other name.
func (r *reading) assigned(i int) (from int, appends bool) {
	toks, j := r.toks, i+1
	switch {
	case tokenAt(toks, j).in("+."): // Perl and PHP append with a dot
		appends = true
		j++
	case r.lang == "go" && Shaped(toks, j, ",n") && kindAt(toks, i-1) != ',':
		j += 2
	case r.lang == "go" && lex.OneOf(textAt(toks, i-1), "var const"):
		j++
	}
	if kindAt(toks, j) == ':' && !lex.OneOf(textAt(toks, i-1), "and elif if in is not or while") {
		j = afterType(toks, j+1)
	}
	if kindAt(toks, j) != '=' || j+1 >= len(toks) {
		return 0, false
	}
	return j + 1, appends
}

// afterType returns the index of the first token from i on that is not part of a type.
func afterType(toks []Token, i int) int {
	const longestType = 12
	for j := i; j < i+longestType; j++ {
		if !tokenAt(toks, j).in("n[]|<>,&?") {
			return j
		}
	}
	return i
}

// maxConstants bounds the texts and the lists that are kept, and maxItems the texts of a list.
const (
	maxConstants = 256
	maxItems     = 64
)

// keep stores a text under a name, if there is room.
func (r *reading) keep(name, text string) {
	if len(r.consts) < maxConstants {
		r.consts[name] = text
	}
}

// remember stores the text or the list that is assigned to the name at token i.
func (r *reading) remember(i int) {
	name := r.toks[i].Text
	r.rememberNamed(i)
	from, appends := r.assigned(i)
	if from == 0 || len(r.consts)+len(r.lists) >= maxConstants {
		return
	}
	toks := r.toks[from:]
	defer func() { r.rememberBrought(name, r.expression(from)) }()
	r.rememberService(name, from)
	if items, ok := r.list(from); ok {
		if toks[0].Text == "append" && textAt(toks, 2) == name {
			items, appends = items[min(len(items), len(r.lists[name])):], true
		}
		r.setList(name, items, i, appends)
	} else {
		r.rememberText(name, toks, appends)
	}
}

// rememberText stores the text of an expression under a name.
func (r *reading) rememberText(name string, toks []Token, appends bool) {
	if v, ok := r.literal(toks); ok {
		if appends {
			v = expand.Glue(r.consts[name], v)
		}
		r.consts[name] = r.sh.Afford(v)
	}
	switch {
	case toks[0].Kind == '~' && lex.OneOf(textAt(toks, 1), "tr y") && !r.sh.InProgram(): // perl: $x =~ tr/a/b/
		r.consts[name] = partial.UnknownDecoded
	case decodedValue(toks):
		r.consts[name] = partial.UnknownDecoded
	case lex.OneOf(unqualified(toks[0].Text), serializers) && sendsEnvironment(toks[1:]):
		r.consts[name] = partial.UnknownSecret
	case r.fromSocket(toks):
		r.consts[name] = partial.UnknownNetwork
	}
}

// serializers are calls that make a text of all that they get.
const serializers = "Marshal b64encode dumps generate http_build_query inspect json_encode repr str stringify" +
	" to_json urlencode"

// list reads the list that begins at a token: ["a", b], []string{"a"}, ("a", "b"), %w[a b] and append(list, "c").
func (r *reading) list(from int) ([]string, bool) {
	i := listOpening(r.toks, from)
	switch {
	case r.toks[from].Text == "append":
	case kindAt(r.toks, i) == '(' && !hasComma(r.toks[i:]), !tokenAt(r.toks, i).in("[({"):
		return nil, false
	}
	a := arguments{reading: r, fresh: true}
	end := a.read(r.toks, i, maxListed)
	return a.args, len(a.args) > 0 && !lex.BeginsWith(textAt(r.toks, end+2), "join")
}

// maxListed bounds the tokens of a list that are read.
const maxListed = 256

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
	if len(words) == 0 {
		return "", 0
	}
	return shell.QuoteAll(words), end + 1
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

// listOpening returns the index of the bracket that opens the list at a token.
func listOpening(toks []Token, from int) int {
	switch {
	case Shaped(toks, from, "[]n{"):
		return from + 3
	case lex.OneOf(textAt(toks, from), listMakers):
		return from + 1
	}
	return from
}

// listMakers are the names before the items of a list.
const listMakers = "Arrays.asList List.of Set.of append array arrayOf list listOf new set sorted tuple vec vec!"

// hasComma reports whether a comma stands directly in the brackets that open at the first of toks.
func hasComma(toks []Token) bool {
	args := callTokens(toks)
	return len(firstPart(args)) < len(args)
}

// extend adds the arguments of the call at token i to a list: x.append("a"), x.push("a"), push @x, "a". Of a list
// that is not known, the last text counts in Perl.
func (r *reading) extend(i int) {
	name, at := r.toks[i].Text, i
	dot := strings.LastIndexByte(name, '.')
	switch list := textAt(r.toks, i+1); {
	case lex.OneOf(name, "push unshift") && strings.HasPrefix(list, "@"):
		name, at = list, i+2
	case dot > 0 && lex.OneOf(name[dot+1:], "add append concat extend push"):
		name = name[:dot]
	default:
		return
	}
	switch items, _ := r.arguments(r.toks, at); {
	case r.lists[name] != nil:
		r.setList(name, items, i, true)
	case at > i && len(items) > 0:
		r.keep(name, items[0])
	}
}

// setList gives a list to a name at token i. What is added only under a condition does not
// count if it is an option: the program is not parsed, so nothing says whether it is added.
func (r *reading) setList(name string, items []string, i int, adds bool) {
	if adds && r.conditional(i) {
		items = slices.DeleteFunc(items, func(item string) bool { return strings.HasPrefix(item, "-") })
	}
	if adds {
		items = append(slices.Clip(r.lists[name]), items...)
	}
	r.lists[name] = items[:min(len(items), maxItems)]
}

// conditional reports whether the statement at token i probably is the body of a condition.
func (r *reading) conditional(i int) bool {
	before := tokenAt(r.toks, i-1)
	switch before.Kind {
	case ':', '{':
		return true
	case ')':
		return !strings.Contains(r.text[before.At:r.toks[i].At], "\n")
	}
	return false
}
