package feature

import (
	"fmt"
	"slices"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/task"
)

// LaneTasks is the lane of the actions that write the files of the workspace, other than those of
// sessions.
const LaneTasks = "tasks"

// ActDecide is an action whose data is a Decided.
const ActDecide = "decide"

// A Decided is what the person decided about a suggestion.
type Decided struct {
	Name        task.Slug `json:"name"` // of the suggestion
	Accept      bool      `json:"accept"`
	Instruction string    `json:"instruction,omitempty"`
	By          string    `json:"by"`
	Channel     string    `json:"channel"`
}

// Suggest asks the person about a suggestion, once.
func (c *Core) Suggest(a ask.Ask) error {
	if err := c.Recall(a.ID); err == nil {
		return nil // it was asked before
	}
	return c.do(func(s *draft) error {
		if _, ok := s.Asks.Rows[a.ID]; ok {
			return nil
		}
		a.Nonce, a.Times = s.Cfg.Secret(), s.Cfg.Rules.Times
		a.Silent = s.suggested(s.Now) && a.Suggested.Urgency != string(task.Urgent)
		a = ask.Tick(ask.Start(a, session.On, s.Now), s.Now)
		s.Record(event.AskOpened, "", string(a.ID), a.Suggested.Source+" suggests a task: "+core.Folded(a.Tool))
		s.PutAsk(a)
		return nil
	})
}

// suggested reports whether a suggestion has just rung: of many at once, one does.
func (s *draft) suggested(now time.Time) bool {
	return slices.ContainsFunc(s.Asks.Waiting(), func(a ask.Ask) bool {
		return a.Kind == ask.Suggestion && !a.Silent && now.Sub(a.OpenedAt) < core.NoticeEvery
	})
}

// SuggestionsOver ends the questions about suggestions that open does not name: their files say
// that they are decided, or are gone.
func (c *Core) SuggestionsOver(open map[ask.ID]bool) error {
	return c.do(func(s *draft) error {
		for _, a := range s.Asks.Waiting() {
			if a.Kind == ask.Suggestion && a.State == ask.Open && !open[a.ID] {
				s.EndAsk(a, ask.Local, "the suggestion is no longer open")
			}
		}
		return nil
	})
}

// DecideSuggestion records what the person decided about a suggestion. Its question counts if it
// is open, and the first answer to it wins. The decision is carried out as an action.
func (c *Core) DecideSuggestion(id ask.ID, d Decided) error {
	return c.do(func(s *draft) (err error) {
		if err := s.Counts(d.Channel); err != nil {
			return err
		}
		a, known := s.Asks.Rows[id]
		switch {
		case known && a.State == ask.Open:
			decision := ask.Decision{Allow: d.Accept, Message: d.Instruction, By: d.By, Channel: d.Channel}
			_, err = s.Answer(ask.Card{a}, ask.Answer, decision)
			return err
		case known && a.Decision != nil && a.Decision.Allow != d.Accept:
			return fmt.Errorf("%w: %s", ask.ErrSettled, a.Ending())
		}
		s.carryOut(d)
		return nil
	})
}

// suggestionDecided carries out an answer to the question about a suggestion.
func (s *draft) suggestionDecided(a ask.Ask) {
	s.carryOut(Decided{
		Name:        task.Slug(a.Suggested.Name),
		Accept:      a.Decision.Allow,
		Instruction: a.Decision.Message,
		By:          a.Decision.By,
		Channel:     a.Decision.Channel,
	})
}

func (s *draft) carryOut(d Decided) {
	s.Enqueue(LaneTasks, fmt.Sprintf("decide:%s:%d", d.Name, s.Now.UnixNano()), ActDecide, core.Encode(d))
}

// SuggestionSettled notes what became of a suggestion, and tells the person of a task that was
// made and could not be started.
func (c *Core) SuggestionSettled(d Decided, made task.Slug, trouble string) error {
	return c.do(func(s *draft) error {
		text := d.By + " dismissed it"
		if d.Accept {
			text = d.By + " accepted it: task " + string(made)
		}
		if trouble != "" {
			text += ", which could not be started: " + core.Folded(trouble)
		}
		s.Record(event.SuggestionDecided, "", string(d.Name), "suggestion "+string(d.Name)+": "+text)
		if trouble != "" {
			n := channel.News{Kind: channel.TaskNotStarted, Of: string(made), Why: trouble}
			s.Notify("task:"+string(made), "", n)
		}
		return nil
	})
}
