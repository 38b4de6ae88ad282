package taskwork

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"log/slog"
	mathrand "math/rand/v2"
	"os"
	"os/exec"
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
	"github.com/afar-sh/afar/coordinator/standin/long"
)

// The variables of a process that is to be killed: its home, and how much it has to do.
const (
	killDir = "AFAR_TEST_TASK_HOME"
	killFor = "AFAR_TEST_TASK_SIZE" // events, checkpoints
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(killDir); dir != "" {
		if err := workUntilKilled(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// A victim is a coordinator's work on tasks and events, with a stand-in for the model, for the
// agent of task asks and for the person.
type victim struct {
	dir                 string
	db                  *store.Store
	core                *feature.Core
	folders             Folders
	inbox               *Notebook
	keeper              *Keeper
	events, checkpoints int
}

func newVictim(dir, size string) (v *victim, err error) {
	v = &victim{dir: dir, inbox: NewNotebook(filepath.Join(dir, "inbox.md"))}
	if _, err := fmt.Sscanf(size, "%d,%d", &v.events, &v.checkpoints); err != nil {
		return nil, err
	}
	if v.db, err = store.Open(filepath.Join(dir, "afar.db")); err != nil {
		return nil, err
	}
	log := slog.New(slog.NewTextHandler(io.Discard, nil))
	v.core, err = feature.New(core.Config{Store: v.db, Log: log, Now: time.Now, Secret: hexWord})
	v.folders = NewFolders(filepath.Join(dir, "tasks"), filepath.Join(dir, "marks"), time.UTC)
	gaps := NewNotebook(filepath.Join(dir, "gaps.md"))
	v.keeper = NewKeeper(v.core, NewSuggestions(filepath.Join(dir, "suggestions")), v.inbox, gaps, nil, log)
	return v, err
}

func hexWord() string { return fmt.Sprintf("%x", rand.Text()) }

func workUntilKilled(dir string) error {
	v, err := newVictim(dir, os.Getenv(killFor))
	if err != nil {
		return err
	}
	for _, slug := range []task.Slug{"tax", "asks"} {
		if _, err := v.core.NewTask(task.Task{Slug: slug, Key: string(slug), By: "Ann"}); err != nil {
			return err
		}
		if state, err := v.folders.State(slug); err != nil || state.Text == "" {
			if err := v.folders.Make(slug, string(slug), "do it", time.Now()); err != nil {
				return err
			}
		}
	}
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError}))
	ctx := context.Background()
	later := func() time.Time { return time.Now().Add(time.Hour) } // no event is waited for
	var parts sync.WaitGroup
	for _, part := range []func(context.Context){
		v.core.Run, New(v.core, v.folders, v.begin, Sweep{}, log).Run, v.keeper.Run,
		NewTriage(v.core, v.folders, new(sorter).ask, nothingKnown, later, log).Run, v.agent, v.person, v.sender,
	} {
		parts.Go(func() { part(ctx) })
	}
	parts.Wait()
	return nil
}

func (v *victim) begin(t task.Task) (run.Run, error) {
	return run.Run{
		ID: run.ID("run_" + t.Slug), Dir: v.folders.Dir(t.Slug), Conversation: "c-" + string(t.Slug), By: t.By,
	}, nil
}

// sender sends the events, each one twice. After a kill it begins anew: a source sends again.
func (v *victim) sender(context.Context) {
	words := []string{"task", "new", "spam", "odd"}
	for n := range v.events {
		m := message.Message{Key: fmt.Sprintf("event:%d", n), To: message.ToTriage, Data: true, By: "mail"}
		m.Text = fmt.Sprintf("%s number-%d-", words[n%4], n)
		for range 2 {
			if _, _, err := v.core.Send(m, ""); err != nil {
				fmt.Fprintln(os.Stderr, err)
			}
		}
	}
}

