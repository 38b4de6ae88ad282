package ask

import (
	"fmt"
	"strings"

	"github.com/afar-sh/afar/coordinator/redact"
	"github.com/aymanbagabas/go-udiff"
)

// around is how many unchanged lines are shown before and after a change.
const around = 2

// A line is compared as it is, and shown masked: two secrets differ.
type line struct {
	text string
	key  bool // of a private key
}

// shown is the line for people.
func (l line) shown() string {
	if l.key {
		return redact.Hidden
	}
	return keep(l.text)
}

// A row is one line of a diff behind its mark.
type row struct {
	mark string
	line
}

// diff returns the masked diff of two texts, line by line: removed lines begin
// with -, added lines with +. Of unchanged lines it shows those around a change.
// The middle of a diff that is too long to mask is left out.
func diff(old, new string) string {
	rows := changes(split(old), split(new))
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
	for i, key := range redact.KeyLines(texts) {
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

// join returns the lines as one text in which every line has its break.
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
