package feature

import (
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/message"
	"github.com/afar-sh/afar/coordinator/internal/task"
)

// ActFile is an action whose data is a task.Verdict: write what came of an event into the
// workspace.
const ActFile = "file"

// Events returns the texts that wait for triage, oldest first.
func (c *Core) Events() (all []task.Event) {
	c.view(func(s *draft) {
		waiting := slices.DeleteFunc(s.Messages.ByState.All(string(message.Pending)), func(m message.Message) bool {
			return m.To != message.ToTriage
		})
		slices.SortFunc(waiting, func(a, b message.Message) int { return int(a.Seq - b.Seq) })
		for _, m := range waiting {
			all = append(all, task.Event{ID: string(m.ID), From: m.By, At: m.At, Text: m.Body()})
		}
	})
	return all
}

// FileEvents records what becomes of events, in one transaction: each text for a task, each file
// as an action. An event that was filed before is not filed again.
func (c *Core) FileEvents(verdicts []task.Verdict) error {
	return c.do(func(s *draft) error {
		for _, v := range verdicts {
			m, ok := s.Messages.Rows[message.ID(v.Event.ID)]
			if !ok || m.To != message.ToTriage || m.State != message.Pending {
				continue
			}
			m.State, m.DeliveredAt, m.DoneAt = message.Done, s.Now, s.Now
			m.Outcome = s.file(v)
			s.Messages.Put(s.Batch, m)
			s.Record(event.EventSorted, "", v.Event.ID, m.Outcome)
		}
		return nil
	})
}

// file carries out one verdict and says what it is.
func (s *draft) file(v task.Verdict) (outcome string) {
	if v.Ignored != "" {
		return "ignored: " + core.Folded(v.Ignored)
	}
	if len(v.To) == 0 {
		s.Enqueue(LaneTasks, "file:"+v.Event.ID, ActFile, core.Encode(v))
		return "suggested: " + core.Folded(v.New.Title+v.Unsorted)
	}
	var names []string
	for _, slug := range v.To {
		names = append(names, string(slug))
		by := "triage of " + v.Event.From
		s.Post(message.Message{
			Key:     "triage:" + v.Event.ID + ":" + string(slug),
			Task:    string(slug),
			Text:    message.Fence(by, v.Event.Text, s.Cfg.Secret()),
			By:      by,
			Channel: "triage",
			Data:    true,
		})
	}
	return "for task " + strings.Join(names, ", ")
}
