package core

import (
	"fmt"
	"slices"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/store"
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

func init() { decided[ask.Suggestion] = (*state).suggestionDecided }

// Suggest asks the person about a suggestion, once.
func (c *Core) Suggest(a ask.Ask) error {
	if err := c.recall(a.ID); err == nil {
		return nil // it was asked before
	}
	return c.do(func(s *state, now time.Time) (b store.Batch, err error) {
		if _, ok := s.asks.Rows[a.ID]; ok {
			return b, nil
		}
		a.Nonce, a.Times = c.cfg.Secret(), s.cfg.Rules.Times
		a.Silent = s.suggested(now) && a.Suggested.Urgency != string(task.Urgent)
		a = ask.Tick(ask.Start(a, session.On, now), now)
		record(&b, event.AskOpened, "", string(a.ID), a.Suggested.Source+" suggests a task: "+folded(a.Tool), now)
		s.putAsk(&b, a, now)
		return b, nil
	})
}

// suggested reports whether a suggestion has just rung: of many at once, one does.
func (s *state) suggested(now time.Time) bool {
	return slices.ContainsFunc(s.asks.waiting(), func(a ask.Ask) bool {
		return a.Kind == ask.Suggestion && !a.Silent && now.Sub(a.OpenedAt) < noticeEvery
	})
}

// SuggestionsOver ends the questions about suggestions that open does not name: their files say
// that they are decided, or are gone.
func (c *Core) SuggestionsOver(open map[ask.ID]bool) error {
	return c.do(func(s *state, now time.Time) (b store.Batch, err error) {
		for _, a := range s.asks.waiting() {
			if a.Kind == ask.Suggestion && a.State == ask.Open && !open[a.ID] {
				s.endAsk(&b, a, ask.Local, "the suggestion is no longer open", now)
			}
		}
		return b, nil
	})
}

// DecideSuggestion records what the person decided about a suggestion. Its question counts if it
// is open, and the first answer to it wins. The decision is carried out as an action.
func (c *Core) DecideSuggestion(id ask.ID, d Decided) error {
	return c.do(func(s *state, now time.Time) (b store.Batch, err error) {
		if err := s.counts(d.Channel); err != nil {
			return b, err
		}
		a, known := s.asks.Rows[id]
		switch {
		case known && a.State == ask.Open:
			decision := ask.Decision{Allow: d.Accept, Message: d.Instruction, By: d.By, Channel: d.Channel}
			_, err = s.answer(&b, ask.Card{a}, ask.Answer, decision, now)
			return b, err
		case known && a.Decision != nil && a.Decision.Allow != d.Accept:
			return b, fmt.Errorf("%w: %s", ask.ErrSettled, a.Ending())
		}
		s.carryOut(&b, d, now)
		return b, nil
	})
}

// suggestionDecided carries out an answer to the question about a suggestion.
func (s *state) suggestionDecided(b *store.Batch, a ask.Ask, now time.Time) {
	s.carryOut(b, Decided{
		Name:        task.Slug(a.Suggested.Name),
		Accept:      a.Decision.Allow,
		Instruction: a.Decision.Message,
		By:          a.Decision.By,
		Channel:     a.Decision.Channel,
	}, now)
}

func (s *state) carryOut(b *store.Batch, d Decided, now time.Time) {
	enqueue(b, LaneTasks, fmt.Sprintf("decide:%s:%d", d.Name, now.UnixNano()), ActDecide, encode(d), now)
}

// SuggestionSettled notes what became of a suggestion, and tells the person of a task that was
// made and could not be started.
func (c *Core) SuggestionSettled(d Decided, made task.Slug, trouble string) error {
	return c.do(func(s *state, now time.Time) (b store.Batch, err error) {
		text := d.By + " dismissed it"
		if d.Accept {
			text = d.By + " accepted it: task " + string(made)
		}
		if trouble != "" {
			text += ", which could not be started: " + folded(trouble)
		}
		record(&b, event.SuggestionDecided, "", string(d.Name), "suggestion "+string(d.Name)+": "+text, now)
		if trouble != "" {
			n := channel.News{Kind: channel.TaskNotStarted, Of: string(made), Why: trouble}
			s.notify(&b, "task:"+string(made), "", n, now)
		}
		return b, nil
	})
}
