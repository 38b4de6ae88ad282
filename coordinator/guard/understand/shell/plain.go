package shell

import (
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
	if text != partial.Scrub(text) || len(text) > maxGranted || tooNested(text) {
		return nil, false
	}
	file, err := syntax.NewParser().Parse(strings.NewReader(text), "")
	if err != nil || !p.stmts(file.Stmts) || len(p.commands) == 0 {
		return nil, false
	}
	return p.commands, true
}

// plainly collects the commands of a text that has only plain words. Its methods
// return false for anything else.
type plainly struct{ commands [][]string }

func (p *plainly) stmts(list []*syntax.Stmt) bool {
	for _, st := range list {
		if !p.stmt(st) {
			return false
		}
	}
	return true
}

func (p *plainly) stmt(st *syntax.Stmt) bool {
	if st.Background || st.Coprocess || st.Negated || len(p.commands) > MaxPlain || !p.redirects(st.Redirs) {
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

// redirects accepts redirections between descriptors, and to or from /dev/null.
func (p *plainly) redirects(list []*syntax.Redirect) bool {
	for _, r := range list {
		word, ok := plainWord(r.Word)
		descriptor := r.Op == syntax.DplOut && lex.OneOf(word, "1 2")
		nothing := lex.OneOf(word, "/dev/null") &&
			(r.Op == syntax.RdrOut || r.Op == syntax.AppOut || r.Op == syntax.RdrAll || r.Op == syntax.RdrIn)
		if !ok || !descriptor && !nothing {
			return false
		}
	}
	return true
}

func (p *plainly) call(c *syntax.CallExpr) bool {
	if len(c.Assigns) > 0 || len(c.Args) == 0 {
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
	return true
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
		risky := strings.ContainsAny(x.Value, "\\*?[]{}$`!") || lex.Mentions(x.Value, "=~ :~")
		return x.Value, !risky && !(first && x.Value != "" && strings.IndexByte("~=", x.Value[0]) >= 0)
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
