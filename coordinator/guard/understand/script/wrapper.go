package script

import (
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
)

// This file reads functions of a program that run a command with their own arguments, as in
// "const git = (...args) => execFileSync('git', args)".

// rememberWrapper notes the words before the parameter that the function around the call at token
// i passes to a command.
func (r *reading) rememberWrapper(i int) {
	f := r.functionAround(i)
	if f == nil {
		return
	}
	var words []string
	for _, t := range callTokens(r.toks[i+1:]) {
		switch parameter, _, _ := strings.Cut(strings.TrimLeft(t.Text, ".@$*"), "."); {
		case t.Kind == 's':
			words = append(words, strings.Fields(t.Text)...)
		case t.Kind == 'n' && slices.Contains(f.params, parameter):
			f.wraps, f.words = true, words
			return
		}
	}
}

// functionAround returns the innermost function whose body begins shortly before token i, or nil.
func (r *reading) functionAround(i int) (around *function) {
	const longestHead = 24
	for _, f := range r.functions {
		holds := f.from <= i && i < min(f.end, f.from+longestHead)
		if holds && (around == nil || around.from < f.from) {
			around = f
		}
	}
	return around
}

// wrapped runs the command of the function that the token at i calls.
func (r *reading) wrapped(words []string, i int) {
	args, _, _ := r.arguments(r.toks, i)
	switch {
	case len(args) == 0, lex.OneOf(textAt(r.toks, i-1), definers):
	case len(words) == 0:
		runCommand(r.sh, args[0], args, true)
	case len(args) == 1: // perhaps several words, put into a template
		r.sh.RunText(strings.Join(words, " ") + " " + args[0])
	default:
		r.sh.RunText(strings.Join(words, " ") + " " + shell.QuoteAll(args))
	}
}
