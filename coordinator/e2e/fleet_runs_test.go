//go:build unix

package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/standin/botapi"
	"github.com/afar-sh/afar/coordinator/standin/long"
	"github.com/afar-sh/afar/coordinator/wire"
)

// An agency is a machine whose agent is a script: it prints what comes through a pipe, and then says that it is done.
type agency struct {
	*phone
	room string
	pipe *os.File
}

const agencyScript = `#!/bin/bash
prompt=$(cat)
echo '{"type":"system","subtype":"hook_started","hook_event":"SessionStart"}'
echo '{"type":"system","subtype":"init","model":"m","claude_code_version":"9.9.9","plugins":[{"name":"afar"}]}'
read -r line <"$ROOM/pipe"
echo "$line"
`

// hires gives a machine its agent.
func (p *phone) hires() *agency {
	p.t.Helper()
	a := &agency{phone: p, room: p.t.TempDir()}
	config := fmt.Sprintf("[agents.claude]\ncommand = [%q]\nenv_file = %q\n[runs]\nwall = \"off\"\n",
		filepath.Join(a.room, "agent"), filepath.Join(a.room, "keys"))
	for file, text := range map[string]string{
		p.dirs.ConfigFile(): config, filepath.Join(a.room, "keys"): "ROOM=" + a.room + "\n",
		filepath.Join(a.room, "agent"): agencyScript,
	} {
		if err := os.WriteFile(file, []byte(text), 0o700); err != nil {
			p.t.Fatal(err)
		}
	}
	if err := os.Chmod(filepath.Join(a.room, "keys"), 0o600); err != nil {
		p.t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(a.room, "pipe"), 0o600); err != nil {
		p.t.Fatal(err)
	}
	var err error
	if a.pipe, err = os.OpenFile(filepath.Join(a.room, "pipe"), os.O_RDWR, 0); err != nil { // never waits for a reader
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { a.pipe.Close() })
	p.stopped()
	p.alone("status")
	return a
}

// result ends the turn of the agent with a result.
func (a *agency) result(said string) {
	a.t.Helper()
	line, err := json.Marshal(map[string]any{
		"type": "result", "is_error": false, "terminal_reason": "completed", "result": said,
	})
	if err == nil {
		_, err = a.pipe.Write(append(line, '\n'))
	}
	if err != nil {
		a.t.Fatal(err)
	}
}

// hasButton reports whether a message has a button.
func hasButton(m botapi.Message, label string) bool {
	for _, row := range m.Keyboard {
		for _, b := range row {
			if b.Label == label {
				return true
			}
		}
	}
	return false
}

// TestFleetRuns checks that a run on another machine is started, shown, written to and stopped from the phone, the page
// and the command line of the hub, and that its result comes to the phone with its buttons.
func TestFleetRuns(t *testing.T) {
	long.InCI(t)
	t.Parallel()
	r := newFleetRigOn(t, pagedNest(t))
	build := r.join("build").hires()
	r.connected("build")
	if _, err := build.start("SessionStart", build.session("s", "x").with(payload{"source": "startup"})).wait(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(r.trails(build.phone), build.alone("run", "list", "--json"))
		}
	})
	web := r.browser()
	var status wire.StatusReply
	build.call(wire.OpStatus, nil, &status)
	r.shows("build", status.Sessions[0].Token+"@build")

	tap := func(m botapi.Message, label string) {
		t.Helper()
		if _, err := r.ann.Tap(m.ID, label); err != nil {
			t.Fatal(err)
		}
	}
	reply := func(m botapi.Message, text string) {
		t.Helper()
		if _, err := r.ann.Reply(m.ID, text); err != nil {
			t.Fatal(err)
		}
	}

	r.ann.Say(annID, "/run @build:project tidy the shelves")
	r.await("that it is on its way", func(m botapi.Message) bool { return m.Text == "📤 On its way to build." })
	started := r.await("that it works", func(m botapi.Message) bool { return strings.Contains(m.Text, "works in") })
	var runs wire.RunsReply
	build.call(wire.OpRuns, wire.RunsRequest{}, &runs)
	if len(runs.Runs) != 1 {
		t.Fatalf("the runs of build: %+v", runs.Runs)
	}
	name := runs.Runs[0].Name + "@build"
	if !strings.Contains(started.Text, name) {
		t.Errorf("the phone says %q; want the address %s", started.Text, name)
	}

	tap(started, "What it did")
	r.await("what it did", func(m botapi.Message) bool {
		return strings.Contains(m.Text, name+": ") && hasButton(m, "Stop ⏹") && m.ID != started.ID
	})
	reply(started, "and the cellar")
	r.await("when it gets it", func(m botapi.Message) bool { return strings.Contains(m.Text, "run "+name+" gets it") })

	build.result("All shelves are tidy.")
	ended := r.await("the result", func(m botapi.Message) bool {
		return strings.Contains(m.Text, "All shelves are tidy.") && hasButton(m, "What it did")
	})
	if !strings.Contains(ended.Text, name) {
		t.Errorf("the result says %q", ended.Text)
	}
	build.result(strings.Repeat("The cellar has many shelves. ", 300)) // the text began another turn
	r.await("the long result as a file", func(m botapi.Message) bool {
		return m.Document != nil && strings.Contains(m.Text, name)
	})

	reply(ended, "once more")
	if out := r.afar("run", "show", name); !strings.Contains(out, name) {
		t.Errorf("afar run show says:\n%s", out)
	}
	became := func(state string) {
		t.Helper()
		for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
			var now wire.Run
			build.call(wire.OpRun, wire.Named{ID: runs.Runs[0].ID}, &now)
			if now.State == state {
				return
			}
			if time.Now().After(deadline) {
				t.Fatalf("the run is %s (%s), want %s\n%s", now.State, now.Why, state, r.trails(build.phone))
			}
		}
	}
	became("working")
	page := bodyOf(web.send(request{path: "/run/" + url.PathEscape(name)}))
	if !strings.Contains(page, `/stop"`) {
		t.Errorf("the page of the run has no Stop:\n%s", page)
	}
	web.send(request{path: "/run/" + url.PathEscape(name) + "/stop", form: url.Values{"back": {"/runs"}}})
	became("stopped")

	reply(ended, "and again")
	became("working")
	if out := r.afar("run", "stop", name); !strings.Contains(out, name) {
		t.Errorf("afar run stop says %q", out)
	}
	became("stopped")
}

