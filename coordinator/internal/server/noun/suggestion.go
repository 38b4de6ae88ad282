package noun

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/feature"
	"github.com/afar-sh/afar/coordinator/internal/server/door"
	"github.com/afar-sh/afar/coordinator/internal/task"
	"github.com/afar-sh/afar/coordinator/redact"
	"github.com/afar-sh/afar/coordinator/text"
	"github.com/afar-sh/afar/coordinator/wire"
)

// Suggestions are the files of suggestions.
type Suggestions interface {
	All() (map[task.Slug]task.Suggestion, error)
	Get(task.Slug) (task.Suggestion, error)
	Add(task.Suggestion) (task.Place, task.Slug, error)
	Set(name task.Slug, status task.SuggestionStatus, made task.Slug) error
}

func (s *Server) suggestions(_ *door.Call, in wire.SuggestionsRequest) (out wire.SuggestionsReply, err error) {
	out.Suggestions = []wire.Suggestion{}
	all, err := s.cfg.Suggestions.All()
	if err != nil {
		return out, err
	}
	for name, one := range all {
		if in.All || slices.Contains([]task.SuggestionStatus{task.Open, task.Unreadable}, one.Status) {
			out.Suggestions = append(out.Suggestions, wireSuggestion(name, one))
		}
	}
	slices.SortFunc(out.Suggestions, func(a, b wire.Suggestion) int {
		return cmp.Or(cmp.Compare(pressing(a), pressing(b)), strings.Compare(a.ID, b.ID))
	})
	return out, nil
}

// pressing sorts urgent suggestions before the others, and those of low urgency behind.
func pressing(w wire.Suggestion) int {
	return slices.Index([]string{string(task.Urgent), string(task.Normal), string(task.Low)}, w.Urgency)
}

func wireSuggestion(name task.Slug, one task.Suggestion) wire.Suggestion {
	w := wire.Suggestion{
		ID:      string(name),
		Title:   cmp.Or(one.Title, string(name)),
		Status:  strings.ToLower(string(one.Status)),
		Urgency: string(one.Urgency),
		Source:  one.Source,
		Date:    one.Date,
		Task:    string(one.Task),
		Summary: one.Summary,
		Why:     one.Why,
		Plan:    one.Plan,
		Context: one.Context,
		Ask:     string(one.Ask(name).ID),
	}
	for _, fault := range one.Faults {
		w.Faults = append(w.Faults, fault.Error())
	}
	return w
}

// suggest takes the suggestion of an agent or a program.
func (s *Server) suggest(c *door.Call, in wire.SuggestRequest) (out wire.SuggestReply, err error) {
	if text.Fold(in.Title) == "" || !utf8.ValidString(in.Title+in.Summary+in.Why+in.Plan+in.Context) {
		return out, door.BadRequest("a suggestion needs a title, and its texts must be UTF-8")
	}
	_, who := c.Author()
	place, name, err := s.cfg.Suggestions.Add(task.Suggestion{
		Title:   redact.Clean(in.Title),
		Urgency: task.Urgency(in.Urgency),
		Source:  who,
		Date:    time.Now().Format(time.DateOnly),
		Summary: redact.Clean(in.Summary),
		Why:     redact.Clean(in.Why),
		Plan:    redact.Clean(in.Plan),
		Context: redact.Clean(in.Context),
	})
	if place == task.Full {
		return out, door.BadRequest("%d suggestions are open, and no more are taken; the person has to decide about some",
			task.MaxSuggestions)
	}
	return wire.SuggestReply{Place: string(place), ID: string(name)}, err
}

func (s *Server) suggestionAccept(
	c *door.Call, in wire.SuggestionAcceptRequest,
) (out wire.Task, err error) {
	d := feature.Decided{Accept: true, Instruction: in.Instruction, By: c.Decider(), Channel: c.Channel()}
	one, err := s.decideSuggestion(c, in.ID, d)
	if err != nil {
		return out, err
	}
	return s.wireTask(one.Task), nil
}

