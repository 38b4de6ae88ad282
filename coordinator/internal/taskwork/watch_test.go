package taskwork

import (
	"context"
	"crypto/rand"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/feature"
	"github.com/afar-sh/afar/coordinator/internal/message"
	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/internal/store"
	"github.com/afar-sh/afar/coordinator/internal/task"
	"github.com/afar-sh/afar/coordinator/internal/wake"
)

// A bench is a worker over a real folder, with task a, whose first turn has ended.
type bench struct {
	*testing.T
	core    *feature.Core
	store   *store.Store
	folders Folders
	changed *wake.Subscription
}

func newBench(t *testing.T) *bench {
	b := &bench{T: t, folders: folders(t)}
	log := slog.New(slog.NewTextHandler(t.Output(), nil))
	var err error
	b.store, err = store.Open(filepath.Join(t.TempDir(), "afar.db"))
	b.ok(err)
	t.Cleanup(func() { b.store.Close() })
	b.core, err = feature.New(core.Config{
		Store: b.store, Log: log, Now: time.Now, Secret: rand.Text,
	})
	b.ok(err)
	_, err = b.core.NewTask(task.Task{Slug: "a", Key: "k", By: "Ann"})
	b.ok(err)
	b.turn()
	b.changed = b.core.Subscribe(core.Anything)
	t.Cleanup(b.changed.Close)
	worker := New(b.core, b.folders, runOf, Sweep{}, log)
	ctx, cancel := context.WithCancel(context.Background())
	var works sync.WaitGroup
	works.Go(func() { worker.Run(ctx) })
	t.Cleanup(func() { cancel(); works.Wait() }) // before the store is closed
	return b
}

func runOf(t task.Task) (run.Run, error) {
	return run.Run{ID: "run_1", Dir: "/w/" + string(t.Slug), Conversation: "c-1", By: t.By}, nil
}

// turn lets a run work on task a for one turn.
func (b *bench) turn() {
	b.Helper()
	r, _ := runOf(task.Task{Slug: "a", By: "Ann"})
	first := message.Message{Key: "task:one", Text: "first", By: "Ann"}
	r, err := b.core.StartTask("a", core.Start{Run: r, First: first})
	b.ok(err)
	_, err = b.core.HearTurn(r.ID, r.Fence, 1, []run.Event{{Kind: run.Init}, {Kind: run.Result, Text: "done"}})
	b.ok(err)
	b.ok(b.core.EndTurn(r.ID, r.Fence, run.End{Result: true}))
}

func (b *bench) ok(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

func (b *bench) path(name string) string { return filepath.Join(b.folders.Dir("a"), name) }

// quiet waits until nothing has changed for a moment, so that only the next edit wakes the worker.
func (b *bench) quiet() {
	for {
		select {
		case <-b.changed.C:
		case <-time.After(100 * time.Millisecond):
			return
		}
	}
}

func (b *bench) write(name, text string) {
	b.Helper()
	b.quiet()
	b.ok(os.WriteFile(b.path(name), []byte(text), 0o600))
}

// within waits for a change after which f returns true.
func (b *bench) within(what string, f func() bool) {
	b.Helper()
	late := time.After(time.Minute)
	for !f() {
		select {
		case <-b.changed.C:
		case <-late:
			b.Fatalf("never: %s", what)
		}
	}
}

// open returns the open questions.
func (b *bench) open() (all []ask.Ask) {
	for _, a := range b.core.Asks(false) {
		if a.State == ask.Open {
			all = append(all, a)
		}
	}
	return all
}

// told returns what the person was told of task a.
func (b *bench) told() (all []string) {
	b.Helper()
	events, err := b.store.Journal(0, 1000, "", false)
	b.ok(err)
	for _, e := range events {
		if e.Kind == "task.told" {
			all = append(all, e.Text)
		}
	}
	return all
}

// TestEditedCheckpoint: a checkpoint.md that a person writes, changes or removes by hand is asked
// about, asked about anew or withdrawn, without any turn.
func TestEditedCheckpoint(t *testing.T) {
	b := newBench(t)
	asks := func(need string) func() bool {
		return func() bool {
			open := b.open()
			return len(open) == 1 && open[0].Form.Questions[0].Text == need
		}
	}
	b.write(checkpointFile, "# Checkpoint: Mail\n\n## What I Need From You\nSend it?\n")
	b.within("the question", asks("Send it?"))
	b.write(checkpointFile, "# Checkpoint: Mail\n\n## What I Need From You\nSend both?\n")
	b.within("the question of the changed file", asks("Send both?"))
	b.quiet()
	b.ok(os.Remove(b.path(checkpointFile)))
	b.within("the end of the question", func() bool { return len(b.open()) == 0 })
}

// TestEditedState: a state.md that cannot be read any more is told once, with its line, and kept.
// Once it can be read again, the task goes on with the texts that wait.
func TestEditedState(t *testing.T) {
	b := newBench(t)
	broken := "# A\r\n\r\n## Current State\r\nSTATUS: PERHAPS\r\n"
	b.write(stateFile, broken)
	b.within("word of the fault", func() bool { return len(b.told()) > 0 })
	for _, want := range []string{"Task A: state.md, line 3: unknown status", "leaves the file as it is"} {
		if told := b.told()[0]; !strings.Contains(told, want) {
			t.Errorf("the person is told %q, without %q", told, want)
		}
	}
	_, _, err := b.core.Send(message.Message{Key: "m", Task: "a", Text: "go on", By: "Ann"}, "")
	b.ok(err)
	b.write("notes.md", "another file") // a second look
	b.core.TouchTasks()
	if raw, err := os.ReadFile(b.path(stateFile)); err != nil || string(raw) != broken {
		t.Errorf("the file is %q, %v", raw, err)
	}

	b.write(stateFile, task.NewState("A", "do it", time.Now()))
	b.within("the next turn", func() bool {
		v, _ := b.core.Task("a")
		r, _ := b.core.TaskRun(v)
		return r.Fence == 2 && !r.Settled() && v.Fault == ""
	})
	if told := b.told(); len(told) != 1 {
		t.Errorf("told %q", told)
	}
}

// TestEditedGaps: a page that shows gaps.md is told that somebody has edited the file.
func TestEditedGaps(t *testing.T) {
	b := newBench(t)
	dir := t.TempDir()
	gaps := filepath.Join(dir, "gaps.md")
	keeper := NewKeeper(b.core, NewSuggestions(filepath.Join(dir, "suggestions")),
		NewNotebook(filepath.Join(dir, "inbox.md")), NewNotebook(gaps), nil,
		slog.New(slog.NewTextHandler(t.Output(), nil)))
	ctx, cancel := context.WithCancel(context.Background())
	var works sync.WaitGroup
	works.Go(func() { keeper.Run(ctx) })
	defer func() { cancel(); works.Wait() }()
	for range 5 { // what the bench itself has changed is seen later than that
		b.quiet()
	}
	b.ok(os.WriteFile(gaps, []byte("## 2026-01-01: No printer\n"), 0o600))
	select {
	case <-b.changed.C:
	case <-time.After(time.Minute):
		t.Error("nobody is told")
	}
}
