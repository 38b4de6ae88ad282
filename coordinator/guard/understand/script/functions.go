package script

import (
	"maps"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/lex"
)

// A function that a program defines does to the texts that it is called with what its body does to
// its parameters. The body is read again for each call.

// A function is the parameters and the body of a function of the program.
type function struct {
	params    []string
	from, end int // the tokens of its body
	running   bool
	wraps     bool     // it runs a command with its own arguments
	words     []string // the first words of that
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
		if name == "" || kindAt(rest, 0) != '(' && !Shaped(rest, 0, "n=>") {
			continue
		}
		seen++
		if f := r.functionAt(i, len(r.toks)-len(rest)); f.end > f.from && len(f.params) > 0 {
			r.functions[name] = f
		}
	}
}

// functionAt reads a function that is defined at token i and whose parameters open at token at.
func (r *reading) functionAt(i, at int) *function {
	f := &function{}
	head := r.toks[at : at+1] // x => {
	if kindAt(r.toks, at) == '(' {
		head = inBrackets(r.toks[at:])
	}
	for j, t := range head {
		name := strings.TrimLeft(t.Text, ".*&")
		if t.Kind == 'n' && tokenAt(head, j-1).in(",*&.\x00") && !lex.OneOf(name, "self cls this") {
			f.params = append(f.params, name)
		}
	}
	f.from = at + len(head) + 2
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

// callsOwn reads the body of a function of the program for the call at token i. It returns false for
// any other call, and for that of a function which starts a command.
func (r *reading) callsOwn(i int) bool {
	receiver, name, method := strings.Cut(r.toks[i].Text, ".")
	if !method {
		name = receiver
	}
	f := r.functions[name]
	switch {
	case f == nil, f.wraps, f.running, r.called >= mostCalled,
		method && lex.OneOf(receiver, libraries),
		kindAt(r.toks, i+1) != '(', lex.OneOf(textAt(r.toks, i-1), definers):
		return false
	}
	args, _, _ := r.arguments(r.toks, i)
	last := len(f.params) - 1
	for k := last; k < len(args); k++ {
		r.called++
		r.runsFunction(f, append(args[:last:last], args[k]))
	}
	return len(args) > last
}

// runsFunction reads the body of a function with values of its parameters.
func (r *reading) runsFunction(f *function, args []string) {
	end := min(f.end, f.from+mostInLoop)
	if !r.sh.Spend(end - f.from) {
		return
	}
	consts, bound := r.consts, r.bound
	r.consts, r.bound = maps.Clone(consts), strings.Join(f.params, " ")
	for k, name := range f.params {
		r.consts[name] = args[k]
	}
	f.running = true
	r.tokens(f.from, end)
	f.running = false
	r.consts, r.bound = consts, bound
}
