package taskwork

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/background"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/message"
	"github.com/afar-sh/afar/coordinator/internal/schema"
	"github.com/afar-sh/afar/coordinator/internal/task"
)

// A Sweep says how often a worker sweeps the tasks, and whom it asks.
type Sweep struct {
	Every time.Duration // 0 for never
	Ask   AskFunc
	Now   func() time.Time
}

// sweep applies the rules of the sweep to each task, and asks a model about those that they
// leave undecided. The answer comes to w.advice.
func (w *Worker) sweep(ctx context.Context) {
	var left []task.Case
	for _, t := range w.core.Tasks() {
		c, undecided, err := w.sweepTask(t)
		if err != nil {
			w.log.Error("sweep a task", "task", t.Slug, "err", err)
		}
		if undecided {
			left = append(left, c)
		}
	}
	if len(left) == 0 || w.asking {
		return
	}
	w.asking = true
	w.parts.Go(func() { w.advice <- w.askAbout(ctx, task.Cases(left)) })
}

// sweepTask applies the rules of the sweep to a task. It returns what a model is to be told of
// it if they leave it undecided.
func (w *Worker) sweepTask(t task.Task) (c task.Case, undecided bool, err error) {
	s, err := w.folders.State(t.Slug)
	if err != nil {
		return c, false, err
	}
	rule, rest, err := w.core.SweepTask(t.Slug, s)
	if err == nil && rule == task.GoOn {
		err = w.goOn(t, "sweep", true, t.WentOn(s, rest, w.set.Now()))
	}
	return task.Case{Task: t, State: s, Rest: rest}, rule == task.Undecided, err
}

// askAbout returns the advice of a model about tasks, none if there is no answer: the next sweep
// asks again.
func (w *Worker) askAbout(ctx context.Context, cases []task.Case) []task.Advice {
	nonce := strings.ToLower(rand.Text())
	fence := func(source, text string) string { return message.Fence(source, text, nonce) }
	question := task.SweepQuestion(cases, w.set.Now().In(w.folders.loc), fence)
	answer, err := w.set.Ask(ctx, "sweep", question, sweepSchema)
	if err != nil {
		level := slog.LevelWarn
		var rest *background.Rest
		if errors.As(err, &rest) {
			level = slog.LevelDebug
		}
		w.log.Log(ctx, level, "ask about tasks", "err", err)
		return nil
	}
	return task.ReadAdvice(answer, cases)
}

// follow carries out the advice of a model.
func (w *Worker) follow(all []task.Advice) {
	w.asking = false
	for _, a := range all {
		if err := w.followOne(a); err != nil && !errors.Is(err, core.ErrTaken) && !errors.Is(err, core.ErrStopped) {
			w.log.Error("follow the advice about a task", "task", a.Case.Task.Slug, "err", err)
		}
	}
}

func (w *Worker) followOne(a task.Advice) error {
	s, err := w.folders.State(a.Case.Task.Slug)
	if err != nil {
		return err
	}
	t, goOn, err := w.core.FollowAdvice(a, s)
	if err != nil || !goOn {
		return err
	}
	return w.goOn(t, "sweep", true, t.Advised)
}

// sweepSchema is the form of the answer.
var sweepSchema = schema.Object(map[string]schema.Schema{
	"tasks": schema.Array(schema.Object(map[string]schema.Schema{
		"task":   schema.Text(80, "the name of the task"),
		"do":     schema.OneOf(task.Advices()...),
		"reason": schema.Text(task.MaxSuggestionPart, "what the person should know, in at most 300 characters"),
	}), 200),
})
