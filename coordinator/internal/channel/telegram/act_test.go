package telegram

import (
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/crash"
	"github.com/afar-sh/afar/coordinator/internal/grant"
	texts "github.com/afar-sh/afar/coordinator/internal/message"
	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/store"
	"github.com/afar-sh/afar/coordinator/internal/task"
	"github.com/afar-sh/afar/coordinator/internal/taskwork"
	"github.com/afar-sh/afar/coordinator/internal/undo"
	"github.com/afar-sh/afar/coordinator/standin/long"
	"github.com/afar-sh/afar/coordinator/wire"
)

// An acted is what the person does on the phone: they write say, or tap a button with the data tap. effect counts
// what has come of it, nil for nothing.
type acted struct {
	say, tap string
	effect   func(r *rig) int
}

// acts are the cases of TestActOnce, by operation. The world is that of newActRig.
func acts() map[string]acted {
	journalled := func(kind string) func(r *rig) int { return func(r *rig) int { return r.journalled(kind) } }
	said := func(file, word string) func(r *rig) int {
		return func(r *rig) int { return strings.Count(strings.ToLower(r.file(r.path("workspace/"+file))), word) }
	}
	tasks := func(r *rig) int { return len(r.core.Tasks()) }
	runs := func(r *rig) int { return len(r.core.Runs()) }
	return map[string]acted{
		"run":               {tap: "r:run_1:l"},
		"runs":              {say: "/runs"},
		"grants":            {say: "/grants"},
		"tasks":             {say: "/tasks"},
		"task":              {tap: "task:taxes:show"},
		"inbox":             {say: "/inbox"},
		"loops":             {say: "/loops"},
		"sessions":          {say: "/sessions"},
		"suggestions":       {say: "/suggestions"},
		"triggers":          {say: "/triggers"},
		"modules":           {say: "/modules"},
		"machines":          {say: "/machines"},
		"run.start":         {say: "/run @deps x", effect: runs},
		"run.stop":          {tap: "r:run_1:s", effect: journalled("run.stopped")},
		"turn.stop":         {say: "/stop {token}", effect: journalled("turn.stopped")},
		"away":              {say: "/away on", effect: journalled("away.set")},
		"pause":             {say: "/pause", effect: journalled("pause.set")},
		"send":              {say: "/send {token} go on", effect: func(r *rig) int { return r.texts("go on") }},
		"task.new":          {say: "/task New", effect: both(tasks, runs)},
		"task.start":        {tap: "task:taxes:start", effect: runs},
		"task.stop":         {tap: "task:taxes:stop", effect: journalled("task.stopped")},
		"task.set":          {tap: "task:taxes:done", effect: said("tasks/taxes/state.md", "completed")},
		"memory.add":        {say: "/remember Deploys\ngo through staging", effect: func(r *rig) int { return r.facts("Deploys") }},
		"suggestion.accept": {tap: "suggestion:offer:accept", effect: both(tasks, runs)},
		"suggestion.dismiss": {tap: "suggestion:offer:dismiss", effect: both(said("suggestions/offer.md", "dismissed"),
			journalled("suggestion.decided"))},
		"trigger.on":     {tap: "trigger:evening:on", effect: journalled("trigger.on")},
		"trigger.off":    {tap: "trigger:morning:off", effect: journalled("trigger.off")},
		"module.enable":  {tap: "module:news:enable", effect: journalled("module.enabled")},
		"module.disable": {tap: "module:mail:disable", effect: journalled("module.disabled")},
		"revoke":         {tap: "g:{grant}:r", effect: journalled("grant.ended")},
		"undo":           {tap: "u:{undo}:u", effect: func(r *rig) int { return r.undoing() }},
		"press":          {tap: "a:{ask}:y", effect: journalled("ask.answered")},
		"written":        {say: "yes", effect: journalled("ask.answered")},
		"choose":         {tap: "to:{text}:{token}", effect: journalled("message.added")},
	}
}

// both returns what two effects have in common, 99 if they differ in their growth.
func both(a, b func(r *rig) int) func(r *rig) int {
	return func(r *rig) int {
		if a(r) != b(r) {
			return 99
		}
		return a(r)
	}
}

