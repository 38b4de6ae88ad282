package ask

import (
	"fmt"
	"strings"

	"github.com/afar-sh/afar/coordinator/internal/secret"
)

// The bounds of a diff. Past maxCells, what differs is shown as replaced whole.
const (
	around   = 2       // lines that stay the same, shown beside a change
	maxCells = 1 << 22 // lines compared with lines
)

// A line is compared as it is, and shown masked: two secrets differ.
type line struct {
	text string
	key  bool // of a private key
}

// shown is the line for people.
func (l line) shown() string {
	if l.key {
		return secret.Hidden
	}
	return keep(l.text)
}

// A row is one line of a diff behind its mark.
type row struct {
	mark string
	line
}

// diff shows line by line what becomes of old: removed lines behind a -, added
// ones behind a +, and of what stays the same the lines around. It is masked,
// and what is too long for that is left out.
func diff(old, new string) string {
	a, b := split(old), split(new)
	start := 0
	for start < len(a) && start < len(b) && a[start].text == b[start].text {
		start++
	}
	end := 0
	for end < len(a)-start && end < len(b)-start && a[len(a)-1-end].text == b[len(b)-1-end].text {
		end++
	}
	rows := context(a[:start], true, false)
	rows = append(rows, middle(a[start:len(a)-end], b[start:len(b)-end])...)
	rows = append(rows, context(a[len(a)-end:], false, true)...)
	out := maskRows(rows)
	if text := lastBreak(old, new); text != "" {
		out = append(out, text)
	}
	return strings.Join(out, "\n")
}

// maskRows masks rows. Of more than can be kept, the middle is left out first:
// masking is slow.
func maskRows(rows []row) (out []string) {
	total := 0
	for _, r := range rows {
		total += len(r.text)
	}
	head, tail, left := keepText*2/3, keepText/4, 0
	if total <= 2*maskText {
		head = total
	}
	for at, i := 0, 0; i < len(rows); i++ {
		at += len(rows[i].text)
		switch {
		case at <= head || at >= total-tail:
			if left > 0 {
				out = append(out, fmt.Sprintf("… %d of %d bytes left out …", left, total))
				left = 0
			}
			out = append(out, rows[i].mark+rows[i].shown())
		default:
			left += len(rows[i].text)
		}
	}
	return out
}

// split returns the lines of a text; the break behind the last is none of its own.
func split(text string) []line {
	if text == "" {
		return nil
	}
	texts := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	out := make([]line, len(texts))
	for i, key := range secret.KeyLines(texts) {
		out[i] = line{texts[i], key}
	}
	return out
}

// context shows lines that stay the same: those that border on a change.
func context(lines []line, first, last bool) (out []row) {
	head, tail := min(around, len(lines)), min(around, len(lines))
	if first {
		head = 0
	}
	if last {
		tail = 0
	}
	left := len(lines) - head - tail
	if left <= 1 {
		head, tail, left = len(lines), 0, 0
	}
	for _, l := range lines[:head] {
		out = append(out, row{"  ", l})
	}
	if left > 0 {
		out = append(out, row{"  ", line{text: fmt.Sprintf("… %d lines stay the same …", left)}})
	}
	for _, l := range lines[len(lines)-tail:] {
		out = append(out, row{"  ", l})
	}
	return out
}

// middle compares what is left between the first and the last difference, by
// the longest common subsequence of its lines.
func middle(a, b []line) (out []row) {
	if len(a)*len(b) > maxCells {
		for _, l := range a {
			out = append(out, row{"- ", l})
		}
		a = nil
	}
	common := lengths(a, b)
	for i, j := 0, 0; i < len(a) || j < len(b); {
		switch {
		case i < len(a) && j < len(b) && a[i].text == b[j].text:
			from := i
			for i < len(a) && j < len(b) && a[i].text == b[j].text {
				i, j = i+1, j+1
			}
			out = append(out, context(a[from:i], false, false)...)
		case j == len(b) || i < len(a) && common[i+1][j] >= common[i][j+1]:
			out = append(out, row{"- ", a[i]})
			i++
		default:
			out = append(out, row{"+ ", b[j]})
			j++
		}
	}
	return out
}

// lengths holds, for each place in a and in b, how many lines their rests have
// in common.
func lengths(a, b []line) [][]int32 {
	out := make([][]int32, len(a)+1)
	for i := range out {
		out[i] = make([]int32, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i].text == b[j].text {
				out[i][j] = out[i+1][j+1] + 1
			} else {
				out[i][j] = max(out[i+1][j], out[i][j+1])
			}
		}
	}
	return out
}

// lastBreak says what becomes of the line break at the end, which no line shows.
func lastBreak(old, new string) string {
	had, has := strings.HasSuffix(old, "\n"), strings.HasSuffix(new, "\n")
	switch {
	case old == "" || new == "" || had == has:
		return ""
	case had:
		return "(the line break at the end goes)"
	}
	return "(a line break is added at the end)"
}
