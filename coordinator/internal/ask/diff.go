package ask

import (
	"fmt"
	"strings"
)

// The bounds of a diff. Past maxCells, what differs is shown as replaced whole.
const (
	around   = 2       // lines that stay the same, shown beside a change
	maxCells = 1 << 22 // lines compared with lines
)

// diff shows line by line what becomes of old: removed lines behind a -, added
// ones behind a +, and of what stays the same the lines around.
func diff(old, new string) string {
	a, b := split(old), split(new)
	var out []string
	same := func(lines []string, first, last bool) {
		out = append(out, context(lines, first, last)...)
	}
	start := 0
	for start < len(a) && start < len(b) && a[start] == b[start] {
		start++
	}
	end := 0
	for end < len(a)-start && end < len(b)-start && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	same(a[:start], true, false)
	middle(a[start:len(a)-end], b[start:len(b)-end], same, func(mark, line string) { out = append(out, mark+" "+line) })
	same(a[len(a)-end:], false, true)
	if text := lastBreak(old, new); text != "" {
		out = append(out, text)
	}
	return strings.Join(out, "\n")
}

// split returns the lines of a text; the break behind the last is none of its own.
func split(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// context shows lines that stay the same: those that border on a change.
func context(lines []string, first, last bool) (out []string) {
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
	for _, line := range lines[:head] {
		out = append(out, "  "+line)
	}
	if left > 0 {
		out = append(out, fmt.Sprintf("  … %d lines stay the same …", left))
	}
	for _, line := range lines[len(lines)-tail:] {
		out = append(out, "  "+line)
	}
	return out
}

// middle compares what is left between the first and the last difference, by
// the longest common subsequence of its lines.
func middle(a, b []string, same func(lines []string, first, last bool), put func(mark, line string)) {
	if len(a)*len(b) > maxCells {
		for _, line := range a {
			put("-", line)
		}
		a = nil
	}
	common := lengths(a, b)
	for i, j := 0, 0; i < len(a) || j < len(b); {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			from := i
			for i < len(a) && j < len(b) && a[i] == b[j] {
				i, j = i+1, j+1
			}
			same(a[from:i], false, false)
		case j == len(b) || i < len(a) && common[i+1][j] >= common[i][j+1]:
			put("-", a[i])
			i++
		default:
			put("+", b[j])
			j++
		}
	}
}

// lengths holds, for each place in a and in b, how many lines their rests have
// in common.
func lengths(a, b []string) [][]int32 {
	out := make([][]int32, len(a)+1)
	for i := range out {
		out[i] = make([]int32, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
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