func (s *Server) suggestionDismiss(c *door.Call, in wire.Named) (out wire.Suggestion, err error) {
	one, err := s.decideSuggestion(c, in.ID, feature.Decided{By: c.Decider(), Channel: c.Channel()})
	return wireSuggestion(task.Slug(in.ID), one), err
}

// decideSuggestion records a decision, carries it out, and returns the suggestion as it is then.
func (s *Server) decideSuggestion(c *door.Call, name string, d feature.Decided) (one task.Suggestion, err error) {
	if err := task.CheckSlug(name); err != nil {
		return one, door.BadRequest("%v", err)
	}
	if len(d.Instruction) > maxObjective || !utf8.ValidString(d.Instruction) {
		return one, door.BadRequest("an instruction must be UTF-8 and has at most %d bytes", maxObjective)
	}
	d.Name = task.Slug(name)
	one, err = s.cfg.Suggestions.Get(d.Name)
	if err != nil {
		return one, err
	}
	if one.Status == task.Open {
		if err := s.cfg.Core.DecideSuggestion(one.Ask(d.Name).ID, d); err != nil {
			return one, err
		}
	}
	if err := s.Decide(c.Ctx, d); err != nil {
		return one, err
	}
	one, err = s.cfg.Suggestions.Get(d.Name)
	if err == nil && (one.Status == task.Accepted) != d.Accept {
		err = fmt.Errorf("%w: the suggestion is %s", ask.ErrSettled, strings.ToLower(string(one.Status)))
	}
	return one, err
}

// Decide carries out what the person decided about a suggestion. Doing it twice comes to the same:
// one task.
func (s *Server) Decide(ctx context.Context, d feature.Decided) error {
	s.deciding.Lock()
	defer s.deciding.Unlock()
	one, err := s.cfg.Suggestions.Get(d.Name)
	if errors.Is(err, core.ErrNotFound) {
		return core.GiveUp(err)
	}
	if err != nil {
		return err
	}
	if one.Status != task.Open {
		return s.noteDecided(d, one)
	}
	if !d.Accept {
		if err := s.cfg.Suggestions.Set(d.Name, task.Dismissed, ""); err != nil {
			return err
		}
		return s.cfg.Core.SuggestionSettled(d, "", "")
	}
	c := door.OnBehalf(ctx, d.By, d.Channel)
	made, trouble, err := s.makeTask(c, d, one)
	if err != nil {
		return err
	}
	return s.cfg.Core.SuggestionSettled(d, made, trouble)
}

// noteDecided journals a decision that was carried out by a coordinator that died before it could
// journal it.
func (s *Server) noteDecided(d feature.Decided, one task.Suggestion) error {
	noted, err := s.cfg.Core.Noted(event.SuggestionDecided, string(d.Name))
	if err != nil || noted || (one.Status == task.Accepted) != d.Accept {
		return err
	}
	return s.cfg.Core.SuggestionSettled(d, one.Task, "")
}

// makeTask makes the task of a suggestion and starts it. It returns why the task could not be
// started, "" if it was.
func (s *Server) makeTask(
	c *door.Call, d feature.Decided, one task.Suggestion,
) (made task.Slug, trouble string, err error) {
	sum := sha256.Sum256([]byte(one.Ask(d.Name).ID))
	key := base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(sum[:16]) // in the form of a run's id
	w, err := s.taskNew(c, wire.TaskNewRequest{
		Key:       key,
		Title:     text.Clip(cmp.Or(one.Title, string(d.Name)), maxTitle),
		Objective: one.Objective(d.Instruction),
	})
	if err != nil {
		return "", "", err
	}
	made = task.Slug(w.ID)
	if w.Run == "" {
		if _, err := s.taskStart(c, wire.TaskStartRequest{Key: key, ID: w.ID}); err != nil {
			trouble = err.Error()
		}
	}
	return made, trouble, s.cfg.Suggestions.Set(d.Name, task.Accepted, made)
}
