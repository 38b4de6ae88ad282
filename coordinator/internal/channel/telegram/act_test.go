package telegram

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"os"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/channel"
	texts "github.com/afar-sh/afar/coordinator/internal/message"
	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/wire"
)

// actKey is the key of the act in these tests.
const actKey = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

// An acted is an operation that the phone asks for: the request, and how many effects of it there are.
type acted struct {
	in     any
	commit bool // it is one step of core, and so one commit
	effect func(r *rig) int
}

// acts are the cases of TestActOnce, by operation.
func acts(dir, token string) map[string]acted {
	none := func(*rig) int { return 1 }
	journalled := func(kind string) func(r *rig) int { return func(r *rig) int { return r.journalled(kind) } }
	runs := func(more int) func(r *rig) int { return func(r *rig) int { return len(r.core.Runs()) - more } }
	return map[string]acted{
		"run":       {wire.RunRequest{ID: "deps"}, true, none},
		"runs":      {wire.RunsRequest{}, true, none},
		"grants":    {wire.None{}, true, none},
		"tasks":     {wire.None{}, true, none},
		"task":      {wire.TaskRequest{ID: "taxes"}, true, none},
		"run.start": {wire.RunStartRequest{ID: actKey, Dir: dir, Prompt: "x"}, true, runs(1)},
		"run.stop":  {wire.RunRequest{ID: "deps"}, true, journalled("run.stopped")},
		"turn.stop": {wire.TurnStopRequest{ID: token}, true, journalled("turn.stopped")},
		"away":      {wire.AwayRequest{Mode: "on"}, true, journalled("away.set")},
		"pause":     {wire.PauseRequest{On: true}, true, journalled("pause.set")},
		"send": {wire.SendRequest{ID: actKey, To: token, Text: "go on"}, true, func(r *rig) int {
			return r.texts("go on")
		}},
		"task.new": {wire.TaskNewRequest{Key: actKey, Title: "New", Start: true}, false, func(r *rig) int {
			return len(r.core.Tasks()) - 1 + len(r.core.Runs()) - 2
		}},
		"memory.add": {wire.MemoryAddRequest{Title: "Deploys", Text: "go through staging"}, false, func(r *rig) int {
			return r.facts("Deploys")
		}},
	}
}

// TestActOnce carries out each operation that the phone asks for as if the coordinator had died before it ended the
// update, and handled it again: there is one effect and one reply. A step of core is one commit, so nothing can come
// between its effect and its end.
func TestActOnce(t *testing.T) {
	t.Parallel()
	for _, saying := range sayings() {
		t.Run(saying.op, func(t *testing.T) {
			r := newStillRig(t)
			r.withTasks()
			dir := r.path("shop")
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			v, err := r.core.See(session.Sighting{ID: "s1", Cwd: dir, Hooked: true, State: session.Working})
			r.ok(err)
			_, err = r.core.StartRun(run.Run{ID: "run_1", Name: "deps", Dir: dir, Conversation: "c1"},
				texts.Message{Key: "first", Text: "go", By: "Ann"})
			r.ok(err)
			_, err = r.ch.cfg.Call(r.ctx, "Ann", "task.new", wire.TaskNewRequest{Key: "taxes", Title: "Taxes"})
			r.ok(err)
			c, known := acts(dir, v.Token)[saying.op]
			if !known {
				t.Fatal("the operation has no case")
			}
			act := channel.Act{Channel: Name, Update: 7, At: "11", By: "Ann", Key: actKey}
			r.ok(r.core.Receive([]channel.Update{{Channel: Name, ID: 7, Body: []byte("{}")}}))
			if !c.commit { // it dies after the last effect, before the end of the update
				_, err := r.ch.cfg.Call(r.ctx, "Ann", saying.op, c.in)
				r.ok(err)
				r.close()
				r.open()
				r.withTasks()
			}
			before := r.commits()
			r.ok(r.ch.cfg.Act(context.Background(), act, saying.op, c.in))
			if n := r.commits() - before; c.commit && n != 1 {
				t.Errorf("%d commits, want 1", n)
			}
			left, err := r.core.Received(Name)
			r.ok(err)
			a, ok, _, err := r.store.Due(Name, time.Now().Add(time.Hour), time.UnixMilli(0), "")
			r.ok(err)
			var s channel.Settlement
			r.ok(json.Unmarshal([]byte(a.Data), &s))
			if !ok || len(left) > 0 || s.Reply == nil || s.Reply.Op != saying.op || s.Reply.Error != "" {
				t.Errorf("%d updates wait, and the reply is %s", len(left), a.Data)
			}
			if n := c.effect(r); n != 1 {
				t.Errorf("%d effects, want 1", n)
			}
		})
	}
}

// commits counts the transactions in SQLite's log.
func (r *rig) commits() (n int) {
	r.Helper()
	log, err := os.ReadFile(r.path("afar.db-wal"))
	r.ok(err)
	const header, frameHeader = 32, 24
	page := int(binary.BigEndian.Uint32(log[8:]))
	for at := header; at+frameHeader <= len(log); at += frameHeader + page {
		if binary.BigEndian.Uint32(log[at+4:]) != 0 { // only the last frame of a transaction has the size
			n++
		}
	}
	return n
}

// journalled counts the entries of one kind.
func (r *rig) journalled(kind string) (n int) {
	r.Helper()
	all, err := r.core.Journal(r.ctx, 0, 1000, "", false)
	r.ok(err)
	for _, e := range all {
		if string(e.Kind) == kind {
			n++
		}
	}
	return n
}

// texts counts the messages with a text.
func (r *rig) texts(text string) (n int) {
	for _, m := range r.core.Messages() {
		if m.Text == text {
			n++
		}
	}
	return n
}

// facts counts the facts with a title.
func (r *rig) facts(title string) (n int) {
	r.Helper()
	out, err := r.ch.cfg.Call(r.ctx, "Ann", string(wire.OpMemory), wire.MemoryRequest{})
	r.ok(err)
	for _, f := range out.(wire.MemoryReply).Facts {
		if f.Title == title {
			n++
		}
	}
	return n
}
