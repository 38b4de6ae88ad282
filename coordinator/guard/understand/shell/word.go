package shell

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/fspath"
	"github.com/afar-sh/afar/coordinator/guard/partial"
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
	case v == "" && !quoted(w):
		return nil
	case strings.IndexByte(v, partial.SplitMark) < 0:
		return value
	}
	fields := strings.Split(v, string(partial.SplitMark))
	return slices.DeleteFunc(fields, func(field string) bool { return field == "" })
}

func quoted(w *syntax.Word) bool {
	for _, p := range w.Parts {
		switch p.(type) {
		case *syntax.SglQuoted, *syntax.DblQuoted:
			return true
		}
	}
	return false
}

// text expands a word without splitting it.
func (sh *Shell) text(w *syntax.Word) Value {
	return sh.expand(w, true).spaced()
}

// spaced replaces field marks by blanks, for a value that is used as one text.
func (v Value) spaced() Value {
	return v.each(func(s string) string { return strings.ReplaceAll(s, string(partial.SplitMark), " ") })
}

// expand returns the values of a word. If whole is set, it makes no field marks.
func (sh *Shell) expand(w *syntax.Word, whole bool) Value {
	if w == nil || len(w.Parts) == 0 {
		return Value{""}
	}
	if lit := plainLit(w); lit != "" {
		return Value{sh.tilde(lit)}
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

func (sh *Shell) parts(parts []syntax.WordPart, whole, atStart bool) Value {
	if len(parts) == 1 {
		return sh.piece(parts[0], whole, atStart)
	}
	var out growth
	for i, p := range parts {
		out.add(sh.partOfWord(p, sh.piece(p, whole, atStart && i == 0)))
		if !sh.Spend(len(out.texts) - 1) { // each alternative is a text of its own
			return Value{partial.Unknown}
		}
	}
	return out.value()
}

func (sh *Shell) piece(p syntax.WordPart, whole, atStart bool) Value {
	switch x := p.(type) {
	case *syntax.Lit:
		lit := unescape(x.Value, "")
		if atStart && strings.HasPrefix(x.Value, "~") {
			lit = sh.tilde(lit)
		}
		return Value{lit}
	case *syntax.SglQuoted:
		if x.Dollar {
			return Value{partial.Scrub(AnsiC(x.Value))}
		}
		return Value{x.Value}
	case *syntax.DblQuoted:
		return sh.double(x)
	case *syntax.ParamExp:
		return sh.param(x).marked(whole, sh.separators())
	case *syntax.CmdSubst:
		text := sh.capture(func(c *Shell) { c.stmts(x.Stmts, nil) })
		return Value{strings.TrimRight(text, "\n")}.marked(whole, sh.separators())
	case *syntax.ProcSubst:
		return Value{sh.procSubst(x)}
	case *syntax.ArithmExp:
		sh.nested(x)
		return Value{partial.Unknown}
	case *syntax.ExtGlob:
		return Value{"*"}
	case *syntax.BraceExp:
		return Value{partial.Unknown}
	}
	return Value{partial.Unknown}
}

func (sh *Shell) double(x *syntax.DblQuoted) Value {
	if len(x.Parts) == 1 {
		return sh.quotedPart(x.Parts[0], escapedInQuotes)
	}
	return sh.quotedParts(x.Parts, escapedInQuotes)
}

// document returns the text of a here-document. The text is expanded unless a part
// of the delimiter is quoted.
func (sh *Shell) document(r *syntax.Redirect) Value {
	quoted := slices.ContainsFunc(r.Word.Parts, func(p syntax.WordPart) bool {
		lit, ok := p.(*syntax.Lit)
		return !ok || strings.Contains(lit.Value, `\`)
	})
	if quoted {
		return Value{r.Hdoc.Lit()}
	}
	return sh.quotedParts(r.Hdoc.Parts, escapedInDocument).spaced()
}

// quotedParts returns the value of the parts between quotes, see unescape.
func (sh *Shell) quotedParts(parts []syntax.WordPart, special string) Value {
	out := growth{texts: make([][]byte, 1)}
	for _, p := range parts {
		out.add(sh.partOfWord(p, sh.quotedPart(p, special)))
	}
	return out.value()
}

func (sh *Shell) quotedPart(p syntax.WordPart, special string) Value {
	if lit, ok := p.(*syntax.Lit); ok {
		return Value{unescape(lit.Value, special)}
	}
	return sh.piece(p, true, false) // the elements of a list are marked already
}

// separators returns the characters that the call chose as field separators.
func (sh *Shell) separators() string {
	v, _ := sh.assigned("IFS")
	return strings.Join(v, "")
}

// marked turns the blanks of an unquoted expansion, and the separators that
// the call chose, into field marks.
func (v Value) marked(whole bool, separators string) Value {
	if whole {
		return v
	}
	marks := " \t\n" + separators
	return v.each(func(s string) string {
		if !strings.ContainsAny(s, marks) {
			return s
		}
		return strings.Map(func(r rune) rune {
			if strings.ContainsRune(marks, r) {
				return partial.SplitMark
			}
			return r
		}, s)
	})
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

func (sh *Shell) braces(w *syntax.Word) Value {
	words := sh.braceWords(w)
	return Value{strings.Join(words, string(partial.SplitMark))}
}

// braceWords returns the words of a brace expansion. If there are more than
// maxBraces, each piece occurs in at least one word, and a last word with holes
// stands for the words that are left out.
func (sh *Shell) braceWords(w *syntax.Word) []string {
	words := growth{texts: make([][]byte, 1), most: maxBraces}
	rest := growth{texts: make([][]byte, 1)}
	cut := false
	for i, p := range w.Parts {
		pieces, all := sh.bracePiece(p, i == 0)
		cut = cut || !all || len(words.texts)*len(pieces) > maxBraces
		words.add(pieces)
		sh.Spend(len(words.texts)) // each was copied
		if len(pieces) > 1 {
			pieces = Value{partial.Unknown}
		}
		rest.add(pieces)
	}
	if cut {
		return append(words.value(), rest.value()...)
	}
	return words.value()
}

// bracePiece returns the pieces that one part of a word becomes, and whether they
// are complete.
func (sh *Shell) bracePiece(p syntax.WordPart, start bool) (pieces Value, all bool) {
	b, ok := p.(*syntax.BraceExp)
	if !ok {
		return sh.piece(p, false, start), true
	}
	if b.Sequence {
		return Value{partial.Unknown}, true
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

// The characters before which a backslash is removed in double quotes and in a here-document,
// where a quote needs no backslash.
const (
	escapedInQuotes   = escapedInDocument + `"`
	escapedInDocument = "$`\\\n"
)

// unescape removes the backslashes before the characters in special, or all if it is empty. A
// line break is removed with its backslash.
func unescape(s, special string) string {
	if !strings.Contains(s, "\\") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		escaped := s[i] == '\\' && i+1 < len(s) && (special == "" || strings.IndexByte(special, s[i+1]) >= 0)
		if escaped {
			i++
		}
		if !escaped || s[i] != '\n' {
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

// AnsiC decodes the escapes of $'…'.
func AnsiC(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		i += DecodeEscape(&b, s[i:]) - 1
	}
	return b.String()
}

// DecodeEscape writes the character of the escape whose text after the backslash is at
// the start of s. It returns the length of that text.
func DecodeEscape(b *strings.Builder, s string) int {
	switch c := s[0]; c {
	case 'x', 'u', 'U':
		n := digitsIn(s[1:], "0123456789abcdefABCDEF", map[byte]int{'x': 2, 'u': 4, 'U': 8}[c])
		code, err := strconv.ParseUint(s[1:1+n], 16, 32)
		switch {
		case err != nil:
		case c == 'x':
			b.WriteByte(byte(code))
		default:
			b.WriteRune(rune(code))
		}
		return 1 + n
	case '0', '1', '2', '3', '4', '5', '6', '7':
		n := digitsIn(s, "01234567", 4)
		code, _ := strconv.ParseUint(s[:n], 8, 32)
		b.WriteByte(byte(code))
		return n
	default:
		if j := strings.IndexByte("ntrabefv", c); j >= 0 {
			c = "\n\t\r\a\b\x1b\f\v"[j]
		}
		b.WriteByte(c)
		return 1
	}
}

// digitsIn returns how many of the first bytes of a text are digits, at most most.
func digitsIn(s, digits string, most int) int {
	s = s[:min(most, len(s))]
	return len(s) - len(strings.TrimLeft(s, digits))
}

// MaxAlternatives bounds the values tracked for one variable or word.
const MaxAlternatives = 6

// Value is the list of texts that a variable may hold.
type Value []string

// join merges two values. Beyond MaxAlternatives the rest becomes one hole.
func (v Value) join(w Value) Value {
	out := append(Value{}, v...)
	for _, s := range w {
		out = out.joined(s)
	}
	return out
}

// joined adds one text in place.
func (v Value) joined(s string) Value {
	switch {
	case slices.Contains(v, s):
		return v
	case len(v) == MaxAlternatives:
		v[MaxAlternatives-1] = partial.Unknown
		return v
	}
	return append(v, s)
}

// cross appends every text of w to every text of v.
func (v Value) cross(w Value) Value {
	g := growth{}
	g.add(v)
	g.add(w)
	return g.value()
}

// growth is a value under construction. Its texts grow in place, so that the cost
// of a word with many parts is linear in its length.
type growth struct {
	texts [][]byte
	most  int // bound on the texts; 0 = maxAlternatives
}

// add appends every text of v to every text so far; beyond the bound the texts
// are paired so that each occurs at least once.
func (g *growth) add(v Value) {
	if len(v) == 0 {
		return
	}
	if g.texts == nil {
		g.texts = make([][]byte, 1, len(v))
	}
	if len(v) > 1 && len(g.texts)*len(v) <= cmp.Or(g.most, MaxAlternatives) {
		all := make([][]byte, 0, len(g.texts)*len(v))
		for _, text := range g.texts {
			for _, s := range v {
				all = append(all, append(bytes.Clone(text), s...))
			}
		}
		g.texts = all
		return
	}
	for len(g.texts) < len(v) {
		g.texts = append(g.texts, bytes.Clone(g.texts[len(g.texts)-1]))
	}
	for i := range g.texts {
		g.grow(i, v[min(i, len(v)-1)])
	}
}

// grow appends to one text. A text that is longer than any source may be becomes
// a hole.
func (g *growth) grow(i int, s string) {
	if len(g.texts[i])+len(s) > MaxSource {
		g.texts[i] = []byte(partial.Unknown)
		return
	}
	g.texts[i] = append(g.texts[i], s...)
}

func (g *growth) value() Value {
	out := make(Value, len(g.texts))
	for i, text := range g.texts {
		out[i] = string(text)
	}
	return out
}

func Glue(a, b string) string {
	if len(a)+len(b) > MaxSource {
		return partial.Unknown
	}
	return a + b
}

// QuotedFields splits a text at blanks. Quotes and backslashes keep blanks.
func QuotedFields(s string) []string {
	var out []string
	for {
		s = strings.TrimLeft(s, blanks)
		if s == "" {
			return out
		}
		field, rest, quoted := quotedField(s)
		if quoted || field != "" {
			out = append(out, field)
		}
		s = rest
	}
}

const blanks = " \t\n\x00"

// quotedField reads the field at the start of a text, and whether it has quotes.
func quotedField(s string) (field, rest string, quoted bool) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '\'', '"':
			text, _, closed := strings.Cut(s[i+1:], s[i:i+1])
			b.WriteString(text)
			if !closed {
				return b.String(), "", false
			}
			i += len(text) + 1
			quoted = true
		case '\\':
			i = min(i+1, len(s)-1)
			b.WriteByte(s[i])
		default:
			if strings.IndexByte(blanks, c) >= 0 {
				return b.String(), s[i:], quoted
			}
			b.WriteByte(c)
		}
	}
	return b.String(), "", quoted && b.Len() > 0
}
