package core

import (
	"slices"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/message"
	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/task"
)

// A text for a task waits until a run works on the task, and is then a text for that run. The
// file of the task decides whether a run may begin, so it is not core that lets one begin.

// taskTexts returns the texts for a task that no living run has, in no order.
func (s *Draft) taskTexts(slug task.Slug) []message.Message {
	return slices.DeleteFunc(s.Messages.byTask.After(s.Batch, string(slug)), func(m message.Message) bool {
		_, given := s.RunOf(m.Session)
		return given || m.State != message.Pending
	})
}

// assignTexts gives the texts that wait for a task to its run.
func (s *Draft) assignTexts(slug task.Slug, r run.Run) {
	texts := message.Assign(s.taskTexts(slug), session.ID(r.Conversation), s.newestText())
	s.Messages.Put(s.Batch, texts...)
}

// passTexts gives the texts that wait for a task to the turn that its run has, if it has one.
func (s *Draft) passTexts(slug task.Slug) {
	t, r := s.Tasks.Rows[slug], s.Runs.Rows[s.Tasks.Rows[slug].Run]
	if t.Stopped || !r.Live() || r.Settled() {
		return
	}
	s.assignTexts(slug, r)
	s.queueRunOf(session.ID(r.Conversation))
}

// begins reports whether a text starts t when nothing works on it. The first start is the
// person's: what programs and triage send waits for it.
func begins(t task.Task, m message.Message) bool { return t.Run != "" || !m.Data }

// TasksToGoOn returns the tasks that are to be started because texts wait for them: nothing works
// on them, no person has stopped them, and no checkpoint is open.
func (c *Core) TasksToGoOn() (all []task.Task) {
	c.View(func(s *State, _ time.Time) {
		for slug, t := range s.Tasks.Rows {
			r := s.Runs.Rows[t.Run]
			rests := (!r.Live() || r.Settled()) && !t.Asks() && !t.Stopped
			begin := func(m message.Message) bool { return begins(t, m) }
			if rests && slices.ContainsFunc(s.At(time.Time{}).taskTexts(slug), begin) {
				all = append(all, t)
			}
		}
	})
	return all
}

// taskFate returns when a task gets a text that waits for it. held says when a task on which
// nothing works gets one, "" for its next turn.
func (s *State) taskFate(m message.Message, held string) channel.Fate {
	t := s.Tasks.Rows[task.Slug(m.Task)]
	r := s.Runs.Rows[t.Run]
	f := channel.Fate{To: "task " + m.Task, At: channel.AtTurn}
	switch {
	case t.Stopped:
		f.At = channel.AtRestart
	case t.Asks():
		f.At = channel.AtCheckpoint
	case r.Live() && !r.Settled():
		return s.runFate(r)
	case held != "":
		f.At, f.Why = "", held
	case !begins(t, m):
		f.At, f.Why = channel.AtStart, m.Task
	case s.Settings.Paused:
		f.At = channel.AtUnpause
	}
	return f
}
