package script

import (
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
)

// This file reads texts and lists of texts with the methods that a program calls on them, as in
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
	case c.list:
		c.callOfList(method, first)
	default:
		c.callOfText(method, first, len(args) == 0)
	}
}

// callOfList applies a method of lists.
func (c *computation) callOfList(method, separator string) {
	switch method {
	case "join":
		c.items, c.list = []string{strings.Join(c.items, separator)}, false
	case "reverse", "toReversed":
		slices.Reverse(c.items)
	default:
		c.unknown = true
	}
}

// callOfText applies a method of texts.
func (c *computation) callOfText(method, separator string, bare bool) {
	switch {
	case lex.OneOf(method, "split chars") && len(c.items) == 1:
		c.items, c.list = splitText(c.items[0], separator, method == "split" && bare), true
	case method == "reverse":
		runes := []rune(strings.Join(c.items, ""))
		slices.Reverse(runes)
		c.items = []string{string(runes)}
	default:
		c.unknown = true
	}
}

// splitText splits a text at a separator, or at its blanks.
func splitText(text, separator string, blanks bool) []string {
	const most = 256
	if blanks {
		return strings.Fields(text)
	}
	return strings.SplitN(text, separator, most)
}

// joinedBy reads the calls that make a text of their arguments or of one of them, in languages where
// these are no methods. It returns the number of tokens, 0 for any other call.
func (l *literal) joinedBy(toks []Token) (string, int) {
	name := toks[0].Text
	const joiners = "join implode paste paste0 reverse"
	if !lex.OneOf(l.lang, "perl php r") || kindAt(toks, 1) != '(' || !lex.OneOf(name, joiners) {
		return "", 0
	}
	args, _, end := l.arguments(toks, 0)
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
