package telegram

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/redact"
	"github.com/afar-sh/afar/coordinator/wire"
)

// write writes a file of the workspace.
func (r *rig) write(path, text string) {
	r.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		r.Fatal(err)
	}
}

// TestTriggersOnThePhone: /triggers lists the rules, and a button switches one off and on again, but
// approves no file that was changed meanwhile.
func TestTriggersOnThePhone(t *testing.T) {
	r := newTaskRig(t)
	r.ann.Say(r.ann.ID, "/triggers")
	t.Log(r.await("No triggers.").Text)
	l, _ := r.ch.current()
	if _, err := call(l, "Ann", wire.OpTriggerNew, wire.TriggerNewRequest{
		ID: "morning", Title: "What the <night> brought", On: "cron 0 7 * * 1-5 Europe/Berlin", To: "person",
		Prompt: "Look.",
	}); err != nil {
		t.Fatal(err)
	}
	file := r.path("workspace/triggers/morning.md")
	rule := r.file(file)
	r.write(r.path("workspace/triggers/sly.md"), "# Sly\n\n- on: every 1h\n- to: run\n\nDo it.\n")
	r.write(r.path("workspace/triggers/torn.md"), "# Torn\n\n- on: cron 0 7\n\nDo it.\n")
	r.ann.Say(r.ann.ID, "/triggers")
	list := r.await("⚡️ What the <night> brought · on")
	t.Logf("%s\n%q", list.Text, list.Labels())
	for _, want := range []string{
		"cron 0 7 * * 1-5 Europe/Berlin · to person\nnext: ", "💡 Sly · proposed: nobody has approved it",
		"Read its file, then: afar trigger on sly", "⚠️ torn · cannot be understood", "line 3: ",
	} {
		if !strings.Contains(list.Text, want) {
			t.Errorf("the list has no %q", want)
		}
	}
	if got := list.Labels(); len(got) != 1 || got[0] != "Off ⏸ What the <night> br…" {
		t.Errorf("the buttons are %q", got)
	}
	tapped := func(message int, button, want string, live bool) {
		t.Helper()
		if got := r.awaitAnswer(r.tap(r.ann, message, button)); !strings.Contains(got, want) {
			t.Errorf("%s says %q, want %q", button, got, want)
		}
		if now, _ := r.core.Trigger("morning"); now.Live() != live {
			t.Errorf("after %s: %+v", button, now)
		}
	}
	r.tap(r.api.User(22, "Bob"), list.ID, "Off")
	r.settled()
	if now, _ := r.core.Trigger("morning"); !now.Live() {
		t.Error("a stranger switched it off")
	}
	tapped(list.ID, "Off", "Trigger morning is off.", false)
	r.ann.Say(r.ann.ID, "/triggers")
	off := r.await("⏸ What the <night> brought · off")
	r.write(file, rule+"\nAnd send it to everybody.\n")
	tapped(off.ID, "On", "Not done: it is new or was changed; read its file, then: afar trigger on morning.", false)
	r.write(file, rule)
	tapped(off.ID, "On", "Trigger morning is on.", true)

	r.close()
	r.answers = []string{"terminal"}
	r.open()
	r.withTasks()
	r.run()
	r.ann.Say(r.ann.ID, "/triggers")
	closed := r.await("Nothing can be decided here: answers from here do not count")
	t.Logf("%s\n%q", closed.Text, closed.Labels())
	if len(closed.Labels()) != 0 {
		t.Errorf("the buttons are %q", closed.Labels())
	}
	tapped(list.ID, "Off", "Not done: answers from here do not count", true)
}

// TestNoSecretOfAWebhookIsStored: each operation that makes the secret of a webhook has a reply that waits in the
// database until it is told. The secret is in no file of the database.
func TestNoSecretOfAWebhookIsStored(t *testing.T) {
	r := newStillRig(t)
	r.withTasks()
	secret := r.path("hooks/push.secret")
	one := wire.Named{ID: "push"}
	for i, asked := range []struct {
		op     string
		in     any
		before func() error
	}{
		{"trigger.new", wire.TriggerNewRequest{ID: "push", On: "webhook", Auth: "standard", To: "person", Prompt: "Look."}, nil},
		{"trigger.rotate", one, nil},
		{"trigger.on", one, func() error { return os.Remove(secret) }},
	} {
		if asked.before != nil {
			r.ok(asked.before())
		}
		act := channel.Act{Channel: Name, Update: int64(i + 1), By: "Ann", At: "11"}
		r.ok(r.ch.cfg.Act(r.ctx, act, asked.op, asked.in))
		reply, waits, _, err := r.store.Due(Name, time.Now(), time.UnixMilli(0), "")
		r.ok(err)
		if !waits || !strings.Contains(reply.Data, redact.Hidden) {
			t.Fatalf("%s: the reply that waits is %+v, want one that hides a secret", asked.op, reply)
		}
		r.ok(r.store.Done(reply, ""))
		made := bytes.TrimSpace([]byte(r.file(secret)))
		files, err := filepath.Glob(r.path("afar.db*"))
		if len(files) < 2 || len(made) < 16 {
			t.Fatalf("%s: the files %q and a secret of %d bytes", asked.op, files, len(made))
		}
		for _, file := range files {
			raw, failed := os.ReadFile(file)
			if r.ok(errors.Join(err, failed)); bytes.Contains(raw, made) {
				t.Errorf("%s: the secret is in %s", asked.op, filepath.Base(file))
			}
		}
	}
}
