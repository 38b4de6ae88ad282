package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/term"

	"github.com/afar-sh/afar/coordinator/client"
	"github.com/afar-sh/afar/coordinator/wire"
)

// watchEvery is the pause between two looks of `afar status --watch`.
const watchEvery = time.Second

// What a terminal is told: a screen of our own without a cursor, and back.
const (
	enterScreen = "\x1b[?1049h\x1b[?25l"
	leaveScreen = "\x1b[?25h\x1b[?1049l"
	toTop       = "\x1b[H"
	clearLine   = "\x1b[K"
	clearBelow  = "\x1b[J"
)

// watchStatus keeps the status on a screen of its own until ctx ends. A coordinator
// that goes away meanwhile is said to be away, and not started.
func (a *app) watchStatus(ctx context.Context) error {
	out, ok := a.stdout.(*os.File)
	if !ok || !term.IsTerminal(int(out.Fd())) {
		return usageError{errors.New("--watch needs a terminal; for programs there is --json")}
	}
	var s wire.StatusReply
	if err := call(ctx, a, wire.OpStatus, wire.StatusRequest{}, &s); err != nil {
		return err
	}
	fmt.Fprint(out, enterScreen)
	defer fmt.Fprint(out, leaveScreen)
	for {
		fmt.Fprint(out, a.statusFrame(out, s))
		if pause(ctx, watchEvery) != nil {
			return nil // the way to end it
		}
		next := wire.StatusReply{}
		err := call(ctx, a, wire.OpStatus, wire.StatusRequest{}, &next, running)
		switch {
		case err == nil:
			s = next
		case errors.Is(err, client.ErrUnreachable):
			s = wire.StatusReply{}
		case !errors.Is(err, errInterrupted):
			return err
		}
	}
}

// statusFrame is the status as one screen.
func (a *app) statusFrame(out *os.File, s wire.StatusReply) string {
	width, height, err := term.GetSize(int(out.Fd()))
	if err != nil || width <= 0 || height <= 0 {
		width, height = 80, 24
	}
	var b bytes.Buffer
	p := a.page()
	p.w = &b
	if s.Coordinator.PID == 0 {
		p.line("%s the coordinator does not answer. A session or `afar start` brings it back.",
			p.paint(yellow, "Afar:"))
	} else {
		renderStatus(p, s)
	}
	return screen(b.String(), width, height)
}

// screen is a text that fills a terminal from its top: each line is cut to the
// width, and what has no room below is counted.
func screen(text string, width, height int) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	if left := len(lines) - height; left > 0 {
		lines = append(lines[:height-1:height-1], fmt.Sprintf("… %d more lines", left+1))
	}
	for i, line := range lines {
		lines[i] = cutLine(line, width) + clearLine
	}
	return toTop + strings.Join(lines, "\n") + clearBelow
}

// cutLine cuts a line to so many columns; colours and the addresses of links take no room.
func cutLine(line string, width int) string {
	if columns(line) <= width {
		return line
	}
	var b strings.Builder
	for room := width - 1; len(line) > 0; {
		if n := silentAt(line); n > 0 {
			b.WriteString(line[:n])
			line = line[n:]
			continue
		}
		r, size := utf8.DecodeRuneInString(line)
		if room -= runeColumns(r); room < 0 {
			break
		}
		b.WriteString(line[:size])
		line = line[size:]
	}
	end := "…\x1b[0m"
	if strings.Contains(b.String(), linkStart) {
		end += linkStart + linkEnd
	}
	return b.String() + end
}

func columns(line string) (n int) {
	for len(line) > 0 {
		if skip := silentAt(line); skip > 0 {
			line = line[skip:]
			continue
		}
		r, size := utf8.DecodeRuneInString(line)
		n += runeColumns(r)
		line = line[size:]
	}
	return n
}

// silentAt is the length of the colour, or of the begin or end of a link, that a line begins
// with, 0 for none.
func silentAt(line string) int {
	switch {
	case strings.HasPrefix(line, "\x1b["):
		return strings.IndexByte(line, 'm') + 1
	case strings.HasPrefix(line, linkStart):
		_, after, _ := strings.Cut(line, linkEnd)
		return len(line) - len(after)
	}
	return 0
}

// runeColumns counts letters of East Asia and pictures as two; a terminal that shows
// one of them in one column has a blank left.
func runeColumns(r rune) int {
	if r >= 0x1100 && !(r >= 0x2010 && r <= 0x27bf) {
		return 2
	}
	return 1
}
