package core

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/loop"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/topic"
	"github.com/afar-sh/afar/coordinator/redact"
)

// The durable actions of issue loops. Each session has its own lane, named LaneIssue
// and its id: a review takes minutes, and must not delay other sessions.
const (
	LaneIssue = "issue:"
	ActIssue  = "issue" // an Errand
)

// An Errand is an errand of a session's loop. Unlike other actions it carries all its
// data: an errand for an issue that was released outlives its loop.
type Errand struct {
	Session session.ID `json:"session"`
	loop.Errand
}

// sendErrands adds the errands of a loop's step as actions, and what the step says of
// issues to the journal and to the topic of each issue.
func (s *Draft) sendErrands(id session.ID, out loop.Outcome) {
	for _, said := range out.IssueLines {
		text := Briefly(redact.Mask(Folded(said.Text)))
		s.PostLoop(topic.OfIssue(said.Issue), said.Action, text)
		line := fmt.Sprintf("%s: issue %s %s: %s", s.Label(id), said.Issue, said.Action, text)
		s.Record(issueKind(said.Action), id, said.Issue, line)
	}
	for _, e := range out.Errands {
		key := fmt.Sprintf("issue:%s:%s:%d:%s", id, e.Frame, e.Step, e.Phase)
		s.Enqueue(LaneIssue+string(id), key, ActIssue, Encode(Errand{id, e}))
	}
}

// issueKind returns the kind of the journal entry for an action on an issue.
func issueKind(action string) event.Kind {
	switch action {
	case "LANDED":
		return event.IssueLanded
	case "PAUSED":
		return event.IssuePaused
	}
	return event.LoopIssue
}

// AdvanceIssue applies the result of an errand. A result that is no longer wanted
// changes nothing.
func (c *Core) AdvanceIssue(e Errand, r loop.Result) error {
	return c.Do(func(s *Draft) (err error) {
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
func (c *Core) SayOfIssue(e Errand, action, text string) error {
	return c.Do(func(s *Draft) error {
		said := []loop.IssueLine{{Issue: e.Issue.ID, Action: action, Text: text}}
		s.sendErrands(e.Session, loop.Outcome{IssueLines: said})
		s.Notify("loop", e.Session, channel.News{
			Kind: channel.IssueSays, Of: s.Label(e.Session), What: action + ": issue " + e.Issue.ID + " " + e.Issue.Title,
			Why: text,
		})
		return nil
	})
}

// WantsErrand reports whether the result of an errand is still waited for.
func (c *Core) WantsErrand(e Errand) (wanted bool) {
	c.View(func(s *State, _ time.Time) { wanted = s.Loops.Rows[e.Session].Wanted(e.Errand) })
	return wanted
}

// AwaitUnwanted waits until the result of an errand is no longer wanted, at most until
// ctx ends.
func (c *Core) AwaitUnwanted(ctx context.Context, e Errand) {
	c.Until(ctx, func(s *State) bool { return !s.Loops.Rows[e.Session].Wanted(e.Errand) }, OfSession(e.Session))
}

// AwaitErrand waits until a session's loop has no errand under way, or Afar is
// paused, at most until ctx ends. It reports whether a person typed since then:
// what they want comes first.
func (c *Core) AwaitErrand(ctx context.Context, id session.ID, since time.Time) (typed bool) {
	c.Until(ctx, func(s *State) bool {
		typed = s.Sessions.Rows[id].TypedAt.After(since)
		return typed || s.Settings.Paused || !s.Loops.Rows[id].Waits()
	}, OfSession(id), paused)
	return typed
}

// AwaitResumed waits until Afar is not paused, at most until ctx ends.
func (c *Core) AwaitResumed(ctx context.Context) {
	c.Until(ctx, func(s *State) bool { return !s.Settings.Paused }, paused)
}

// IntroduceLoop returns what a session's model is told of its loop now, and takes
// what it would have heard at its next stop.
func (c *Core) IntroduceLoop(id session.ID) (intro string, err error) {
	err = c.Do(func(s *Draft) error {
		var l loop.Stack
		l, intro = loop.Introduce(s.Loops.Rows[id])
		if l.Active() {
			s.Loops.Put(s.Batch, l)
		}
		return nil
	})
	return intro, err
}
