package script

import (
	"maps"
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/lex"
)

// A function that a program defines does to the texts that it is called with what its body does to
// its parameters. The body is read again for each call.

// A function is the parameters and the body of a function of a program, or of a module that it imports.
type function struct {
	in        *reading
	params    []string
	from, end int // the tokens of its body
	running   bool
}

// mostCalled bounds the calls for which a body is read again.
const mostCalled = 32

// defineFunctions notes the functions of the program.
func (r *reading) defineFunctions() {
	seen := 0
	for i := 0; i+3 < len(r.toks) && seen < mostDefined; i++ {
		if r.toks[i].Kind != 'n' {
			continue
		}
		name, rest := functionNamed(r.toks[i:])
		if name == "" {
			continue
		}
		seen++
		if f := r.functionAt(i, len(r.toks)-len(rest)); f.end > f.from && len(f.params) > 0 {
			r.functions[name] = f
		}
	}
}

// functionAt reads a function that is defined at token i and whose parameters begin at token at.
func (r *reading) functionAt(i, at int) *function {
	f := &function{in: r, from: at}
	var head []Token
	switch {
	case kindAt(r.toks, at) == '(':
		head = inBrackets(r.toks[at:])
		f.from += len(head) + 2
	case Shaped(r.toks, at, "n=>"), textAt(r.toks, at-1) == "lambda":
		head = r.toks[at : at+max(0, slices.IndexFunc(r.toks[at:], func(t Token) bool { return t.in("=:") }))]
		f.from += len(head) + 1
	case r.lang == "perl":
		f.params = []string{"@_"}
	default:
		return f
	}
	f.readParameters(head)
	const longestType = 8
	for j := f.from; j < f.from+longestType && kindAt(r.toks, j) != '('; j++ {
		if kindAt(r.toks, j) == '{' {
			f.from = j + 1
			f.end = f.from + len(inBrackets(r.toks[j:]))
			return f
		}
	}
	f.end = r.indentedEnd(i, f.from)
	return f
}

// readParameters reads the parameters between the brackets of a definition, up to one that takes all other arguments.
func (f *function) readParameters(head []Token) {
	for j, t := range head {
		before := j - 1
		for kindAt(head, before) == '.' {
			before--
		}
		name := strings.TrimLeft(t.Text, ".*&")
		if t.Kind != 'n' || !tokenAt(head, before).in(",*&\x00") || lex.OneOf(name, "self cls this") {
			continue
		}
		f.params = append(f.params, name)
		stars := kindAt(head, j-1) == '*' && lex.OneOf(f.in.lang, "python ruby")
		if stars || before < j-1 || kindAt(head, j+1) == '.' {
			return
		}
	}
}

// indentedEnd returns the end of the body that begins at token from, of a definition at token i: the
// first token of a line that does not stand further to the right.
func (r *reading) indentedEnd(i, from int) int {
	depth := r.column(r.toks[i])
	for j := from; j < min(len(r.toks), from+mostInLoop); j++ {
		if !r.sameLine(r.toks[j-1], Token{Kind: 'n', At: r.toks[j].At}) && r.column(r.toks[j]) <= depth {
			return j
		}
	}
	return min(len(r.toks), from+mostInLoop)
}

// column returns how far the line of a token stands to the right.
func (r *reading) column(t Token) int {
	return lex.Indent(r.text[strings.LastIndexByte(r.text[:t.At], '\n')+1:])
}

// callsOwn reads the body of a function of the program for the call at token i. It returns false for any other call.
// The last parameter that gets a value gets each of the arguments left, or the list that they are.
func (r *reading) callsOwn(i int) bool {
	receiver, name, method := strings.Cut(r.toks[i].Text, ".")
	if !method {
		name = receiver
	}
	f := r.functions[name]
	switch {
	case f == nil, f.running, r.called >= mostCalled,
		method && lex.OneOf(receiver, libraries),
		!r.hasArguments(r.toks[i+1:]), lex.OneOf(textAt(r.toks, i-1), definers):
		return false
	}
	args, _ := r.arguments(r.toks, i)
	if len(args) == 0 {
		return false
	}
	last := min(len(f.params), len(args)) - 1
	call := callTokens(r.toks[i+1:])
	if list := slices.IndexFunc(call, func(t Token) bool { return t.Kind == '[' }); list >= 0 {
		last = min(last, commas(call[:list]))
	}
	for k := last; k < len(args); k++ {
		r.called++
		f.run(args[:last], args[k], args[last:])
	}
	return true
}

// commas returns the number of commas in tokens.
func commas(toks []Token) (n int) {
	for _, t := range toks {
		if t.Kind == ',' {
			n++
		}
	}
	return n
}

// run reads the body of a function with values of its parameters. The last one is a text, or the list of several ones.
func (f *function) run(args []string, last string, all []string) {
	r, end := f.in, min(f.end, f.from+mostInLoop)
	if !r.sh.Spend(end - f.from) {
		return
	}
	consts, lists, bound := r.consts, r.lists, r.bound
	r.consts, r.lists, r.bound = maps.Clone(consts), maps.Clone(lists), strings.Join(f.params, " ")
	for k, arg := range args {
		r.consts[f.params[k]] = arg
	}
	name := f.params[len(args)]
	r.consts[name] = last
	if len(all) > 1 {
		r.lists[name] = all
	}
	if name == "@_" {
		r.consts["$_"] = last // a part of it: $_[0]
	}
	f.running = true
	r.tokens(f.from, end)
	f.running = false
	r.consts, r.lists, r.bound = consts, lists, bound
}
