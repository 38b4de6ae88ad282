package telegram

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

var (
	heading1 = regexp.MustCompile(`^\s{0,3}#{1,6}\s+(.*?)\s*#*$`)
	bullet   = regexp.MustCompile(`^(\s*)[-*+]\s+`)
	strong   = regexp.MustCompile(`\*\*([^\s*](?:[^*\n]*?[^\s*])?)\*\*`)
	boxes    = strings.NewReplacer("• [ ] ", "☐ ", "• [x] ", "☑ ", "• [X] ", "☑ ")
	linked   = regexp.MustCompile(`\[([^\[\]\n]+)\]\((https?://[^\s()]+)\)`)
)

// fence begins and ends a block of code.
const fence = "```"

// markdown converts a model's Markdown to Telegram's HTML. Headings and bold text become
// bold, code stays code, list items get bullets, a table becomes one that a phone can show, and
// a link shows its address. Everything else stays unchanged. The result is well formed for any text.
func markdown(text string) string {
	var out []string
	var code []string
	inCode := false
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		switch fenced := strings.HasPrefix(strings.TrimSpace(line), fence); {
		case fenced && inCode:
			out, code, inCode = append(out, codeBlock(code)), nil, false
		case fenced:
			inCode = true
		case inCode:
			code = append(code, line)
		case isTable(lines[i:]):
			rows := tableRows(lines[i:])
			out, i = append(out, table(rows)), i+len(rows) // the rule below the head is no row
		default:
			out = append(out, markdownLine(line))
		}
	}
	if len(code) > 0 { // it was cut off, or never ended
		out = append(out, codeBlock(code))
	}
	return strings.Join(out, "\n")
}

func codeBlock(lines []string) string { return "<pre>" + escape(strings.Join(lines, "\n")) + "</pre>" }

func markdownLine(line string) string {
	if m := heading1.FindStringSubmatch(line); m != nil && m[1] != "" {
		return "<b>" + escape(strings.NewReplacer("**", "", "`", "").Replace(m[1])) + "</b>"
	}
	line = ticks(boxes.Replace(bullet.ReplaceAllString(line, "$1• ")))
	line = codeSpan.ReplaceAllStringFunc(line, func(code string) string {
		return strings.NewReplacer("*", "&#42;", "[", "&#91;").Replace(code)
	})
	line = linked.ReplaceAllString(line, "$1 ($2)")
	return strong.ReplaceAllStringFunc(line, embolden)
}

// codeSpan matches code in what ticks made.
var codeSpan = regexp.MustCompile(`<code>[^<]*</code>`)

// embolden makes bold the text between two marks, unless that would cut our own
// markup in two.
func embolden(text string) string {
	m := strong.FindStringSubmatch(text)
	if strings.Count(m[1], "<code>") != strings.Count(m[1], "</code>") {
		return text
	}
	return "<b>" + strings.NewReplacer("<code>", "", "</code>", "").Replace(m[1]) + "</b>"
}

// quoted sets what a model wrote in Markdown apart from our own lines.
func quoted(text string) string { return "<blockquote>" + markdown(text) + "</blockquote>" }

// quotedIn is quoted for at most room units. The middle of a longer text is left out, and cut is
// set. A table may take more room than its source.
func quotedIn(text string, room int) (html string, cut bool) {
	html = quoted(elide(text, room))
	for most := room; units(plain(html)) > room && most > 1; most -= most/4 + 1 {
		html = quoted(elide(text, most))
		cut = true
	}
	return html, cut || units(text) > room
}

// phoneColumns is how many characters of code a phone shows in one line.
const phoneColumns = 34

// tableRule matches the line below the head of a table.
var tableRule = regexp.MustCompile(`^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$`)

// isTable reports whether lines begin with a table: a head, and a rule with as many cells.
func isTable(lines []string) bool {
	return len(lines) > 1 && strings.Contains(lines[0], "|") && strings.Contains(lines[1], "|") &&
		tableRule.MatchString(lines[1]) && len(cells(lines[0])) == len(cells(lines[1]))
}

// tableRows returns the cells of the table with which lines begin: its head, and the rows below.
func tableRows(lines []string) [][]string {
	rows := [][]string{cells(lines[0])}
	for _, line := range lines[2:] {
		if !strings.Contains(line, "|") || strings.HasPrefix(strings.TrimSpace(line), fence) {
			break
		}
		rows = append(rows, cells(line))
	}
	return rows
}

// cells returns the cells of a line of a table.
func cells(line string) []string {
	const bar = "\x00"
	line = strings.TrimSpace(strings.ReplaceAll(line, `\|`, bar))
	out := strings.Split(strings.TrimSuffix(strings.TrimPrefix(line, "|"), "|"), "|")
	for i, cell := range out {
		out[i] = strings.TrimSpace(strings.ReplaceAll(cell, bar, "|"))
	}
	return out
}

// table shows a table in aligned columns. One that is too wide for a phone, or whose characters
// have other widths, becomes a list with an item for each row.
func table(rows [][]string) string {
	widths := columnWidths(rows)
	total := 2 * (len(widths) - 1)
	for _, w := range widths {
		total += w
	}
	isPlain := !slices.ContainsFunc(slices.Concat(rows...), func(cell string) bool {
		return strings.ContainsFunc(cell, func(r rune) bool { return r >= 0x1100 })
	})
	if total > phoneColumns || !isPlain {
		return tableList(rows)
	}
	var lines []string
	for _, row := range rows {
		line := ""
		for i, cell := range row {
			cell = unmarked.Replace(cell)
			line += cell + strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)+2)
		}
		lines = append(lines, strings.TrimRight(line, " "))
	}
	return codeBlock(lines)
}

// unmarked takes the marks out of a cell that is shown as code.
var unmarked = strings.NewReplacer("**", "", "`", "")

func columnWidths(rows [][]string) (widths []int) {
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(unmarked.Replace(cell)))
		}
	}
	return widths
}

// tableList shows each row of a table as an item of a list, and each further cell in a line with
// the head of its column.
func tableList(rows [][]string) string {
	if len(rows) == 1 {
		return "• " + markdownLine(strings.Join(rows[0], " · "))
	}
	var out []string
	for _, row := range rows[1:] {
		out = append(out, "• "+markdownLine(cmp.Or(row[0], "…")))
		for i, cell := range row[1:] {
			head := "   "
			if i+1 < len(rows[0]) && rows[0][i+1] != "" {
				head += markdownLine(rows[0][i+1]) + ": "
			}
			if cell != "" {
				out = append(out, head+markdownLine(cell))
			}
		}
	}
	return strings.Join(out, "\n")
}