// newActRig returns a rig that does not run, whose person is paired, with one of everything that a person can do
// something about.
func newActRig(t *testing.T, base string) (r *rig, names *strings.Replacer) {
	r = newRigIn(t, base)
	r.withTasks()
	dir := r.path("shop")
	r.ok(os.Mkdir(dir, 0o700))
	r.ok(r.core.ChangeAccount(channel.Act{Channel: Name}, func(a channel.Account, now time.Time) channel.Change {
		a.Person = &channel.Person{ID: "11", Address: "11", Name: "Ann", At: now}
		return channel.Change{Account: &a}
	}))
	v, err := r.core.See(session.Sighting{ID: "s1", Cwd: dir, Hooked: true, State: session.Working})
	r.ok(err)
	_, err = r.core.StartRun(run.Run{ID: "run_1", Name: "deps", Dir: dir, Conversation: "c1", By: "Ann"},
		texts.Message{Key: "first", Text: "go", By: "Ann"})
	r.ok(err)
	_, _, err = taskwork.NewSuggestions(r.path("workspace/suggestions")).Add(task.Suggestion{Title: "Offer"})
	r.ok(err)
	for _, name := range []string{"mail", "news"} {
		r.ok(os.MkdirAll(r.path("workspace/modules/"+name), 0o700))
		r.write(r.path("workspace/modules/"+name+"/module.toml"), "title = \"x\"\n[source]\ncommand = [\"./watch\"]\n")
	}
	rule := wire.TriggerNewRequest{On: "cron 0 7 * * 1-5 UTC", To: "person", Prompt: "Look."}
	morning, evening := rule, rule
	morning.ID, evening.ID = "morning", "evening"
	for _, made := range []struct {
		op string
		in any
	}{
		{"task.new", wire.TaskNewRequest{Key: "taxes", Title: "Taxes"}},
		{"trigger.new", morning}, {"trigger.new", evening}, {"trigger.off", wire.Named{ID: "evening"}},
		{"module.enable", wire.ModuleEnableRequest{ID: "mail"}}, {"module.enable", wire.ModuleEnableRequest{ID: "news"}},
		{"module.disable", wire.Named{ID: "news"}},
	} {
		if _, err := r.ch.cfg.Call(r.ctx, "Ann", made.op, made.in); err != nil {
			t.Fatalf("%s: %v", made.op, err)
		}
	}
	_, err = r.core.See(session.Sighting{ID: "s2", Cwd: dir, Hooked: true, State: session.Working})
	r.ok(err)
	act := core.Press{Act: channel.Act{Channel: Name, Update: 3}, Text: "whom", Decision: ask.Decision{By: "Ann"}}
	told, err := r.core.Written(act)
	r.ok(err)
	text, _, err := r.core.Text(told.Choose)
	r.ok(err)
	a := r.ask("ask_open", "git push")
	r.ok(r.core.Sent(store.Action{}, channel.Copy{Ask: a.ID, Channel: Name, Message: messageID(11, 8), SentAt: 1}))
	g, err := r.core.OpenCovered(ask.Ask{
		ID: "ask_given", Kind: ask.Permission, Session: "s1", Tool: "Bash", Text: "make", Hash: "1", Cwd: dir,
		Offer: &ask.Offer{Rules: grant.Narrowest(grant.Need{Tool: "Bash", Commands: [][]string{{"make"}}})},
	}, grant.Need{})
	r.ok(err)
	_, err = r.core.Answer(g.ID, ask.Decision{Allow: true, Scope: ask.Session, By: "Ann", Channel: Name})
	r.ok(err)
	undone := r.ask("ask_ran", "git clean -fd src")
	r.ran(undone, "git clean -fd src", undo.Picture{Files: 3, Bytes: 12_000})
	return r, strings.NewReplacer("{token}", v.Token, "{ask}", a.Nonce, "{grant}", g.Nonce, "{undo}", undone.Nonce,
		"{text}", text.Nonce)
}

// undoing counts the snapshots that are being restored.
func (r *rig) undoing() (n int) {
	for _, v := range r.core.Undos() {
		if v.State == undo.Restoring {
			n++
		}
	}
	return n
}

// errDied ends a coordinator of TestActOnce.
var errDied = errors.New("the coordinator died")

