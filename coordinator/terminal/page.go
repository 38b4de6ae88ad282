// Package terminal draws on a terminal what the person sees: the things of package view, each in the same way, and
// the replies of the coordinator that deserve more. It takes values and a writer, so it is pure: it starts nothing,
// reads no clock, and knows no command, no socket and no home. No text of a session can steer the terminal: whatever
// came from elsewhere goes through OneLine or Visible.
package terminal

import (
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"github.com/afar-sh/afar/coordinator/text"
	"github.com/afar-sh/afar/coordinator/wording"
)

// A Page is where a command writes for people: short aligned lines, with colour only if the terminal has it.
type Page struct {
	W      io.Writer
	Now    time.Time
	Home   string // shown as ~
	Colour bool
}

// An Ink is an ANSI colour; the zero value is none.
type Ink string

// The inks.
const (
	Bold   Ink = "1"
	Dim    Ink = "2"
	Red    Ink = "31"
	Green  Ink = "32"
	Yellow Ink = "33"
)

// Paint returns a text in a colour, the text alone on a page without colours.
func (p *Page) Paint(c Ink, s string) string {
	if !p.Colour || c == "" || s == "" {
		return s
	}
	return "\x1b[" + string(c) + "m" + s + "\x1b[0m"
}

// link makes a text a link, where the terminal understands one. It leaves the text alone if
// the address has characters that a terminal could take for a command.
func (p *Page) link(address, s string) string {
	if !p.Colour || address == "" || strings.ContainsFunc(address, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return s
	}
	return linkStart + address + linkEnd + s + linkStart + linkEnd
}

// A link on a terminal (OSC 8): its start carries the address, and one without an address
// ends the link. Terminals without links show the text alone.
const (
	linkStart = "\x1b]8;;"
	linkEnd   = "\x1b\\"
)

// Line writes a line as it is: what came from elsewhere must be visible already.
func (p *Page) Line(format string, args ...any) { fmt.Fprintf(p.W, format+"\n", args...) }

// Lines writes lines as they are.
func (p *Page) Lines(lines []string) {
	for _, line := range lines {
		p.Line("%s", line)
	}
}

// Say writes a sentence. Each text in it becomes one visible line.
func (p *Page) Say(format string, args ...any) {
	for i, arg := range args {
		if s, is := arg.(string); is {
			args[i] = Visible(strings.ReplaceAll(s, "\n", " "))
		}
	}
	p.Line(format, args...)
}

// Head starts a section.
func (p *Page) Head(title string) { p.Line("\n%s", p.Paint(Bold, title)) }

// Table writes rows in aligned columns, two blanks in. Colours and links take no room. A row of one field is a line
// below the row before it, four blanks in.
func (p *Page) Table(rows [][]string) {
	var width []int
	for _, row := range rows {
		if len(row) == 1 {
			continue
		}
		for i, field := range row {
			if i == len(width) {
				width = append(width, 0)
			}
			width[i] = max(width[i], ansi.StringWidth(field))
		}
	}
	for _, row := range rows {
		if len(row) == 1 {
			p.Line("    %s", row[0])
			continue
		}
		var b strings.Builder
		for i, field := range row {
			b.WriteString("  " + field + strings.Repeat(" ", width[i]-ansi.StringWidth(field)))
		}
		p.Line("%s", strings.TrimRight(b.String(), " "))
	}
}

// Block writes a text of several lines, four blanks in.
func (p *Page) Block(text string) { p.each("    %s", text) }

// Whole writes a text of several lines unchanged, for programs too.
func (p *Page) Whole(text string) { p.each("%s", text) }

func (p *Page) each(format, text string) {
	for _, l := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		p.Line(format, Visible(l))
	}
}

// Path returns a path in one visible line, with ~ for the person's home directory.
func (p *Page) Path(s string) string {
	s = OneLine(s, 200)
	if p.Home != "" && strings.HasPrefix(s+"/", p.Home+"/") {
		return "~" + s[len(p.Home):]
	}
	return s
}

// ago says how long ago a time in unix milliseconds was, "" for no time.
func (p *Page) ago(ms int64) string {
	if ms == 0 {
		return ""
	}
	return wording.Ago(p.Now.Sub(time.UnixMilli(ms)))
}

// left says how long it is until a time in unix milliseconds.
func (p *Page) left(ms int64) string {
	return wording.Left(time.UnixMilli(ms).Sub(p.Now))
}

// Clock returns a time in unix milliseconds as the local time of day, with the day when that is another one.
func (p *Page) Clock(ms int64) string {
	t := time.UnixMilli(ms).In(p.Now.Location())
	if t.Format(time.DateOnly) == p.Now.Format(time.DateOnly) {
		return t.Format("15:04:05")
	}
	return t.Format("Jan _2 15:04")
}

// moment returns a time as the clock of this machine shows it.
func moment(ms int64) string { return time.UnixMilli(ms).Format(time.DateTime) }

func day(ms int64) string { return time.UnixMilli(ms).Format(time.DateOnly) }

// OneLine folds a text into one visible line of at most n characters.
func OneLine(s string, n int) string { return text.Clip(Visible(text.Fold(s)), n) }

// Visible replaces what a terminal would obey instead of show: control characters, line breaks among them, and those
// that reorder text.
func Visible(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r), r == '\u2028', r == '\u2029':
			return utf8.RuneError
		}
		return r
	}, s)
}

// Mark returns the sign before a finding that is ok, bad or neither.
func (p *Page) Mark(state string) string {
	switch state {
	case "ok", "ready":
		return p.Paint(Green, "✔")
	case "bad", "failing":
		return p.Paint(Red, "✖")
	}
	return p.Paint(Dim, "○")
}
