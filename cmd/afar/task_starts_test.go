//go:build unix

package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/wire"
)

// mostAtOnce is the limit of turns in TestStartsAtOnce.
const mostAtOnce = 3

// TestStartsAtOnce: of 50 calls that start the same task at once, one does. Tasks that are created
// with the same title and started at once get a run each. Each is started once, none is lost, and no
// more turns work at a time than the settings allow.
func TestStartsAtOnce(t *testing.T) {
	if testing.Short() {
		t.Skip("drives binaries of their own, which the race detector does not see")
	}
	t.Parallel()
	many := 8
	if os.Getenv("AFAR_TEST_ALL") == "1" {
		many = 50
	}
	r := &agentRun{agentRig: newAgentRig(t, adapters[0], fmt.Sprintf("max = %d", mostAtOnce)), t: t}
	r.must("task", "new", "One", "-m", "hang")
	started := 0
	for _, err := range r.atOnce(50, wire.OpTaskStart, func(key string) any {
		return wire.TaskStartRequest{Key: key, ID: "one"}
	}) {
		switch {
		case err == nil:
			started++
		case !strings.Contains(err.Error(), "works on task one already"):
			t.Errorf("a start that is not the first says %q", err)
		}
	}
	if started != 1 {
		t.Errorf("%d starts say that they began the work", started)
	}
	r.must("task", "stop", "one")
	r.acceptAtOnce()
	notes := filepath.Join(r.dir, "standin", "turns")
	objective := fmt.Sprintf("tool echo begin $PWD >> %[1]s; sleep 0.05; echo end $PWD >> %[1]s", notes)
	for _, err := range r.atOnce(many, wire.OpTaskNew, func(key string) any {
		return wire.TaskNewRequest{Key: key, Title: "Same", Objective: objective, Start: true}
	}) {
		if err != nil {
			t.Errorf("a new task: %v", err)
		}
	}
	r.untilIdle(many + 1) // and that of the suggestion
	raw, err := os.ReadFile(notes)
	if err != nil {
		t.Fatal(err)
	}
	checkTurns(t, string(raw), many)
}

// acceptAtOnce accepts one suggestion many times at once: all say the same task, and it is one.
func (r *agentRun) acceptAtOnce() {
	r.t.Helper()
	err := r.call(wire.OpSuggest, wire.SuggestRequest{Title: "Buy stamps", Summary: "text bought"}, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	for _, err := range r.atOnce(20, wire.OpSuggestionAccept, func(string) any {
		return wire.SuggestionAcceptRequest{ID: "buy-stamps"}
	}) {
		if err != nil {
			r.t.Errorf("accept a suggestion: %v", err)
		}
	}
	var out wire.TasksReply
	if err := r.call(wire.OpTasks, nil, &out); err != nil {
		r.t.Fatal(err)
	}
	if len(out.Tasks) != 2 { // and the one of the test
		r.t.Errorf("the tasks are %+v", out.Tasks)
	}
}

// call asks the coordinator as a command does, without the time that a process takes to start.
func (r *agentRig) call(op fmt.Stringer, in, out any) error {
	a := &app{getenv: environment(r.env), bin: os.Getenv(builtVar)}
	return a.exchange(context.Background(), op.String(), in, out, starting)
}

// atOnce makes many calls at once, each with a key of its own.
func (r *agentRig) atOnce(many int, op fmt.Stringer, in func(key string) any) []error {
	var all sync.WaitGroup
	errs := make([]error, many)
	for n := range errs {
		all.Go(func() { errs[n] = r.call(op, in(rand.Text()), nil) })
	}
	all.Wait()
	return errs
}

// untilIdle waits until so many runs are at rest after one turn.
func (r *agentRun) untilIdle(many int) {
	r.t.Helper()
	for end := time.Now().Add(4 * patience); ; time.Sleep(50 * time.Millisecond) {
		var out wire.RunsReply
		if err := r.call(wire.OpRuns, nil, &out); err != nil {
			r.t.Fatal(err)
		}
		idle := 0
		for _, one := range out.Runs {
			if one.State == "idle" && one.Turns == 1 {
				idle++
			}
		}
		if idle == many {
			return
		}
		if time.Now().After(end) {
			r.t.Fatalf("%d of %d runs are at rest after one turn:\n%s", idle, many, r.must("run", "list"))
		}
	}
}

// checkTurns checks notes of the turns: many tasks each had one, and few at a time.
func checkTurns(t *testing.T, notes string, many int) {
	t.Helper()
	begun, now, most := map[string]int{}, 0, 0
	for line := range strings.Lines(notes) {
		what, dir, _ := strings.Cut(strings.TrimSpace(line), " ")
		if what == "end" {
			now--
			continue
		}
		begun[dir]++
		now++
		most = max(most, now)
	}
	for dir, times := range begun {
		if times != 1 {
			t.Errorf("the work in %s began %d times", dir, times)
		}
	}
	if len(begun) != many || most > mostAtOnce {
		t.Errorf("%d tasks were worked on, want %d; %d at a time, want at most %d", len(begun), many, most, mostAtOnce)
	}
	t.Logf("%d tasks, at most %d at a time", len(begun), most)
}