// handleUntil handles the updates that wait. The coordinator dies before the change with this number.
func (r *rig) handleUntil(change int) (died bool) {
	r.Helper()
	defer func() {
		crash.At = nil
		if e := recover(); e != nil && e != any(errDied) {
			panic(e)
		} else if e != nil {
			died = true
		}
	}()
	l, err := r.ch.linkAt("123456789:AAEhBP0av28FrIHbzLmtwmWaP1234567890", "http://127.0.0.1:1")
	r.ok(err)
	left, err := r.core.Received(Name)
	r.ok(err)
	crash.At = func() {
		if change--; change < 0 {
			panic(errDied)
		}
	}
	for _, u := range left {
		r.ok(l.handle(u))
	}
	return false
}

// TestActOnce does on the phone whatever asks for an operation. The coordinator dies before and after each commit and
// after each file that it writes, and handles the update again: there is one effect and one reply, with words.
func TestActOnce(t *testing.T) {
	base := t.TempDir()
	made, names := newActRig(t, base)
	made.close()
	ops := []string{channel.OpPress, channel.OpWritten, channel.OpChoose}
	for _, saying := range sayings() {
		ops = append(ops, saying.op)
	}
	for _, op := range ops {
		t.Run(op, func(t *testing.T) {
			c, known := acts()[op]
			if !known {
				t.Fatal("the operation has no case")
			}
			more := 1
			if c.effect == nil {
				more, c.effect = 0, func(*rig) int { return 0 }
			}
			for change, died := 0, true; died; change++ {
				if change == 2 && !long.RunsInCI() {
					change = math.MaxInt // two deaths and none: all take ten seconds
				}
				dir := t.TempDir()
				made.ok(os.CopyFS(dir, os.DirFS(base)))
				news := dir + "/workspace/modules/news" // what is allowed there is a part of the module
				made.ok(errors.Join(os.Chmod(news, 0o700), os.Chmod(news+"/module.toml", 0o600)))
				r := newRigIn(t, dir)
				r.withTasks()
				from := `{"id":11,"first_name":"Ann"}`
				in := fmt.Sprintf(`{"message":{"message_id":9,"date":2,"chat":{"id":11,"type":"private"},"from":%s,"text":%q}}`,
					from, names.Replace(c.say))
				if c.tap != "" {
					in = fmt.Sprintf(`{"callback_query":{"id":"q1","from":%s,"data":%q,`+
						`"message":{"message_id":8,"date":1,"chat":{"id":11,"type":"private"}}}}`, from, names.Replace(c.tap))
				}
				sent := []channel.Update{{Channel: Name, ID: 7, Body: []byte(in)}} // again, until it is acknowledged
				r.ok(r.core.Receive(sent))
				before := c.effect(r)
				if died = r.handleUntil(change); died {
					r.close()
					r.open()
					r.withTasks()
					r.ok(r.core.Receive(sent))
					if r.handleUntil(math.MaxInt) {
						t.Fatal("it died again")
					}
				}
				if n := c.effect(r); n != before+more {
					t.Errorf("died before change %d: %d effects, and %d before", change, n, before)
				}
				r.checkReply(op, change)
				r.close()
			}
		})
	}
}

// checkReply checks that one reply of an operation waits to be told, and has words.
func (r *rig) checkReply(op string, change int) {
	r.Helper()
	left, err := r.core.Received(Name)
	r.ok(err)
	l, _ := r.ch.linkAt("123456789:AAEhBP0av28FrIHbzLmtwmWaP1234567890", "http://127.0.0.1:1")
	replies := 0
	for {
		a, more, _, err := r.store.Due(Name, time.Now().Add(time.Hour), time.UnixMilli(0), "")
		r.ok(err)
		if !more {
			break
		}
		r.ok(r.store.Done(a, ""))
		if a.Kind != core.ActSay && a.Kind != core.ActTap {
			continue
		}
		s, words, err := l.said(a.Data)
		wrong := s.Reply != nil && (s.Reply.Op != op || s.Reply.Error != "")
		if err != nil || wrong || words == (said{}) {
			r.Errorf("died before change %d: the reply is %s: %+v, %v", change, a.Data, words, err)
		}
		replies++
	}
	if len(left) > 0 || replies != 1 {
		r.Errorf("died before change %d: %d updates wait, and %d replies", change, len(left), replies)
	}
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
