package loop

import "strings"

// The words of a marker.
const (
	complete = "COMPLETE"
	gaveUp   = "STUCK"
	usedUp   = "MAX_ITERATIONS"
)

// markers maps the markers that a session can write to their words.
var markers = map[string]string{
	"<loop-done>" + complete + "</loop-done>": complete,
	"<loop-done>" + gaveUp + "</loop-done>":   gaveUp,
	"<loop-done>" + usedUp + "</loop-done>":   usedUp,
}

// marker returns the word of the last marker in a message that is alone on its line, or
// "". A marker in code does not count: in a fence, closed or not, in inline code, or in an
// indented line. The text around it does not matter.
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

// spokenIn returns the word of the last marker of a paragraph. Inline code does not extend
// over the end of a paragraph.
func spokenIn(lines []string) string {
	words := make([]string, len(lines))
	for i, l := range lines {
		words[i] = markerWord(l)
	}
	if strings.Join(words, "") == "" {
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

// codeLines returns for each line whether it begins within inline code. A run of backticks
// opens code only if a run of the same length follows.
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
		// Run 0 cannot close code, so 0 means that there is no closer.
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
	return markers[strings.TrimRight(l, " \t")]
}

// opens returns the fence that a line opens, or "".
func opens(l string) string {
	l, shallow := unindent(l)
	size := max(leading(l, '`'), leading(l, '~'))
	fence, info := l[:size], l[size:]
	switch {
	case !shallow, size < 3:
		return ""
	case fence[0] == '`' && strings.Contains(info, "`"):
		return "" // "```x```" is inline code
	}
	return fence
}

func closes(l, fence string) bool {
	l, shallow := unindent(l)
	size := leading(l, fence[0])
	return shallow && size >= len(fence) && strings.TrimRight(l[size:], " \t") == ""
}

// unindent removes up to three blanks. It returns false for a line that is indented more,
// or by a tab: such a line is code.
func unindent(l string) (string, bool) {
	n := leading(l, ' ')
	return l[n:], n <= 3 && !strings.HasPrefix(l[n:], "\t")
}

// leading counts how often s begins with b, an ASCII character.
func leading(s string, b byte) int { return len(s) - len(strings.TrimLeft(s, string(rune(b)))) }
