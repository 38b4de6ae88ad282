package feature

import (
	"context"
	"errors"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/loop"
	"github.com/afar-sh/afar/coordinator/internal/session"
)

// AdvanceIssue applies the result of an errand. A result that is no longer wanted
// changes nothing.
func (c *Core) AdvanceIssue(e core.Errand, r loop.Result) error {
	return c.do(func(s *draft) (err error) {
		for _, l := range s.Loops.Rows {
			r.Held = append(r.Held, l.HasInHand(e.Issue.Repo)...)
		}
		out, err := loop.Advance(s.Loops.Rows[e.Session], e.Frame, e.Step, r, s.Now)
		if errors.Is(err, loop.ErrStale) {
			return nil
		}
		if err == nil {
			s.PutLoop(e.Session, out)
		}
		return err
	})
}

// SayOfIssue tells the person, the journal and the issue's topic something about an
// issue that no step of a loop says.
func (c *Core) SayOfIssue(e core.Errand, action, text string) error {
	return c.do(func(s *draft) error {
		said := []loop.IssueLine{{Issue: e.Issue.ID, Action: action, Text: text}}
		s.SendErrands(e.Session, loop.Outcome{IssueLines: said})
		s.Notify("loop", e.Session, channel.News{
			Kind: channel.IssueSays, Of: s.Label(e.Session), What: action + ": issue " + e.Issue.ID + " " + e.Issue.Title,
			Why: text,
		})
		return nil
	})
}

// WantsErrand reports whether the result of an errand is still waited for.
func (c *Core) WantsErrand(e core.Errand) (wanted bool) {
	c.view(func(s *draft) { wanted = s.Loops.Rows[e.Session].Wanted(e.Errand) })
	return wanted
}

// AwaitUnwanted waits until the result of an errand is no longer wanted, at most until
// ctx ends.
func (c *Core) AwaitUnwanted(ctx context.Context, e core.Errand) {
	c.until(ctx, func(s *draft) bool { return !s.Loops.Rows[e.Session].Wanted(e.Errand) }, core.OfSession(e.Session))
}

// AwaitErrand waits until a session's loop has no errand under way, or Afar is
// paused, at most until ctx ends. It reports whether a person typed since then:
// what they want comes first.
func (c *Core) AwaitErrand(ctx context.Context, id session.ID, since time.Time) (typed bool) {
	c.until(ctx, func(s *draft) bool {
		typed = s.Sessions.Rows[id].TypedAt.After(since)
		return typed || s.Settings.Paused || !s.Loops.Rows[id].Waits()
	}, core.OfSession(id), core.Paused)
	return typed
}

// AwaitResumed waits until Afar is not paused, at most until ctx ends.
func (c *Core) AwaitResumed(ctx context.Context) {
	c.until(ctx, func(s *draft) bool { return !s.Settings.Paused }, core.Paused)
}

// IntroduceLoop returns what a session's model is told of its loop now, and takes
// what it would have heard at its next stop.
func (c *Core) IntroduceLoop(id session.ID) (intro string, err error) {
	err = c.do(func(s *draft) error {
		var l loop.Stack
		l, intro = loop.Introduce(s.Loops.Rows[id])
		if l.Active() {
			s.Loops.Put(s.Batch, l)
		}
		return nil
	})
	return intro, err
}
