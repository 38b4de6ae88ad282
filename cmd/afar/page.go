package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"golang.org/x/term"

	"github.com/afar-sh/afar/coordinator/text"
	"github.com/afar-sh/afar/coordinator/wording"
)

// A page is where a command writes for people: short aligned lines, colour only
// on a terminal. Everything that came from elsewhere goes through oneLine or
// visible, so that no text of a session can steer the terminal.
type page struct {
	w      io.Writer
	now    time.Time
	home   string // shown as ~
	colour bool
}

func (a *app) page() *page {
	return &page{w: a.stdout, now: a.now(), home: a.getenv("HOME"), colour: a.colourful()}
}

func (a *app) colourful() bool {
	return isTerminal(a.stdout) && a.getenv("NO_COLOR") == "" && a.getenv("TERM") != "dumb"
}

// agrees asks a question on the terminal and reports whether the answer is yes. An empty line is the usual
// answer. Any other is no, but where yes is usual it is asked again. The end of the input is no.
func (a *app) agrees(question string, usual bool) bool {
	choice := " [y/N] "
	if usual {
		choice = " [Y/n] "
	}
	lines := bufio.NewScanner(a.stdin)
	for range 3 {
		fmt.Fprint(a.stdout, question+choice)
		if !lines.Scan() {
			a.say("")
			return false
		}
		switch answer := strings.ToLower(strings.TrimSpace(lines.Text())); {
		case answer == "":
			return usual
		case answer == "y", answer == "yes":
			return true
		case answer == "n", answer == "no", !usual:
			return false
		}
	}
	return false
}

// isTerminal reports whether a stream of this process is a terminal.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// An ink is an ANSI colour; the zero value is none.
type ink string

const (
	bold   ink = "1"
	dim    ink = "2"
	red    ink = "31"
	green  ink = "32"
	yellow ink = "33"
)

func (p *page) paint(c ink, s string) string {
	if !p.colour || c == "" || s == "" {
		return s
	}
	return "\x1b[" + string(c) + "m" + s + "\x1b[0m"
}

// link makes a text a link, where the terminal understands one. It leaves the text alone if
// the address has characters that a terminal could take for a command.
func (p *page) link(address, s string) string {
	if !p.colour || address == "" || strings.ContainsFunc(address, func(r rune) bool { return r <= ' ' || r > '~' }) {
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

func (p *page) line(format string, args ...any) { fmt.Fprintf(p.w, format+"\n", args...) }

// head starts a section.
func (p *page) head(title string) { p.line("\n%s", p.paint(bold, title)) }

// A cell is one field of a table.
type cell struct {
	text string
	ink  ink
}

func plain(text string) cell { return cell{text, ""} }

// table writes rows in aligned columns, two blanks in. A row of one cell is a line
// below the row before it, four blanks in.
func (p *page) table(rows [][]cell) {
	var width []int
	for _, row := range rows {
		if len(row) == 1 {
			continue
		}
		for i, c := range row {
			if i == len(width) {
				width = append(width, 0)
			}
			width[i] = max(width[i], ansi.StringWidth(c.text))
		}
	}
	for _, row := range rows {
		if len(row) == 1 {
			p.line("    %s", p.paint(row[0].ink, row[0].text))
			continue
		}
		var b strings.Builder
		for i, c := range row {
			pad := strings.Repeat(" ", width[i]-ansi.StringWidth(c.text))
			b.WriteString("  " + p.paint(c.ink, c.text) + pad)
		}
		p.line("%s", strings.TrimRight(b.String(), " "))
	}
}

// block writes a text of several lines, four blanks in.
func (p *page) block(text string) {
	for _, l := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		p.line("    %s", visible(l))
	}
}

// whole writes a text of several lines unchanged, for programs too.
func (p *page) whole(text string) {
	for _, l := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		p.line("%s", visible(l))
	}
}

// path shortens the person's home directory.
func (p *page) path(s string) string {
	s = oneLine(s, 200)
	if p.home != "" && strings.HasPrefix(s+"/", p.home+"/") {
		return "~" + s[len(p.home):]
	}
	return s
}

// ago says how long ago a time in unix milliseconds was.
func (p *page) ago(ms int64) string {
	if ms == 0 {
		return ""
	}
	return wording.Ago(p.now.Sub(time.UnixMilli(ms)))
}

// left says how long it is until a time in unix milliseconds.
func (p *page) left(ms int64) string {
	return wording.Left(time.UnixMilli(ms).Sub(p.now))
}

// clock is the local time of day, with the day when that is another one.
func (p *page) clock(ms int64) string {
	t := time.UnixMilli(ms).In(p.now.Location())
	if t.Format(time.DateOnly) == p.now.Format(time.DateOnly) {
		return t.Format("15:04:05")
	}
	return t.Format("Jan _2 15:04")
}

// oneLine folds a text into one visible line of at most n characters.
func oneLine(s string, n int) string {
	return text.Clip(visible(text.Fold(s)), n)
}

// visible replaces what a terminal would obey instead of show: control
// characters and those that reorder text.
func visible(s string) string {
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

// mark is a sign before a finding.
func mark(state string) cell {
	switch state {
	case "ok", "ready":
		return cell{"✔", green}
	case "bad", "failing":
		return cell{"✖", red}
	}
	return cell{"○", dim}
}
