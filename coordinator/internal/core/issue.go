package core

import (
	"fmt"

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

// SendErrands adds the errands of a loop's step as actions, and what the step says of
// issues to the journal and to the topic of each issue.
func (s *Draft) SendErrands(id session.ID, out loop.Outcome) {
	for _, said := range out.IssueLines {
		text := Briefly(redact.Mask(Folded(said.Text)))
		s.postLoop(topic.OfIssue(said.Issue), said.Action, text)
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
