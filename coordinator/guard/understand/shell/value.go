package shell

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/afar-sh/afar/coordinator/guard/partial"
)

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
		g.multiply(v)
		return
	}
	for len(g.texts) < len(v) {
		g.texts = append(g.texts, bytes.Clone(g.texts[len(g.texts)-1]))
	}
	for i := range g.texts {
		g.grow(i, v[min(i, len(v)-1)])
	}
}

func (g *growth) multiply(v Value) {
	all := make([][]byte, 0, len(g.texts)*len(v))
	for _, text := range g.texts {
		for _, s := range v {
			all = append(all, append(bytes.Clone(text), s...))
		}
	}
	g.texts = all
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
