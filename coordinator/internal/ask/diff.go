package ask

import (
	"fmt"
	"strings"

	"github.com/afar-sh/afar/coordinator/redact"
	"github.com/aymanbagabas/go-udiff"
)

// contextLines is how many unchanged lines are shown before and after a change.
const contextLines = 2

// A line of a diff is compared unmasked and shown masked, so that two different secrets
// still differ.
type line struct {
	text string
	key  bool // it belongs to a private key
}

// shown returns the masked line.
func (l line) shown() string {
	if l.key {
		return redact.Hidden
	}
	return keep(l.text)
}

// A row is one line of a diff with its mark.
type row struct {
	mark string
	line
}

// diff returns the masked diff of two texts, line by line. Removed lines begin with -,
// added lines with +. Unchanged lines are shown only near a change. If the diff is too
// long to mask, its middle is left out.
func diff(old, new string) string {
	rows := changes(split(old), split(new))
	out := maskRows(rows)
	if text := lastBreak(old, new); text != "" {
		out = append(out, text)
	}
	return strings.Join(out, "\n")
}

// maskRows masks rows. If they are too long to keep, it leaves out the middle before it
// masks the rest, because masking is slow.
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

// split returns the lines of a text. A line break at the end of the text adds no empty
// line.
func split(text string) []line {
	if text == "" {
		return nil
	}
	texts := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	out := make([]line, len(texts))
	for i, key := range redact.KeyLines(texts) {
		out[i] = line{texts[i], key}
	}
	return out
}

// context returns the rows of unchanged lines that are next to a change.
func context(lines []line, first, last bool) (out []row) {
	head, tail := min(contextLines, len(lines)), min(contextLines, len(lines))
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

// changes returns the rows of a diff of a and b.
func changes(a, b []line) (out []row) {
	old, nextOld, nextNew := join(a), 0, 0
	edits := udiff.Lines(old, join(b))
	offset := 0 // of line nextOld in old
	for _, e := range edits {
		same := strings.Count(old[offset:e.Start], "\n")
		removed, added := strings.Count(old[e.Start:e.End], "\n"), strings.Count(e.New, "\n")
		out = append(out, context(a[nextOld:nextOld+same], nextOld == 0, false)...)
		nextOld, nextNew, offset = nextOld+same, nextNew+same, e.End
		out = append(out, marked("- ", a[nextOld:nextOld+removed])...)
		out = append(out, marked("+ ", b[nextNew:nextNew+added])...)
		nextOld, nextNew = nextOld+removed, nextNew+added
	}
	changed := len(edits) > 0
	return append(out, context(a[nextOld:], !changed, changed)...)
}

// join returns the lines as one text in which every line ends with a line break.
func join(lines []line) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(l.text)
		b.WriteByte('\n')
	}
	return b.String()
}

func marked(mark string, lines []line) (out []row) {
	for _, l := range lines {
		out = append(out, row{mark, l})
	}
	return out
}

// lastBreak says whether the line break at the end of the text is added or removed. It
// returns "" if it is neither.
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
