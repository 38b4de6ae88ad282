package memorywork

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/feature"
	"github.com/afar-sh/afar/coordinator/internal/memory"
	"github.com/afar-sh/afar/coordinator/internal/message"
	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/internal/schema"
	"github.com/afar-sh/afar/coordinator/internal/store"
	"github.com/afar-sh/afar/coordinator/internal/task"
	"github.com/afar-sh/afar/coordinator/redact"
	"github.com/afar-sh/afar/coordinator/text"
)

// ExtractConfig is what an Extractor needs.
type ExtractConfig struct {
	// Ask puts a question to a model, and returns an answer that fits the schema; see
	// backgroundwork.Queue. nil asks nothing.
	Ask   func(ctx context.Context, about, text string, form schema.Schema) (json.RawMessage, error)
	State func(task.Slug) (task.State, error)
	Gaps  Notebook
}

// A Notebook is one file of the workspace that grows.
type Notebook interface {
	Read() (string, error)
	Edit(change func(string) string) error
}

// An Extractor looks at each turn of the runs of tasks once, and keeps what is worth knowing
// later. It writes completed tasks into the journal of the day.
type Extractor struct {
	w   *Worker
	cfg ExtractConfig
}

// NewExtractor returns an extractor that writes through a worker.
func NewExtractor(w *Worker, cfg ExtractConfig) *Extractor { return &Extractor{w, cfg} }

// The rule for a question, and what it shows.
const (
	leastCalls = 10             // tool calls since the last extraction
	mostAge    = 24 * time.Hour // since the end of the turn
	mostEvents = 500            // of the run, the newest ones
	maxWork    = 48_000         // bytes
	mostKnown  = 40             // titles of gaps, the newest ones
)

// Run works until ctx ends.
func (x *Extractor) Run(ctx context.Context) {
	var keeper sync.WaitGroup
	defer keeper.Wait()
	keeper.Go(func() { x.w.core.Work(ctx, feature.LaneMemory, x.keep) })
	turns := x.w.core.Subscribe(core.Turns)
	defer turns.Close()
	for {
		for _, of := range x.w.core.TurnsToExtract() {
			x.look(ctx, of)
		}
		select {
		case <-turns.C:
		case <-ctx.Done():
			return
		}
	}
}

// look extracts what is worth keeping of a turn. It is done again if it breaks off before core has
// noted it.
func (x *Extractor) look(ctx context.Context, of feature.EndedTurn) {
	to := task.Extracted{Turn: of.Run.Fence, Event: of.Task.Extracted.Event}
	keep := memory.Extract{Source: sourceOf(of), At: of.Run.Since}
	if time.Since(of.Run.Since) < mostAge {
		found, extracted := x.extract(ctx, of)
		if extracted {
			to.Event = of.Run.Events
		}
		keep.Found = x.completed(of, found)
	}
	if ctx.Err() != nil {
		return
	}
	if err := x.w.core.Extracted(of, to, keep); err != nil {
		x.w.cfg.Log.Error("note what was extracted", "task", of.Task.Slug, "err", err)
	}
}

// sourceOf names the run and the task.
func sourceOf(of feature.EndedTurn) string {
	return fmt.Sprintf("run:%s of task:%s", of.Run.Name, of.Task.Slug)
}

// extract asks a model, if the run has done enough since the last answer. Without an answer
// nothing is extracted: the next question covers the same work.
func (x *Extractor) extract(ctx context.Context, of feature.EndedTurn) (found memory.Found, extracted bool) {
	if x.cfg.Ask == nil {
		return found, false
	}
	events, err := x.w.core.RunLast(of.Run.ID, of.Run.Events+1, mostEvents)
	if err == nil {
		fresh := slices.DeleteFunc(events, func(e run.Event) bool { return e.N <= of.Task.Extracted.Event })
		if calls(fresh) < leastCalls {
			return found, false
		}
		found, err = x.ask(ctx, of, fresh)
	}
	if err != nil && ctx.Err() == nil {
		x.w.cfg.Log.Warn("extracted nothing from a turn", "task", of.Task.Slug, "run", of.Run.Name, "err", err)
	}
	return found, err == nil
}

func calls(events []run.Event) (n int) {
	for _, e := range events {
		if e.Kind == run.ToolStart {
			n++
		}
	}
	return n
}

func (x *Extractor) ask(ctx context.Context, of feature.EndedTurn, events []run.Event) (found memory.Found, err error) {
	state, err := x.cfg.State(of.Task.Slug)
	if err != nil {
		return found, err
	}
	gaps, err := x.knownGaps()
	if err != nil {
		return found, err
	}
	nonce := strings.ToLower(rand.Text())
	fence := func(source, text string) string { return message.Fence(source, text, nonce) }
	about := state.Title + "\n" + state.Objective
	work := "Task: " + text.ClipBytes(redact.Clean(about), maxAbout) + "\n\n" + workOf(events, maxWork)
	question := memory.ExtractQuestion(work, x.w.Brief(about), gaps, fence)
	answer, err := x.cfg.Ask(ctx, "extract", question, extractSchema)
	if err != nil {
		return found, err
	}
	return memory.ReadFound(answer, redact.Clean)
}

