package feature

import (
	"cmp"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/internal/task"
)

// SweepTask applies the rules of the sweep to a task whose file says file. It tells the person,
// once, what they are to know. The caller carries out task.GoOn, and asks a model for
// task.Undecided, for which rest says what it is to know.
func (c *Core) SweepTask(slug task.Slug, file task.State) (rule task.Rule, rest task.Rest, err error) {
	err = c.do(func(s *draft) error {
		t, ok := s.Tasks.Rows[slug]
		if !ok {
			return nil
		}
		a := s.Asks.Rows[ask.ID(t.Asked.Ask)]
		rest = s.rest(t)
		rule = t.Sweep(file, rest, s.Now)
		if said := sweepNews(t, file, rule, a); said.Kind != "" {
			s.Tasks.Put(s.Batch, t.Swept(rule, rest))
			s.TellTask(t, said)
		}
		return nil
	})
	return rule, rest, err
}

// FollowAdvice notes the advice of a model about a task, whose file says file now, and tells the
// person what it wants them to know. It does nothing if the task has changed since the question.
// goOn is true if the caller is to let t go on.
func (c *Core) FollowAdvice(a task.Advice, file task.State) (t task.Task, goOn bool, err error) {
	err = c.do(func(s *draft) error {
		was, ok := s.Tasks.Rows[a.Case.Task.Slug]
		rest := s.rest(was)
		if !ok || was.Sweep(file, rest, s.Now) != task.Undecided || !a.About(file, rest) {
			return nil
		}
		var tell bool
		t, tell = was.Advise(a, s.Now)
		if goOn = a.GoesOn(); goOn {
			return nil // it is noted with the start
		}
		s.Tasks.Put(s.Batch, t)
		if tell {
			s.TellTask(t, adviceNews(a))
		}
		return nil
	})
	return t, goOn, err
}

// adviceNews returns what the person is told of an advice. The reason is the model's, which has
// read what others wrote: it says so.
func adviceNews(a task.Advice) channel.News {
	slug := string(a.Case.Task.Slug)
	return channel.News{Kind: channel.TaskAdvice, Of: cmp.Or(a.Case.State.Title, slug), What: slug, Why: a.Reason}
}

// rest returns what the sweep knows of a task.
func (s *draft) rest(t task.Task) task.Rest {
	rest := task.Rest{Since: t.CreatedAt}
	if r, ok := s.Runs.Rows[t.Run]; ok {
		rest.Since = r.Since
		rest.Run, rest.Turn, rest.Said = stateOf(r), r.Fence, r.Result
	}
	if a := s.Asks.Rows[ask.ID(t.Asked.Ask)]; a.Waiting() {
		rest.Asked = a.OpenedAt
	}
	return rest
}

// stateOf returns the state of a run, "" for one that is removed.
func stateOf(r run.Run) run.State {
	if !r.Live() {
		return ""
	}
	return r.State
}

// sweepNews returns what the person is told by a rule, zero for nothing.
func sweepNews(t task.Task, file task.State, rule task.Rule, a ask.Ask) channel.News {
	n := channel.News{Of: cmp.Or(file.Title, string(t.Slug)), What: string(t.Slug)}
	switch rule {
	case task.Overdue:
		n.Kind, n.Why = channel.TaskOverdue, core.Briefly(a.Need())
	case task.Dormant:
		n.Kind = channel.TaskDormant
	case task.Stuck:
		n.Kind = channel.TaskStuck
	}
	return n
}
