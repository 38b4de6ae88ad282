package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/afar-sh/afar/coordinator/guard/lex"
	"github.com/afar-sh/afar/coordinator/guard/partial"
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
	var p plainly
	switch {
	case len(text) > maxGranted, text != partial.Scrub(text), tooNested(text):
		return nil, false
	}
	file, err := syntax.NewParser().Parse(strings.NewReader(text), "")
	if err != nil || !p.stmts(file.Stmts) {
		return nil, false
	}
	return p.commands, len(p.commands) > 0
}

// plainly collects the commands of a text that has only plain words. Its methods
// return false for anything else.
type plainly struct{ commands [][]string }

func (p *plainly) stmts(list []*syntax.Stmt) bool {
	return !slices.ContainsFunc(list, func(st *syntax.Stmt) bool { return !p.stmt(st) })
}

func (p *plainly) stmt(st *syntax.Stmt) bool {
	switch {
	case st.Background, st.Coprocess, st.Negated, len(p.commands) > MaxPlain, !plainRedirects(st.Redirs):
		return false
	}
	switch c := st.Cmd.(type) {
	case *syntax.CallExpr:
		return p.call(c)
	case *syntax.BinaryCmd:
		return p.stmt(c.X) && p.stmt(c.Y)
	}
	return false
}

// plainRedirects accepts redirections between descriptors, and to or from /dev/null.
func plainRedirects(list []*syntax.Redirect) bool {
	return !slices.ContainsFunc(list, func(r *syntax.Redirect) bool {
		word, _ := plainWord(r.Word)
		switch r.Op {
		case syntax.DplOut:
			return !lex.OneOf(word, "1 2")
		case syntax.RdrOut, syntax.AppOut, syntax.RdrAll, syntax.RdrIn:
			return word != "/dev/null"
		}
		return true
	})
}

func (p *plainly) call(c *syntax.CallExpr) bool {
	if len(c.Assigns) > 0 {
		return false
	}
	var argv []string
	for _, w := range c.Args {
		word, ok := plainWord(w)
		if !ok {
			return false
		}
		argv = append(argv, word)
	}
	p.commands = append(p.commands, argv)
	return len(argv) > 0
}

// plainWord returns the text of a word that every shell takes literally.
func plainWord(w *syntax.Word) (string, bool) {
	if w == nil {
		return "", false
	}
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
		return plainQuoted(x)
	}
	return "", false
}

func plainQuoted(q *syntax.DblQuoted) (string, bool) {
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
