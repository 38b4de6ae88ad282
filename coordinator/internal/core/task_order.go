package core

import (
	"time"

	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/internal/task"
)

// ActTaskFile is an action whose data is a TaskFile.
const ActTaskFile = "task-file"

// A TaskFile is a file that the person sent on a channel, for a task. Only the channel reads
// its ID.
type TaskFile struct {
	To   channel.Address `json:"to"`
	Task task.Slug       `json:"task"`
	ID   string          `json:"id"`
	Name string          `json:"name"`
	Text string          `json:"text,omitempty"` // what the person wrote below it
	By   string          `json:"by"`
	Key  string          `json:"key"` // of the text, as a message
}

// OrderTaskFile has a channel fetch a file that the person sent for a task.
func (c *Core) OrderTaskFile(act channel.Act, f TaskFile) error {
	return c.Do(func(s *Draft) error {
		s.Batch.Act = act
		f.To = act.At
		key := "task-file:" + itoa(act.Update)
		s.OnChannel(act.Channel, key, ActTaskFile, Encode(f), s.Now)
		return nil
	})
}

// TaskOfRun returns the task that a run works on.
func (c *Core) TaskOfRun(id run.ID) (slug task.Slug, ok bool) {
	var t task.Task
	c.View(func(s *State, _ time.Time) { t, ok = s.Tasks.byRun.One(string(id)) })
	return t.Slug, ok
}
