// Package backgroundwork asks a model the background questions: without tools, for an answer of
// a given form, one at a time, within the day's budget.
package backgroundwork

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/afar-sh/afar/coordinator/consult"
	"github.com/afar-sh/afar/coordinator/internal/background"
	"github.com/afar-sh/afar/coordinator/internal/feature"
	"github.com/afar-sh/afar/coordinator/internal/schema"
)

// A Queue asks the questions. Its methods may be called from any goroutine.
type Queue struct {
	core   *feature.Core
	asked  consult.Config
	active func() bool
	turn   chan struct{} // holds a value while a question is asked
}

// New returns a queue that asks the programs of a configuration. It asks nothing while active
// returns false: there is neither an active task nor a trigger.
func New(c *feature.Core, asked consult.Config, active func() bool) *Queue {
	return &Queue{core: c, asked: asked, active: active, turn: make(chan struct{}, 1)}
}

// A Question is put to a model together with the form of its answer. What others wrote must be
// fenced in its text, see message.Fence.
type Question struct {
	About  string // in one word, for the journal
	Text   string
	Schema schema.Schema
}

// Ask waits for its turn, asks, and returns an answer that fits the schema. The error is a
// *background.Rest if the question may not be asked now.
func (q *Queue) Ask(ctx context.Context, in Question) (json.RawMessage, error) {
	select {
	case q.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-q.turn }()
	if !q.active() {
		return nil, &background.Rest{Why: "there is no active task and no trigger"}
	}
	if err := q.core.BeginBackground(); err != nil {
		return nil, err
	}
	out, err := consult.AskJSON(ctx, q.asked, in.Text, in.Schema)
	if ctx.Err() != nil {
		return nil, ctx.Err() // the amount stays reserved: the program may have cost something
	}
	return out.JSON, errors.Join(err, q.core.EndBackground(in.About, out.By, out.CostUSD, err))
}

// Put is Ask with the parts of a question.
func (q *Queue) Put(ctx context.Context, about, text string, form schema.Schema) (json.RawMessage, error) {
	return q.Ask(ctx, Question{About: about, Text: text, Schema: form})
}

// PutIfInstalled is Put for a question without which all goes on: if no program is installed that
// could answer, its error is a *background.Rest and no failure of which the person is told.
func (q *Queue) PutIfInstalled(ctx context.Context, about, text string, form schema.Schema) (json.RawMessage, error) {
	if len(q.asked.Installed()) == 0 {
		return nil, &background.Rest{Why: "no program is installed that could answer"}
	}
	return q.Put(ctx, about, text, form)
}