// TestFleetMachineFlag checks that a run, a task, a trigger and a loop begin on another machine by `afar --machine`.
func TestFleetMachineFlag(t *testing.T) {
	long.InCI(t)
	t.Parallel()
	r := newFleetRig(t)
	build := r.join("build").hires()
	r.connected("build")
	if _, err := build.start("SessionStart", build.session("s", "x").with(payload{"source": "startup"})).wait(); err != nil {
		t.Fatal(err)
	}
	there := func(args ...string) string {
		t.Helper()
		return r.afar(append([]string{"--machine", "build"}, args...)...)
	}
	there("run", "start", "--name", "deps", "--dir", build.project, "follow")
	there("task", "new", "Send the invoices")
	there("trigger", "new", "nightly", "--on", "manual", "--to", "run", "--prompt", "tidy")
	var runs wire.RunsReply
	build.call(wire.OpRuns, wire.RunsRequest{}, &runs)
	var tasks wire.TasksReply
	build.call(wire.OpTasks, wire.None{}, &tasks)
	var triggers wire.TriggersReply
	build.call(wire.OpTriggers, wire.None{}, &triggers)
	there("loop", "start", "run:deps", "tidy everything", "--max", "1")
	var loops wire.LoopsReply
	build.call(wire.OpLoops, wire.None{}, &loops)
	if len(loops.Loops) != 1 || !loops.Loops[0].Active {
		t.Errorf("build has the loops %+v", loops.Loops)
	}
	if len(runs.Runs) == 0 || runs.Runs[0].Name != "deps" || len(tasks.Tasks) != 1 || len(triggers.Triggers) != 1 {
		t.Errorf("build has the runs %+v, the tasks %+v and the triggers %+v", runs.Runs, tasks.Tasks, triggers.Triggers)
	}
	build.result("done")
	build.result("done again") // of the loop's turn
	r.await("word of it", func(m botapi.Message) bool {
		return strings.Contains(m.Text, "build") && strings.Contains(m.Text, "deps")
	})
}

// TestFleetFiles checks that a file that is sent on the phone for a task of another machine gets into its folder there,
// and that the page of the hub shows it.
func TestFleetFiles(t *testing.T) {
	long.InCI(t)
	t.Parallel()
	r := newFleetRigOn(t, pagedNest(t))
	build := r.join("build")
	r.afar("--machine", "build", "task", "new", "Send the invoices")
	var tasks wire.TasksReply
	build.call(wire.OpTasks, wire.None{}, &tasks)
	if len(tasks.Tasks) != 1 {
		t.Fatalf("build has the tasks %+v", tasks.Tasks)
	}
	id := tasks.Tasks[0].ID + "@build"
	for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		var here wire.TasksReply
		r.call(wire.OpTasks, wire.None{}, &here)
		if len(here.Tasks) == 1 && here.Tasks[0].ID == id {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("the hub has the tasks %+v\n%s", here.Tasks, r.trails(build))
		}
	}
	r.ann.Say(annID, "/tasks")
	list := r.await("the tasks", func(m botapi.Message) bool { return strings.Contains(m.Text, "Send the invoices") })
	data := make([]byte, 3<<20)
	for i := range data {
		data[i] = byte(i * i >> 5)
	}
	if _, err := r.ann.SendFile(list.ID, "invoices.bin", data, ""); err != nil {
		t.Fatal(err)
	}
	kept := r.await("where it is", func(m botapi.Message) bool { return strings.Contains(m.Text, "invoices.bin is in the folder of") })
	if !strings.Contains(kept.Text, id) {
		t.Errorf("the phone says %q", kept.Text)
	}
	there, err := os.ReadFile(filepath.Join(tasks.Tasks[0].Dir, "artifacts", "invoices.bin"))
	if err != nil || !bytes.Equal(there, data) {
		t.Errorf("the task has %d bytes, %v", len(there), err)
	}
	got := bodyOf(r.browser().send(request{path: "/task/" + url.PathEscape(id) + "/file/artifacts/invoices.bin"}))
	if got != string(data) {
		t.Errorf("the page shows %d bytes of it", len(got))
	}
}
