package grammar

import (
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"mvdan.cc/sh/v3/syntax"
)

// maxGranted bounds the text of a command that a standing permission may cover.
// The person must read a longer one.
const maxGranted = 16 << 10

// MaxPlain bounds the commands of a plain text.
const MaxPlain = 32

// Plain returns the argument lists of the commands of a text, in order. It returns
// false unless each of their words is known exactly, and nothing is substituted,
// assigned or redirected to a file.
func Plain(text string) ([][]string, bool) {
	switch {
	case len(text) > maxGranted, text != partial.Scrub(text), tooNested(text, maxGranted):
		return nil, false
	}
	file, err := syntax.NewParser().Parse(strings.NewReader(text), "")
	if err != nil {
		return nil, false
	}
	var commands [][]string
	plain := true
	syntax.Walk(file, func(n syntax.Node) bool {
		fits, inside := true, true // whether the node is plain, and what lies in it has to be looked at
		switch x := n.(type) {
		case nil, *syntax.File, *syntax.Comment, *syntax.BinaryCmd:
		case *syntax.Stmt:
			fits = plainStmt(x) && len(commands) <= MaxPlain
		case *syntax.Redirect:
			fits, inside = plainRedirect(x), false
		case *syntax.CallExpr:
			fits = len(x.Assigns) == 0
			commands = append(commands, nil)
		case *syntax.Word:
			var word string
			word, fits = plainWord(x)
			last := len(commands) - 1
			commands[last] = append(commands[last], word)
			inside = false
		default:
			fits = false
		}
		plain = plain && fits
		return plain && inside
	})
	if !plain {
		return nil, false
	}
	return commands, len(commands) > 0
}

// plainStmt reports whether a statement is a command that runs by itself in the foreground.
func plainStmt(st *syntax.Stmt) bool {
	switch {
	case st.Cmd == nil, st.Background, st.Coprocess, st.Negated:
		return false
	}
	return true
}

// plainRedirect accepts a redirection between descriptors, and one to or from /dev/null.
func plainRedirect(r *syntax.Redirect) bool {
	word, _ := plainWord(r.Word)
	switch r.Op {
	case syntax.DplOut:
		return lex.OneOf(word, "1 2")
	case syntax.RdrOut, syntax.AppOut, syntax.RdrAll, syntax.RdrIn:
		return word == "/dev/null"
	}
	return false
}

// plainWord returns the text of a word that every shell takes literally.
func plainWord(w *syntax.Word) (string, bool) {
	var b strings.Builder
	for i, part := range w.Parts {
		text, ok := plainPart(part, i == 0)
		if !ok {
			return "", false
		}
		b.WriteString(text)
	}
	return b.String(), true
}

func plainPart(part syntax.WordPart, first bool) (string, bool) {
	switch x := part.(type) {
	case *syntax.Lit:
		switch {
		case strings.ContainsAny(x.Value, "\\*?[]{}$`!"),
			lex.Mentions(x.Value, "=~ :~"),
			first && lex.BeginsWith(x.Value, "~ ="):
			return "", false
		}
		return x.Value, true
	case *syntax.SglQuoted:
		return x.Value, !x.Dollar
	case *syntax.DblQuoted:
		return PlainQuoted(x)
	}
	return "", false
}

// PlainQuoted returns the text of a word in double quotes that every shell takes literally.
func PlainQuoted(q *syntax.DblQuoted) (string, bool) {
	var b strings.Builder
	for _, part := range q.Parts {
		lit, ok := part.(*syntax.Lit)
		if !ok || strings.ContainsAny(lit.Value, "\\`$") {
			return "", false
		}
		b.WriteString(lit.Value)
	}
	return b.String(), !q.Dollar
}
