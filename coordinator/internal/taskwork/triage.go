package taskwork

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/background"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/feature"
	"github.com/afar-sh/afar/coordinator/internal/message"
	"github.com/afar-sh/afar/coordinator/internal/schema"
	"github.com/afar-sh/afar/coordinator/internal/task"
)

// An AskFunc puts a question to a model, and returns an answer that fits the schema; see
// backgroundwork.Queue.
type AskFunc func(ctx context.Context, about, text string, form schema.Schema) (json.RawMessage, error)

// A Triage sorts the events that come in.
type Triage struct {
	core    *feature.Core
	folders Folders
	ask     AskFunc
	known   func(topics string) string
	now     func() time.Time
	log     *slog.Logger
}

// NewTriage returns a triage that asks a model with ask. known returns what memory has about some
// topics.
func NewTriage(
	c *feature.Core, folders Folders, ask AskFunc, known func(topics string) string, now func() time.Time,
	log *slog.Logger,
) *Triage {
	return &Triage{core: c, folders: folders, ask: ask, known: known, now: now, log: log}
}

// triageAgain is the pause after core could not record what becomes of events.
const triageAgain = 10 * time.Second

// Run works until ctx ends.
func (t *Triage) Run(ctx context.Context) {
	sub := t.core.Subscribe(core.Triaged)
	defer sub.Close()
	for ctx.Err() == nil {
		events := t.core.Events()
		wait := time.Hour
		if len(events) > 0 {
			wait = task.CollectedAt(events).Sub(t.now())
		}
		if wait <= 0 {
			wait = t.sort(ctx, task.Batch(events))
		}
		if wait <= 0 {
			continue
		}
		timer := time.NewTimer(wait)
		select {
		case <-sub.C:
		case <-timer.C:
		case <-ctx.Done():
		}
		timer.Stop()
	}
}

// sort files events. It returns how long to wait if that is not possible now.
func (t *Triage) sort(ctx context.Context, events []task.Event) (wait time.Duration) {
	verdicts, wait := t.verdicts(ctx, events)
	if wait > 0 || ctx.Err() != nil {
		return wait
	}
	if err := t.core.FileEvents(verdicts); err != nil {
		t.log.Error("file events", "err", err)
		return triageAgain
	}
	return 0
}

// verdicts asks what becomes of events. Without an answer they are unsorted, but after a failure
// a moment ago they wait.
func (t *Triage) verdicts(ctx context.Context, events []task.Event) ([]task.Verdict, time.Duration) {
	shown, err := Active(t.core, t.folders)
	if err != nil {
		t.log.Error("read the tasks", "err", err)
	}
	nonce := strings.ToLower(rand.Text())
	fence := func(source, text string) string { return message.Fence(source, text, nonce) }
	question := task.TriageQuestion(shown, events, t.known(task.Topics(events)), fence)
	answer, err := t.ask(ctx, "triage", question, triageSchema)
	var rest *background.Rest
	switch {
	case err == nil:
		return task.Sort(answer, events, shown, t.over), 0
	case errors.As(err, &rest) && rest.Until.Sub(t.now()) > 0 && rest.Until.Sub(t.now()) <= mostRest:
		return nil, rest.Until.Sub(t.now())
	}
	return task.Unsorted(events, err.Error()), 0
}

// mostRest is how long events wait for the end of a pause. For a new day's budget they do not.
const mostRest = 15 * time.Minute

// over reports whether a task has ended since the question.
func (t *Triage) over(slug task.Slug) bool {
	s, err := t.folders.State(slug)
	return err != nil || s.Status.Over()
}

// triageSchema is the form of the answer.
var triageSchema = schema.Object(map[string]schema.Schema{
	"events": schema.Array(schema.Object(map[string]schema.Schema{
		"event":   schema.Text(10, "the number of the event"),
		"do":      schema.OneOf(task.Decisions()...),
		"tasks":   schema.Array(schema.Text(80, "the name of a task"), 20),
		"title":   schema.Text(200, "of the suggestion, in a few words"),
		"urgency": schema.Text(40, "urgent, normal or low; any other word is normal"),
		"summary": schema.Text(task.MaxSuggestionPart, "what to do"),
		"reason":  schema.Text(task.MaxSuggestionPart, "why"),
	}), 200),
})
