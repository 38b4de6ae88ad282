package shell

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/fspath"
	"github.com/afar-sh/afar/coordinator/guard/partial"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell/expand"
	"github.com/afar-sh/afar/coordinator/guard/understand/shell/grammar"
	"mvdan.cc/sh/v3/syntax"
)

// fields expands a word into its arguments. If the word may have several values,
// it returns the arguments of all of them.
func (sh *Shell) fields(w *syntax.Word) []string {
	var out []string
	for _, alt := range sh.alternatives(w) {
		out = append(out, alt...)
	}
	return out
}

// alternatives expands a word into lists of arguments, one list per value.
func (sh *Shell) alternatives(w *syntax.Word) [][]string {
	values := sh.expand(w, false)
	out := make([][]string, len(values))
	for i := range values {
		out[i] = splitFields(values[i:i+1:i+1], w)
	}
	return out
}

// splitFields splits the one text of a value of w into arguments. Mostly they are the value.
func splitFields(value []string, w *syntax.Word) []string {
	v := value[0]
	switch {
	case v == "" && !grammar.Quoted(w):
		return nil
	case strings.IndexByte(v, partial.SplitMark) < 0:
		return value
	}
	fields := strings.Split(v, string(partial.SplitMark))
	return slices.DeleteFunc(fields, func(field string) bool { return field == "" })
}

// text expands a word without splitting it.
func (sh *Shell) text(w *syntax.Word) expand.Value {
	return sh.expand(w, true).Spaced()
}

// expand returns the values of a word. If whole is set, it makes no field marks.
func (sh *Shell) expand(w *syntax.Word, whole bool) expand.Value {
	if w == nil || len(w.Parts) == 0 {
		return expand.Value{""}
	}
	if lit := plainLit(w); lit != "" {
		return expand.Value{sh.tilde(lit)}
	}
	if !whole && (syntax.SplitBraces(w) || hasBraces(w)) {
		return sh.braces(w)
	}
	return sh.parts(w.Parts, whole, true)
}

// hasBraces reports whether the braces of a word were split before. That happens
// when the body of a function is evaluated again.
func hasBraces(w *syntax.Word) bool {
	return slices.ContainsFunc(w.Parts, func(p syntax.WordPart) bool {
		_, ok := p.(*syntax.BraceExp)
		return ok
	})
}

// plainLit is the fast path: a single literal without anything to expand.
func plainLit(w *syntax.Word) string {
	if len(w.Parts) != 1 {
		return ""
	}
	lit, ok := w.Parts[0].(*syntax.Lit)
	if !ok || strings.ContainsAny(lit.Value, "\\{") {
		return ""
	}
	return lit.Value
}

func (sh *Shell) tilde(lit string) string {
	if !strings.HasPrefix(lit, "~") {
		return lit
	}
	switch {
	case fspath.Within(lit, "~"):
		return sh.HomeText() + lit[1:]
	case strings.HasPrefix(lit, "~+"):
		return sh.Place.Cwd + lit[2:]
	case strings.HasPrefix(lit, "~-"):
		return cmp.Or(sh.Place.prev, partial.Unknown) + lit[2:]
	}
	name, rest, _ := strings.Cut(lit[1:], "/")
	return "/home/" + name + "/" + rest
}

func (sh *Shell) parts(parts []syntax.WordPart, whole, atStart bool) expand.Value {
	if len(parts) == 1 {
		return sh.piece(parts[0], whole, atStart)
	}
	var out expand.Growth
	for i, p := range parts {
		out.Add(sh.partOfWord(p, sh.piece(p, whole, atStart && i == 0)))
		if !sh.Spend(out.Len() - 1) { // each alternative is a text of its own
			return expand.Value{partial.Unknown}
		}
	}
	return out.Value()
}

func (sh *Shell) piece(p syntax.WordPart, whole, atStart bool) expand.Value {
	switch x := p.(type) {
	case *syntax.Lit:
		lit := expand.Unescape(x.Value, "")
		if atStart && strings.HasPrefix(x.Value, "~") {
			lit = sh.tilde(lit)
		}
		return expand.Value{lit}
	case *syntax.SglQuoted:
		if x.Dollar {
			return expand.Value{partial.Scrub(expand.AnsiC(x.Value))}
		}
		return expand.Value{x.Value}
	case *syntax.DblQuoted:
		return sh.double(x)
	case *syntax.ParamExp:
		return sh.param(x).Marked(whole, sh.separators())
	case *syntax.CmdSubst:
		text := sh.capture(func(c *Shell) { c.stmts(x.Stmts, nil) })
		return expand.Value{strings.TrimRight(text, "\n")}.Marked(whole, sh.separators())
	case *syntax.ProcSubst:
		return expand.Value{sh.procSubst(x)}
	case *syntax.ArithmExp:
		sh.nested(x)
		return expand.Value{partial.Unknown}
	case *syntax.ExtGlob:
		return expand.Value{"*"}
	case *syntax.BraceExp:
		return expand.Value{partial.Unknown}
	}
	return expand.Value{partial.Unknown}
}

