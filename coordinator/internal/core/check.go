package core

import (
	"context"
	"strings"

	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/loop"
	"github.com/afar-sh/afar/coordinator/internal/session"
)

// checked journals the result of a check, with the end of what it printed.
func (s *draft) checked(id session.ID, result, tail string) {
	text := s.token(id) + ": " + result
	if tail = folded(tail); tail != "" {
		text += "; it printed: " + tail
	}
	s.record(event.LoopChecked, id, s.token(id), text)
}

// folded returns a text of many lines in one line.
func folded(text string) string {
	return strings.ReplaceAll(strings.TrimSpace(text), "\n", " ⏎ ")
}

// Checking journals what a running check has printed, without secrets.
func (c *Core) Checking(id session.ID, output string) error {
	if output = folded(output); output == "" {
		return nil
	}
	return c.do(func(s *draft) error {
		token := s.token(id)
		s.record(event.LoopChecking, id, token, token+": the check prints: "+output)
		return nil
	})
}

// InterruptCheck notes that the host ended the check of a frame.
func (c *Core) InterruptCheck(id session.ID, frame string) error {
	return c.do(func(s *draft) (err error) {
		l := s.loops.Rows[id]
		if !l.Checking(frame) {
			return nil
		}
		if l, err = loop.Interrupt(l, s.now); err != nil {
			return err
		}
		f, _ := l.Top()
		s.checked(id, f.Checked, "")
		s.loops.Put(s.b, l)
		s.markdown(id, "loop.md")
		return nil
	})
}

// AwaitCheck waits until the result of a frame's check is no longer wanted, at most
// until ctx ends: the loop was cancelled, a person typed, or Afar was paused. It
// reports whether that happened.
func (c *Core) AwaitCheck(ctx context.Context, id session.ID, frame string) (over bool) {
	c.until(ctx, func(s *state) bool {
		over = s.settings.Paused || !s.loops.Rows[id].Checking(frame)
		return over
	}, ofSession(id), paused)
	return over
}
