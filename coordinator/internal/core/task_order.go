package core

import (
	"time"

	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/internal/store"
	"github.com/afar-sh/afar/coordinator/internal/task"
)

// ActTaskView is an action whose data is a TaskView, and ActTaskFile one whose data is a
// TaskFile.
const (
	ActTaskView = "task-view"
	ActTaskFile = "task-file"
)

// A TaskView shows tasks at an address of a channel: all of them, or one.
type TaskView struct {
	To      channel.Address `json:"to"`
	Task    task.Slug       `json:"task,omitempty"`    // "" for all
	Started bool            `json:"started,omitempty"` // say that it was created and started
}

// ShowTasks answers an act of the person on a channel: with a text, unless it is "", and with
// tasks.
func (c *Core) ShowTasks(act channel.Act, said string, v TaskView) error {
	return c.do(func(s *state, now time.Time) (b store.Batch, _ error) {
		b.Act = act
		if said != "" {
			s.settle(&b, act, said, now)
		}
		v.To = act.At
		key := "task-view:" + itoa(act.Update)
		b.Actions = append(b.Actions, channelAction(act.Channel, key, ActTaskView, encode(v), now))
		return b, nil
	})
}

// A List shows what there is of one kind at an address of a channel. Only the channel reads Of and
// Find.
type List struct {
	To   channel.Address `json:"to"`
	Of   string          `json:"of"`
	Find string          `json:"find,omitempty"` // those with these words alone
}

// ActList is an action whose data is a List.
const ActList = "list"

// ShowList answers an act of the person on a channel with a list: of what has the words find, or
// of all for "".
func (c *Core) ShowList(act channel.Act, of, find string) error {
	return c.do(func(s *state, now time.Time) (b store.Batch, _ error) {
		b.Act = act
		data := encode(List{To: act.At, Of: of, Find: find})
		b.Actions = append(b.Actions, channelAction(act.Channel, "list:"+itoa(act.Update), ActList, data, now))
		return b, nil
	})
}

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
	return c.do(func(s *state, now time.Time) (b store.Batch, _ error) {
		b.Act = act
		f.To = act.At
		key := "task-file:" + itoa(act.Update)
		b.Actions = append(b.Actions, channelAction(act.Channel, key, ActTaskFile, encode(f), now))
		return b, nil
	})
}

// TaskOfRun returns the task that a run works on.
func (c *Core) TaskOfRun(id run.ID) (slug task.Slug, ok bool) {
	c.view(func(s *state, _ time.Time) {
		for _, t := range s.tasks.rows {
			if t.Run == id && id != "" {
				slug, ok = t.Slug, true
			}
		}
	})
	return slug, ok
}