// knownGaps returns the titles of the newest gaps.
func (x *Extractor) knownGaps() (titles []string, err error) {
	file, err := x.cfg.Gaps.Read()
	all := task.ParseGaps(file)
	for _, g := range all[max(0, len(all)-mostKnown):] {
		titles = append(titles, g.Title)
	}
	return titles, err
}

// workOf returns what the newest of some events say, in at most most bytes.
func workOf(events []run.Event, most int) string {
	var lines []string
	for _, e := range slices.Backward(events) {
		line := lineOf(e)
		if line == "" {
			continue
		}
		if most -= len(line) + 1; most < 0 {
			break
		}
		lines = append(lines, line)
	}
	slices.Reverse(lines)
	return strings.Join(lines, "\n")
}

// How much of an event is shown, in characters.
const (
	maxSaid = 3000
	maxDone = 300
)

// lineOf returns what an event says, "" for nothing.
func lineOf(e run.Event) string {
	switch e.Kind {
	case run.Text:
		return "The agent: " + text.Clip(redact.Clean(e.Text), maxSaid)
	case run.Result:
		return "The turn came to: " + text.Clip(redact.Clean(e.Text), maxSaid)
	case run.ToolStart:
		return "Call of " + e.Tool + ": " + text.Clip(redact.Clean(e.Text), maxDone)
	case run.ToolResult, run.Error:
		return "Its result: " + text.Clip(redact.Clean(e.Text), maxDone)
	}
	return ""
}

// completed returns what was found with the entry of a completed task, if the task is completed.
func (x *Extractor) completed(of feature.EndedTurn, found memory.Found) memory.Found {
	s, err := x.cfg.State(of.Task.Slug)
	if err != nil || s.Status != task.Completed {
		return found
	}
	found.Entry.Title = "Task done: " + redact.Clean(cmp.Or(s.Title, string(of.Task.Slug)))
	found.Entry.Text = cmp.Or(found.Entry.Text, text.Clip(redact.Clean(of.Run.Result), memory.MaxFoundText))
	return found
}

// mostTries is how often an extract is written before it is given up.
const mostTries = 10

// keep carries out an action. Doing it twice comes to the same.
func (x *Extractor) keep(_ context.Context, a store.Action) error {
	var e memory.Extract
	if err := json.Unmarshal([]byte(a.Data), &e); err != nil {
		return core.GiveUp(err)
	}
	e.At = e.At.Local()
	err := errors.Join(x.keepFacts(e), x.keepGaps(e), x.keepEntry(e))
	if err != nil && a.Tries >= mostTries {
		return core.GiveUp(err)
	}
	return err
}

// keepFacts adds the facts that the person has not deleted.
func (x *Extractor) keepFacts(e memory.Extract) (err error) {
	for _, item := range e.Facts {
		_, _, failed := x.w.Add(memory.Fact{Title: item.Title, Text: item.Text, From: e.At, Source: e.Source}, false)
		if errors.Is(failed, memory.ErrForgotten) {
			x.w.cfg.Log.Info("a fact stays deleted", "source", e.Source)
			continue
		}
		err = errors.Join(err, failed)
	}
	return err
}

func (x *Extractor) keepGaps(e memory.Extract) error {
	if len(e.Gaps) == 0 {
		return nil
	}
	return x.cfg.Gaps.Edit(func(file string) string {
		for _, item := range e.Gaps {
			file, _, _ = task.AddGap(file, task.Gap{
				Date:    e.At.Format(time.DateOnly),
				Title:   item.Title,
				Problem: item.Text,
				Source:  e.Source,
			})
		}
		return file
	})
}

func (x *Extractor) keepEntry(e memory.Extract) error {
	if e.Entry.Title == "" {
		return nil
	}
	return x.w.note(memory.Entry{Heading: e.Entry.Title, Text: e.Entry.Text, Source: e.Source}, e.At)
}

// extractSchema is the form of the answer.
var extractSchema = schema.Object(map[string]schema.Schema{
	"facts": schema.Array(itemSchema("the fact, in one short sentence"), memory.MostFacts),
	"gaps":  schema.Array(itemSchema("the gap, in a few words"), memory.MostGaps),
	"entry": itemSchema("what was done, in a few words"),
})

func itemSchema(title string) schema.Schema {
	return schema.Object(map[string]schema.Schema{
		"title": schema.Text(memory.MaxFoundTitle, title),
		"text":  schema.Text(memory.MaxFoundText, "one to three sentences"),
	})
}
