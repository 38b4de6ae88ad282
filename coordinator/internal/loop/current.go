package loop

import (
	"fmt"
	"time"

	"github.com/afar-sh/afar/coordinator/text"
)

// A State describes a loop for other programs, in the topic loop:current.
type State struct {
	Schema    int       `json:"schema"`
	RunID     string    `json:"run_id"`
	Session   string    `json:"session"`
	UpdatedAt time.Time `json:"updated_at"`
	Verdict   Verdict   `json:"verdict,omitempty"` // of a loop that has ended
	Proven    bool      `json:"proven,omitempty"`
	Evidence  Evidence  `json:"evidence,omitempty"`
	Stack     []Level   `json:"stack"` // outermost first
}

// A Level is one frame of a State.
type Level struct {
	ID     string `json:"id"`
	Mode   Mode   `json:"mode"`
	Iter   int    `json:"iter"`
	Max    int    `json:"max"`
	Digest string `json:"prompt_digest"` // SHA-256 of the task, in hex

	// The current issue, set in an issue frame and in its task frame.
	Issue    string `json:"issue_id,omitempty"`
	Worktree string `json:"worktree_path,omitempty"`
	Branch   string `json:"branch,omitempty"`
	Base     string `json:"base_ref,omitempty"`
	Phase    Phase  `json:"phase,omitempty"` // of a frame of mode issue
}

// Current returns the present state of the loop.
func Current(s Stack) State {
	st := State{Schema: s.Schema, RunID: s.RunID, Session: s.Session, UpdatedAt: s.UpdatedAt, Stack: []Level{}}
	if s.Ended != nil {
		st.Verdict, st.Proven, st.Evidence = s.Ended.Verdict, s.Ended.Proven, s.Evidence()
	}
	for _, f := range s.Frames {
		st.Stack = append(st.Stack, f.level())
	}
	return st
}

// Brief returns the loop in one line: its status, its progress and its innermost goal.
func Brief(s Stack) string {
	if len(s.Frames) == 0 {
		return "no loop"
	}
	f := s.top()
	return fmt.Sprintf("%s, %s: %s", state(s), f.count(), f.goal())
}

func (f Frame) level() Level {
	l := Level{
		ID:       f.ID,
		Mode:     f.Mode,
		Iter:     f.N,
		Max:      f.Max,
		Digest:   f.Digest,
		Issue:    f.IssueID,
		Worktree: f.Worktree,
		Branch:   f.Branch,
		Base:     f.Base,
	}
	if is := f.Issue; is != nil {
		l.Issue, l.Worktree, l.Branch, l.Base, l.Phase = is.ID, is.Place.Path, is.Place.Branch, is.Place.Base, is.Phase
	}
	return l
}

// Step returns the progress of a loop in a few words: what it waits for, or its iteration.
func Step(s Stack) string {
	f, ok := s.Top()
	switch {
	case !ok:
		return "none"
	case s.Waits():
		return s.waiting()
	case f.IssueID != "":
		return f.count() + ", issue " + f.IssueID
	}
	return f.count()
}

// count returns the progress of a frame: its iterations, or the issues taken.
func (f Frame) count() string {
	if f.Issue != nil {
		return fmt.Sprintf("%s taken, %s", text.Count(f.N, "issue"), f.Issue.tally())
	}
	return fmt.Sprintf("%d/%d", f.N, f.Max)
}
