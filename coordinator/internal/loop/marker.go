package loop

import "strings"

// The words of a marker.
const (
	complete = "COMPLETE"
	gaveUp   = "STUCK"
	usedUp   = "MAX_ITERATIONS"
)

// marker finds the session's own verdict in its message, "" if none: the last
// <loop-done>WORD</loop-done> that stands alone on its line. One that is only
// shown does not count: in a fence, closed or not, in inline code, or indented
// as code. Text around it does not matter.
func marker(message string) string {
	message = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(message)
	word, fence := "", ""
	var paragraph []string
	flush := func() {
		if w := spokenIn(paragraph); w != "" {
			word = w
		}
		paragraph = paragraph[:0]
	}
	for l := range strings.SplitSeq(message, "\n") {
		switch {
		case fence != "":
			if closes(l, fence) {
				fence = ""
			}
		case opens(l) != "":
			flush()
			fence = opens(l)
		case strings.TrimSpace(l) == "":
			flush()
		default:
			paragraph = append(paragraph, l)
		}
	}
	flush()
	return word
}

// spokenIn returns the word of the last marker of a paragraph. A paragraph is as
// far as inline code reaches.
func spokenIn(lines []string) string {
	words := make([]string, len(lines))
	found := false
	for i, l := range lines {
		words[i] = markerWord(l)
		found = found || words[i] != ""
	}
	if !found {
		return ""
	}
	code := codeLines(lines)
	for i := len(words) - 1; i >= 0; i-- {
		if words[i] != "" && !code[i] {
			return words[i]
		}
	}
	return ""
}

// codeLines tells for each line whether it begins within inline code. A run of
// backticks opens code only if a run of the same length follows.
func codeLines(lines []string) []bool {
	runs := backticks(lines)
	closer := make([]int, len(runs))
	next := map[int]int{}
	for i := len(runs) - 1; i >= 0; i-- {
		closer[i] = next[runs[i].size]
		next[runs[i].size] = i
	}
	code := make([]bool, len(lines))
	for i := 0; i < len(runs); i++ {
		// Index 0 is never a closer, so it can stand for "none".
		if closer[i] == 0 {
			continue
		}
		for l := runs[i].line + 1; l <= runs[closer[i]].line; l++ {
			code[l] = true
		}
		i = closer[i]
	}
	return code
}

type run struct{ line, size int }

func backticks(lines []string) []run {
	var runs []run
	for n, l := range lines {
		for i := strings.IndexByte(l, '`'); i >= 0; i = strings.IndexByte(l, '`') {
			size := leading(l[i:], '`')
			runs = append(runs, run{n, size})
			l = l[i+size:]
		}
	}
	return runs
}

func markerWord(l string) string {
	l, shallow := unindent(l)
	if !shallow {
		return ""
	}
	l, opened := strings.CutPrefix(strings.TrimRight(l, " \t"), "<loop-done>")
	l, closed := strings.CutSuffix(l, "</loop-done>")
	if !opened || !closed || l != complete && l != gaveUp && l != usedUp {
		return ""
	}
	return l
}

// opens returns the fence that a line opens, "" if none.
func opens(l string) string {
	l, shallow := unindent(l)
	if !shallow || l == "" || l[0] != '`' && l[0] != '~' {
		return ""
	}
	size := leading(l, l[0])
	// "```x```" is inline code and not the start of a fence.
	if size < 3 || l[0] == '`' && strings.Contains(l[size:], "`") {
		return ""
	}
	return l[:size]
}

func closes(l, fence string) bool {
	l, shallow := unindent(l)
	size := leading(l, fence[0])
	return shallow && size >= len(fence) && strings.TrimRight(l[size:], " \t") == ""
}

// unindent removes up to three blanks; more, or a tab, is an indented code line.
func unindent(l string) (string, bool) {
	n := leading(l, ' ')
	return l[n:], n <= 3 && !strings.HasPrefix(l[n:], "\t")
}

func leading(s string, b byte) int {
	n := 0
	for n < len(s) && s[n] == b {
		n++
	}
	return n
}
