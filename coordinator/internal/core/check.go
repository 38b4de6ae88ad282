package core

import (
	"context"
	"strings"

	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/loop"
	"github.com/afar-sh/afar/coordinator/internal/session"
)

// checked journals the result of a check, with the end of what it printed.
func (s *Draft) checked(id session.ID, result, tail string) {
	text := s.Token(id) + ": " + result
	if tail = Folded(tail); tail != "" {
		text += "; it printed: " + tail
	}
	s.Record(event.LoopChecked, id, s.Token(id), text)
}

// Folded returns a text of many lines in one line.
func Folded(text string) string {
	return strings.ReplaceAll(strings.TrimSpace(text), "\n", " ⏎ ")
}

// Checking journals what a running check has printed, without secrets.
func (c *Core) Checking(id session.ID, output string) error {
	if output = Folded(output); output == "" {
		return nil
	}
	return c.Do(func(s *Draft) error {
		token := s.Token(id)
		s.Record(event.LoopChecking, id, token, token+": the check prints: "+output)
		return nil
	})
}

// InterruptCheck notes that the host ended the check of a frame.
func (c *Core) InterruptCheck(id session.ID, frame string) error {
	return c.Do(func(s *Draft) (err error) {
		l := s.Loops.Rows[id]
		if !l.Checking(frame) {
			return nil
		}
		if l, err = loop.Interrupt(l, s.Now); err != nil {
			return err
		}
		f, _ := l.Top()
		s.checked(id, f.Checked, "")
		s.Loops.Put(s.Batch, l)
		s.markdown(id, "loop.md")
		return nil
	})
}

// AwaitCheck waits until the result of a frame's check is no longer wanted, at most
// until ctx ends: the loop was cancelled, a person typed, or Afar was paused. It
// reports whether that happened.
func (c *Core) AwaitCheck(ctx context.Context, id session.ID, frame string) (over bool) {
	c.Until(ctx, func(s *State) bool {
		over = s.Settings.Paused || !s.Loops.Rows[id].Checking(frame)
		return over
	}, OfSession(id), Paused)
	return over
}