// agent carries out the turns of task asks: each one asks at a checkpoint. It writes what it
// hears behind the number of the turn.
func (v *victim) agent(context.Context) {
	sub := v.core.Subscribe(core.Turns, core.Tasks)
	defer sub.Close()
	r, _ := v.begin(task.Task{Slug: "asks", By: "Ann"})
	_, _ = v.core.StartTask("asks", core.Start{Run: r, First: message.Message{Key: "start", Text: "begin", By: "Ann"}})
	for ; ; <-sub.C {
		r, err := v.core.RunByID(r.ID)
		if err != nil || r.Settled() {
			continue
		}
		line := fmt.Sprintf("turn %d: %s\n", r.Fence, strings.ReplaceAll(r.Turn.Prompt, "\n", " "))
		heard, err := os.OpenFile(filepath.Join(v.dir, "heard"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err == nil {
			_, err = heard.WriteString(line)
			heard.Close()
		}
		if n := int(r.Fence); err == nil && n <= v.checkpoints {
			text := fmt.Sprintf("# Checkpoint: %d\n\n## What I Need From You\nAnswer.\n\n## Options\n1. [answer-%d-]\n",
				n, n)
			err = os.WriteFile(v.folders.checkpointOf("asks"), []byte(text), 0o600)
		}
		if err == nil {
			_, err = v.core.HearTurn(r.ID, r.Fence, 1, []run.Event{{Kind: run.Init}, {Kind: run.Result, Text: "done"}})
		}
		if err == nil {
			err = v.core.EndTurn(r.ID, r.Fence, run.End{Result: true})
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "the agent:", err)
		}
	}
}

// person answers each checkpoint with its only option.
func (v *victim) person(context.Context) {
	sub := v.core.Subscribe(core.Anything)
	defer sub.Close()
	for ; ; <-sub.C {
		for _, a := range v.core.Asks(false) {
			if a.Task == "asks" && a.State == ask.Open {
				_, _ = v.core.Step(a.ID, ask.Choose([]int{0}), ask.Decision{By: "Ann"}) // it may be withdrawn meanwhile
			}
		}
	}
}

// TestKilled kills the process that sorts events and asks at checkpoints again and again. Each
// event ends in exactly one place, each answer is heard in exactly one turn, and each
// checkpoint.md is gone once it was used.
func TestKilled(t *testing.T) { killAndCheck(t, 60, 12, 6) }

// TestKilledLong is TestKilled with 1,000 events.
func TestKilledLong(t *testing.T) {
	long.Only(t)
	killAndCheck(t, 1000, 120, 60)
}

func killAndCheck(t *testing.T, events, checkpoints, kills int) {
	t.Helper()
	dir, size := t.TempDir(), fmt.Sprintf("%d,%d", events, checkpoints)
	heard := func() string {
		raw, _ := os.ReadFile(filepath.Join(dir, "heard")) // not there before the first turn
		return string(raw)
	}
	for n := 0; n <= kills; n++ {
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), killDir+"="+dir, killFor+"="+size)
		child.Stderr = os.Stderr
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		span := time.Duration(50+mathrand.IntN(250)) * time.Millisecond
		end := fmt.Sprintf("turn %d: ", checkpoints+1)
		for began := time.Now(); n == kills && !strings.Contains(heard(), end) || time.Since(began) < span; {
			if time.Since(began) > time.Minute {
				t.Errorf("the work comes to no end: %s", heard())
				break
			}
			time.Sleep(5 * time.Millisecond)
		}
		_ = child.Process.Kill()
		if err := child.Wait(); err == nil || child.ProcessState.ExitCode() == 1 {
			t.Fatalf("the process ended by itself: %v", err)
		}
	}
	checkHeard(t, heard(), checkpoints)
	v, err := newVictim(dir, size)
	if err != nil {
		t.Fatal(err)
	}
	defer v.db.Close()
	v.sender(t.Context())
	for left := v.core.Events(); len(left) > 0; left = v.core.Events() {
		if err := v.core.FileEvents(task.Unsorted(task.Batch(left), "the end")); err != nil {
			t.Fatal(err)
		}
	}
	carryOut(t, v.db, v.keeper)
	checkPlaces(t, v.core, v.inbox, events)
	w := New(v.core, v.folders, v.begin, Sweep{}, slog.New(slog.NewTextHandler(t.Output(), nil)))
	w.settle()
	if _, found, err := v.folders.checkpoint("asks"); found || err != nil {
		t.Errorf("a checkpoint.md that was used is there, %v", err)
	}
}

// checkHeard checks that each answer was heard in exactly one turn.
func checkHeard(t *testing.T, heard string, checkpoints int) {
	t.Helper()
	for n := 1; n <= checkpoints; n++ {
		turns := map[string]bool{} // a turn that was killed wrote its line before
		for line := range strings.Lines(heard) {
			if turn, said, _ := strings.Cut(line, ": "); strings.Contains(said, fmt.Sprintf("answer-%d-", n)) {
				turns[turn] = true
			}
		}
		if len(turns) != 1 {
			t.Errorf("answer %d was heard in the turns %v", n, turns)
		}
	}
}
