package core

import (
	"context"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/loop"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/store"
)

// checked journals the result of a check, with the end of what it printed.
func (s *state) checked(b *store.Batch, id session.ID, result, tail string, now time.Time) {
	text := s.token(id) + ": " + result
	if tail = folded(tail); tail != "" {
		text += "; it printed: " + tail
	}
	record(b, event.LoopChecked, id, s.token(id), text, now)
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
	return c.do(func(s *state, now time.Time) (b store.Batch, err error) {
		token := s.token(id)
		record(&b, event.LoopChecking, id, token, token+": the check prints: "+output, now)
		return b, nil
	})
}

// InterruptCheck notes that the host ended the check of a frame.
func (c *Core) InterruptCheck(id session.ID, frame string) error {
	return c.do(func(s *state, now time.Time) (b store.Batch, err error) {
		l := s.loops.Rows[id]
		if !l.Checking(frame) {
			return b, nil
		}
		if l, err = loop.Interrupt(l, now); err != nil {
			return b, err
		}
		f, _ := l.Top()
		s.checked(&b, id, f.Checked, "", now)
		s.loops.Put(&b, l)
		s.markdown(&b, id, "loop.md", now)
		return b, nil
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
