package script

import (
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell"
)

// This file reads functions of a program that run a command with their own arguments, as in
// "const git = (...args) => execFileSync('git', args)".

// rememberWrapper notes the words before the parameter that the function around the call at token
// i passes to a command.
func (r *reading) rememberWrapper(i int) {
	name, parameters := r.functionAround(i)
	if name == "" {
		return
	}
	var words []string
	for _, t := range callTokens(r.toks[i+1:]) {
		switch parameter, _, _ := strings.Cut(strings.TrimLeft(t.Text, ".@$*"), "."); {
		case t.Kind == 's':
			words = append(words, strings.Fields(t.Text)...)
		case t.Kind == 'n' && parameter != "" && lex.OneOf(parameter, parameters):
			r.wrappers[name] = words
			return
		}
	}
}

// functionAround returns the name of the function whose body begins shortly before token i, and
// its parameters. The name is "" if there is none.
func (r *reading) functionAround(i int) (name, parameters string) {
	const longestHead = 24
	for j := i - 1; j >= max(0, i-longestHead); j-- {
		switch t := r.toks[j]; {
		case t.Kind == 'n' && lex.OneOf(t.Text, "def function sub func fn") && j+2 < i:
			return r.toks[j+1].Text, names(r.toks[j+2 : i])
		case t.Kind == '=' && kindAt(r.toks, j-1) == 'n' && kindAt(r.toks, j+1) != '>':
			if arrow(r.toks[j:i]) {
				return r.toks[j-1].Text, names(r.toks[j+1 : i])
			}
		}
	}
	return "", ""
}

// arrow reports whether tokens have the arrow of a function.
func arrow(toks []Token) bool {
	for i := range toks {
		if Shaped(toks, i, "=>") {
			return true
		}
	}
	return false
}

// names returns the names among tokens, without the marks of a list.
func names(toks []Token) string {
	var all []string
	for _, t := range toks {
		if t.Kind == 'n' {
			all = append(all, strings.TrimLeft(t.Text, ".@$*"))
		}
	}
	return strings.Join(all, " ")
}

// wrapped runs the command of the function that the token at i calls.
func (r *reading) wrapped(words []string, i int) {
	args, _, _ := r.arguments(r.toks, i)
	switch {
	case len(args) == 0 || lex.OneOf(textAt(r.toks, i-1), "def function sub func fn"):
	case len(words) == 0:
		runCommand(r.sh, args[0], args, true)
	case len(args) == 1: // perhaps several words, put into a template
		r.sh.RunText(strings.Join(words, " ") + " " + args[0])
	default:
		r.sh.RunText(strings.Join(words, " ") + " " + shell.QuoteAll(args))
	}
}
