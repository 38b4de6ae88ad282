package guard

import (
	"bytes"
	"cmp"
	"strings"
)

// Text that is not known in full carries a hole for each unknown run. The hole
// survives concatenation, re-parsing and every table look-up, so that no code
// has to carry a second value for "how sure".
const (
	hole        = '\x01' // any text
	holeNetwork = '\x02' // text fetched from the network
	holeDecoded = '\x03' // text that was encoded, ciphered or compressed
	holeBenign  = '\x04' // output of a program made for eval (ssh-agent, direnv)
	holeSecret  = '\x05' // content of a credential
	holeKey     = '\x06' // a variable that is named like a secret
	splitMark   = '\x1f' // a blank that separates fields
)

const (
	unknown        = string(hole)
	unknownNetwork = string(holeNetwork)
	unknownDecoded = string(holeDecoded)
	unknownBenign  = string(holeBenign)
	unknownSecret  = string(holeSecret)
	unknownKey     = string(holeKey)
	holes          = "\x01\x02\x03\x04\x05\x06"
)

// maxAlternatives bounds the values tracked for one variable or word.
const maxAlternatives = 6

// value is the list of texts that a variable may hold.
type value []string

func hasHole(s string) bool { return strings.ContainsAny(s, holes) }

func certainty(s string) Certainty {
	if hasHole(s) {
		return Possible
	}
	return Known
}

// join merges two values; beyond the bound the rest is one hole.
func (v value) join(w value) value {
	out := append(value{}, v...)
	for _, s := range w {
		out = out.joined(s)
	}
	return out
}

// joined adds one text in place.
func (v value) joined(s string) value {
	switch {
	case containsString(v, s):
		return v
	case len(v) == maxAlternatives:
		v[maxAlternatives-1] = unknown
		return v
	}
	return append(v, s)
}

// cross appends every text of w to every text of v.
func (v value) cross(w value) value {
	g := growth{}
	g.add(v)
	g.add(w)
	return g.value()
}

// growth is a value under construction. Its texts grow in place, so that a
// word of many parts costs what it is long.
type growth struct {
	texts [][]byte
	most  int // bound on the texts; 0 = maxAlternatives
}

// add appends every text of v to every text so far; beyond the bound the texts
// are paired so that each occurs at least once.
func (g *growth) add(v value) {
	if len(v) == 0 {
		return
	}
	if g.texts == nil {
		g.texts = make([][]byte, 1, len(v))
	}
	if len(v) > 1 && len(g.texts)*len(v) <= cmp.Or(g.most, maxAlternatives) {
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

func (g *growth) multiply(v value) {
	all := make([][]byte, 0, len(g.texts)*len(v))
	for _, text := range g.texts {
		for _, s := range v {
			all = append(all, append(bytes.Clone(text), s...))
		}
	}
	g.texts = all
}

// grow appends to one text. What is longer than any source may be is not
// followed.
func (g *growth) grow(i int, s string) {
	if len(g.texts[i])+len(s) > maxSource {
		g.texts[i] = []byte(unknown)
		return
	}
	g.texts[i] = append(g.texts[i], s...)
}

func (g *growth) value() value {
	out := make(value, len(g.texts))
	for i, text := range g.texts {
		out[i] = string(text)
	}
	return out
}

func glue(a, b string) string {
	if len(a)+len(b) > maxSource {
		return unknown
	}
	return a + b
}

func containsString(list []string, s string) bool {
	for _, t := range list {
		if t == s {
			return true
		}
	}
	return false
}

// scrub removes our own marks from outside text so that nobody forges them.
func scrub(s string) string {
	if !strings.ContainsAny(s, "\x00\x01\x02\x03\x04\x05\x06\x1f") {
		return s
	}
	return strings.Map(func(r rune) rune {
		if r <= holeKey || r == splitMark {
			return -1
		}
		return r
	}, s)
}

// visible renders holes for people.
func visible(s string) string {
	if !hasHole(s) {
		return s
	}
	return strings.Map(func(r rune) rune {
		if r >= hole && r <= holeKey {
			return '…'
		}
		return r
	}, s)
}

// oneOf is true if s is one of the blank-separated words of list.
func oneOf(s string, list string) bool {
	if s == "" {
		return false
	}
	for from := 0; ; {
		i := strings.Index(list[from:], s)
		if i < 0 {
			return false
		}
		i += from
		end := i + len(s)
		if (i == 0 || list[i-1] == ' ') && (end == len(list) || list[end] == ' ') && strings.IndexByte(s, ' ') < 0 {
			return true
		}
		from = i + 1
	}
}

func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return s[:n]
}
