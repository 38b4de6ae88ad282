// Package expand owns the values that a word of a shell may have, and its quotes and
// escapes. It knows texts only: what a variable holds and what a command prints is the
// caller's. No value has more than MaxAlternatives texts, and no text is longer than
// MaxSource.
package expand

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/guard/partial"
)

// MaxSource bounds one text, in bytes. What would be longer is unknown.
const MaxSource = 1 << 20

// MaxAlternatives bounds the values tracked for one variable or word.
const MaxAlternatives = 6

// Value is the list of texts that a variable may hold.
type Value []string

// Elements returns the elements of an array, up to MaxAlternatives.
func Elements(array string) (v Value) {
	for one := range strings.SplitSeq(array, string(partial.SplitMark)) {
		if v = v.joined(one); len(v) == MaxAlternatives && v[MaxAlternatives-1] == partial.Unknown {
			break
		}
	}
	return v
}

// OrSet returns the values of a variable with a default. A variable that the call does not set has
// the default, unless that is empty: an empty default says that the variable may be set elsewhere.
func (v Value) OrSet(set Value) Value {
	if len(set) == 1 && set[0] == partial.Unknown && !slices.Contains(v, "") {
		return v
	}
	return v.Join(set)
}

// Each applies f to each text. It copies the value only if a text changes.
func (v Value) Each(f func(string) string) Value {
	out, copied := v, false
	for i, s := range v {
		t := f(s)
		if t != s && !copied {
			out, copied = slices.Clone(v), true
		}
		if copied {
			out[i] = t
		}
	}
	return out
}

// Part returns the elements from an index on, which counts from the end if it is negative, and no
// more than length of them if that is a limit.
func Part[E any](s []E, from, length int, limited bool) []E {
	if from < 0 {
		from = max(0, len(s)+from)
	}
	s = s[min(from, len(s)):]
	if limited {
		s = s[:min(length, len(s))]
	}
	return s
}

// BeforeMore returns an array as it stands before further elements.
func BeforeMore(array string) string {
	if array == "" { // name=()
		return array
	}
	return array + string(partial.SplitMark)
}

// Spaced replaces field marks by blanks, for a value that is used as one text.
func (v Value) Spaced() Value {
	return v.Each(func(s string) string { return strings.ReplaceAll(s, string(partial.SplitMark), " ") })
}

// Marked turns the blanks of an unquoted expansion, and the separators that
// the call chose, into field marks.
func (v Value) Marked(whole bool, separators string) Value {
	if whole {
		return v
	}
	marks := " \t\n" + separators
	return v.Each(func(s string) string {
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

// Join merges two values. Beyond MaxAlternatives the rest becomes one hole.
func (v Value) Join(w Value) Value {
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

// Cross appends every text of w to every text of v.
func (v Value) Cross(w Value) Value {
	var g Growth
	g.Add(v)
	g.Add(w)
	return g.Value()
}

// Growth is a value under construction. Its texts grow in place, so that the cost
// of a word with many parts is linear in its length. The zero Growth has no text, and will
// have at most MaxAlternatives.
type Growth struct {
	texts [][]byte
	most  int // bound on the texts; 0 = MaxAlternatives
}

// NewGrowth returns a value that has one empty text and will have at most most texts.
func NewGrowth(most int) Growth { return Growth{texts: make([][]byte, 1), most: most} }

// Add appends every text of v to every text so far; beyond the bound the texts
// are paired so that each occurs at least once.
func (g *Growth) Add(v Value) {
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
func (g *Growth) grow(i int, s string) {
	if len(g.texts[i])+len(s) > MaxSource {
		g.texts[i] = []byte(partial.Unknown)
		return
	}
	g.texts[i] = append(g.texts[i], s...)
}

// Len returns the number of texts so far.
func (g *Growth) Len() int { return len(g.texts) }

// Value returns what has grown.
func (g *Growth) Value() Value {
	out := make(Value, len(g.texts))
	for i, text := range g.texts {
		out[i] = string(text)
	}
	return out
}

// Glue returns two texts as one.
func Glue(a, b string) string {
	if len(a)+len(b) > MaxSource {
		return partial.Unknown
	}
	return a + b
}
