package modulework

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/module"
	"github.com/afar-sh/afar/coordinator/redact"
	"github.com/afar-sh/afar/coordinator/text"
)

// lines takes the output of a source, line by line, no faster than the pace of a source. While
// it waits, the source cannot write: nothing is lost.
type lines struct {
	ctx     context.Context
	pace    module.Pace
	part    []byte // of a line whose end has not come
	endless bool   // the line is too long; the rest of it is skipped
	// event takes a line that is an event, garbled takes what is wrong with another one. An
	// error of theirs ends the source.
	event   func(module.Event) error
	garbled func(why string) error
	failed  error // of one of them
}

// Write takes a piece of the output.
func (l *lines) Write(p []byte) (int, error) {
	taken := len(p)
	for {
		line, rest, whole := bytes.Cut(p, []byte{'\n'})
		l.keep(line)
		if !whole {
			return taken, nil
		}
		if l.failed = l.end(); l.failed != nil {
			return 0, l.failed
		}
		p = rest
	}
}

// keep adds to the line, up to one byte more than the longest.
func (l *lines) keep(more []byte) {
	room := module.MaxLine + 1 - len(l.part)
	if len(more) > room {
		more, l.endless = more[:room], true
	}
	l.part = append(l.part, more...)
}

// end takes the line that is complete, or the last one without an end.
func (l *lines) end() error {
	line, endless := bytes.TrimSpace(l.part), l.endless
	l.part, l.endless = nil, false
	if len(line) == 0 && !endless {
		return nil
	}
	if err := l.rest(); err != nil {
		return err
	}
	if endless {
		return l.garbled(fmt.Sprintf("it is longer than %d bytes", module.MaxLine))
	}
	e, err := module.ParseEvent(line)
	if err != nil {
		return l.garbled(fmt.Sprintf("%v: %s", err, shown(line)))
	}
	return l.event(e)
}

// mostShown bounds how much of a line is shown that is no event, in characters.
const mostShown = 80

func shown(line []byte) string {
	clean := redact.Clean(strings.ToValidUTF8(string(line), "\ufffd"))
	return text.Clip(text.Fold(redact.Visible(clean)), mostShown)
}

// rest waits until one more line may come.
func (l *lines) rest() error {
	var wait time.Duration
	l.pace, wait = l.pace.Next(time.Now())
	if wait == 0 {
		return l.ctx.Err()
	}
	select {
	case <-time.After(wait):
		return nil
	case <-l.ctx.Done():
		return l.ctx.Err()
	}
}
