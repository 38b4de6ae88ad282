package coordinator

import (
	"errors"
	"log/slog"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/memory"
	"github.com/afar-sh/afar/coordinator/internal/message"
	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/internal/task"
)

// TestConnected: the composition root gives the server every function that it calls. A
// missing field compiles, but panics at the first call.
func TestConnected(t *testing.T) {
	c := open(t)
	made := c.serverConfig()
	byNew := []string{"Core", "Log", "Place", "Self", "Dirs", "Bin", "Callers", "Operations", "Parts"} // New and Connect set these
	for _, set := range []any{made, made.Door, made.Hook, made.Noun, c.callers()} {
		of := reflect.ValueOf(set)
		for i := range of.NumField() {
			if name := of.Type().Field(i).Name; of.Field(i).IsZero() && !slices.Contains(byNew, name) {
				t.Errorf("%s.%s is not set", of.Type(), name)
			}
		}
	}
}

// open returns a coordinator that does not run.
func open(t *testing.T) *Coordinator {
	t.Helper()
	dirs, err := home.FromEnv(func(name string) string { return map[string]string{"AFAR_HOME": t.TempDir()}[name] })
	if err != nil {
		t.Fatal(err)
	}
	c, err := Open(Config{Dirs: dirs, Bin: t.TempDir(), Log: slog.New(slog.DiscardHandler),
		Getenv: func(string) string { return "" }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// TestActive: background questions may be asked while a task goes on, and about its last turn.
func TestActive(t *testing.T) {
	c := open(t)
	ok := func(errs ...error) {
		t.Helper()
		if err := errors.Join(errs...); err != nil {
			t.Fatal(err)
		}
	}
	want := func(want bool, when string) {
		t.Helper()
		if c.active() != want {
			t.Errorf("%s: active is %v", when, !want)
		}
	}
	want(false, "without a task")
	_, err := c.core.NewTask(task.Task{Slug: "tax", Key: "k", By: "Ann"})
	ok(err, c.tasks.Make("tax", "Pay the tax", "It is paid.", time.Now()))
	want(true, "with a task")
	r := run.Run{ID: "run_tax", Dir: "/w", Conversation: "c", By: "Ann"}
	r, err = c.core.StartTask("tax", core.Start{Run: r, First: message.Message{Key: "m", Text: "go", By: "Ann"}})
	ok(err)
	_, err = c.core.HearTurn(r.ID, r.Fence, 1, []run.Event{{Kind: run.Init}, {Kind: run.Result, Text: "paid"}})
	ok(err, c.core.EndTurn(r.ID, r.Fence, run.End{Result: true}), c.tasks.SetStatus("tax", task.Completed))
	want(true, "after the last turn")
	for _, of := range c.core.TurnsToExtract() {
		ok(c.core.Extracted(of, task.Extracted{Turn: of.Run.Fence}, memory.Extract{}))
	}
	want(false, "once the last turn was looked at")
}
