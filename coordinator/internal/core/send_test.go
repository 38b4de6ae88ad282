package core_test

import (
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/message"
	"github.com/afar-sh/afar/coordinator/internal/session"
)

// outcome returns what the inbox says of the text with a key.
func (r *rig) outcome(key string) string {
	r.t.Helper()
	all, err := r.Inbox(core.InboxQuery{Most: 1, Keep: func(m message.Message) bool { return m.Key == key }})
	r.ok(err)
	if len(all) != 1 {
		r.t.Fatalf("the inbox has no text %s", key)
	}
	return all[0].Came(r.Reaches(all[0], "").When(), "")
}

// TestOutcome: the inbox says of a text when it comes, that it was handed over, that it comes again where
// nobody knows whether it was read, that it was read, and what answered it.
func TestOutcome(t *testing.T) {
	r := newRig(t)
	r.pair()
	r.see("s", "/p")
	expect := func(want string) {
		t.Helper()
		if got := r.outcome("send:1"); got != want {
			t.Errorf("it %s; want %s", got, want)
		}
	}
	question := message.Message{Key: "send:1", Session: "s", Text: "which port?", By: "Ada", Channel: "terminal"}
	_, _, err := r.Send(question, "")
	r.ok(err)
	expect("comes when it stops")
	taker := session.Process{PID: 7}
	take := func(hook string) {
		_, err := r.Deliver("s", hook, taker)
		r.ok(err)
	}
	take("hook-1")
	expect("was handed over, and is not confirmed yet")
	r.ok(r.TextsPrinted("s", "hook-1", false))
	expect("comes again when it stops: it was handed over before, and perhaps not read")
	take("hook-2")
	r.ok(r.TextsPrinted("s", "hook-2", true))
	_, err = r.ComesBack("s", "hook-3")
	r.ok(err)
	expect("was read")
	_, err = r.Tell("s", message.Message{
		Key: "tell:1", Text: "it is\n8080", By: "session p", Re: message.IDOf("send:1"),
	})
	r.ok(err)
	expect("answered: it is ⏎ 8080")
	if got := r.outcome("tell:1"); got != "was not shown yet" {
		t.Errorf("the answer %s", got)
	}
}

// TestOldTextAnswered: a text that is no longer in memory stays in the inbox, and its answer goes to the chat and
// thread where the text was written.
func TestOldTextAnswered(t *testing.T) {
	r := newRig(t)
	r.pair()
	r.see("s", "/p")
	r.receive(1)
	r.ok(r.write(core.Press{
		Act:      channel.Act{Channel: phone, Update: 1, At: "6/thread-9"},
		Decision: ask.Decision{By: "Ada", Channel: phone},
		Text:     "which port?",
	}))
	asked := r.Messages()[0]
	_, err := r.Deliver("s", "hook-1", session.Process{})
	r.ok(err)
	_, err = r.ComesBack("s", "hook-2")
	r.ok(err)
	r.pass(30 * 24 * time.Hour)
	r.restart()
	if n := len(r.Messages()); n != 0 {
		t.Fatalf("%d texts in memory", n)
	}
	r.drain(phone)
	_, err = r.Tell("s", message.Message{Key: "tell:1", Text: "8080", By: "session p", Re: asked.ID})
	r.ok(err)
	if got := r.outcome(asked.Key); got != "answered: 8080" {
		t.Errorf("it %s", got)
	}
	for _, a := range r.drain(phone) {
		if n, err := channel.ReadNotice(a.Data); err == nil && strings.Contains(n.Text, "8080") {
			if n.At != "6/thread-9" {
				t.Errorf("answered at %q", n.At)
			}
			return
		}
	}
	t.Error("nothing was told")
}