func (sh *Shell) double(x *syntax.DblQuoted) expand.Value {
	if len(x.Parts) == 1 {
		return sh.quotedPart(x.Parts[0], expand.InQuotes)
	}
	return sh.quotedParts(x.Parts, expand.InQuotes)
}

// document returns the text of a here-document. The text is expanded unless a part
// of the delimiter is quoted.
func (sh *Shell) document(r *syntax.Redirect) expand.Value {
	quoted := slices.ContainsFunc(r.Word.Parts, func(p syntax.WordPart) bool {
		lit, ok := p.(*syntax.Lit)
		return !ok || strings.Contains(lit.Value, `\`)
	})
	if quoted {
		return expand.Value{r.Hdoc.Lit()}
	}
	return sh.quotedParts(r.Hdoc.Parts, expand.InDocument).Spaced()
}

// quotedParts returns the value of the parts between quotes, see unescape.
func (sh *Shell) quotedParts(parts []syntax.WordPart, special string) expand.Value {
	out := expand.NewGrowth(expand.MaxAlternatives)
	for _, p := range parts {
		out.Add(sh.partOfWord(p, sh.quotedPart(p, special)))
	}
	return out.Value()
}

func (sh *Shell) quotedPart(p syntax.WordPart, special string) expand.Value {
	if lit, ok := p.(*syntax.Lit); ok {
		return expand.Value{expand.Unescape(lit.Value, special)}
	}
	return sh.piece(p, true, false) // the elements of a list are marked already
}

// separators returns the characters that the call chose as field separators.
func (sh *Shell) separators() string {
	v, _ := sh.assigned("IFS")
	return strings.Join(v, "")
}

func (sh *Shell) procSubst(x *syntax.ProcSubst) string {
	var empty string
	text := sh.capture(func(c *Shell) { c.stmts(x.Stmts, &empty) })
	name := "/dev/fd/" + strconv.Itoa(63+len(sh.Files))
	sh.Remember(name, text)
	if x.Op == syntax.CmdOut {
		putFew(&sh.Eval.outlets, name, outlet{src: sh.Src, stmts: x.Stmts})
	}
	return name
}

// maxBraces bounds the words that one brace expansion gives.
const maxBraces = 64

func (sh *Shell) braces(w *syntax.Word) expand.Value {
	words := sh.braceWords(w)
	return expand.Value{strings.Join(words, string(partial.SplitMark))}
}

// braceWords returns the words of a brace expansion. If there are more than
// maxBraces, each piece occurs in at least one word, and a last word with holes
// stands for the words that are left out.
func (sh *Shell) braceWords(w *syntax.Word) []string {
	words := expand.NewGrowth(maxBraces)
	rest := expand.NewGrowth(expand.MaxAlternatives)
	cut := false
	for i, p := range w.Parts {
		pieces, all := sh.bracePiece(p, i == 0)
		cut = cut || !all || words.Len()*len(pieces) > maxBraces
		words.Add(pieces)
		sh.Spend(words.Len()) // each was copied
		if len(pieces) > 1 {
			pieces = expand.Value{partial.Unknown}
		}
		rest.Add(pieces)
	}
	if cut {
		return append(words.Value(), rest.Value()...)
	}
	return words.Value()
}

// bracePiece returns the pieces that one part of a word becomes, and whether they
// are complete.
func (sh *Shell) bracePiece(p syntax.WordPart, start bool) (pieces expand.Value, all bool) {
	b, ok := p.(*syntax.BraceExp)
	if !ok {
		return sh.piece(p, false, start), true
	}
	if b.Sequence {
		return expand.Value{partial.Unknown}, true
	}
	for _, el := range b.Elems {
		if len(pieces) >= maxBraces {
			return pieces[:maxBraces], false
		}
		pieces = append(pieces, sh.braceElem(el)...)
	}
	return pieces[:min(len(pieces), maxBraces)], len(pieces) <= maxBraces
}

func (sh *Shell) braceElem(el *syntax.Word) []string {
	switch {
	case len(el.Parts) == 0:
		return []string{""}
	case hasBraces(el):
		return sh.braceWords(el)
	}
	return sh.parts(el.Parts, false, true)
}
