//go:build unix

package server_test

import (
	"os"
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/internal/message"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/wire"
)

// TestSendFromProgram: what a program sends is data without invisible characters; what a person types at a terminal is
// their words, as they are.
func TestSendFromProgram(t *testing.T) {
	const text = "go \u202eon"
	r := newRig(t)
	_, err := r.core.See(session.Sighting{ID: "s", Cwd: "/p", Hooked: true, Starts: true, State: session.Working})
	r.ok(err)
	for id, c := range map[string]struct {
		by    caller
		words bool
	}{"program": {person, false}, "terminal": {atTerminal, true}} {
		in := wire.SendRequest{ID: id, To: "s", Text: text}
		sent := want[wire.SendReply](t, r.as(c.by, wire.OpSend, in), wire.CodeOK)
		m, _, err := r.core.Text(message.ID(sent.ID))
		r.ok(err)
		if sent.Words != c.words || m.Data == c.words || strings.Contains(m.Text, "\u202e") != c.words {
			t.Errorf("%s: %+v, kept as %+v", id, sent, m)
		}
	}
	want[any](t, r.as(person, wire.OpSend, wire.SendRequest{To: "s", Text: text}), wire.CodeBadRequest)
}

// TestAnswersData: a session cannot answer a text that no person wrote, or that is for another session.
func TestAnswersData(t *testing.T) {
	r := newRig(t)
	for id, client := range map[session.ID]int{"s": os.Getpid(), "other": 0} {
		_, err := r.core.See(session.Sighting{ID: id, Client: client, Cwd: "/p", Hooked: true, Starts: true})
		r.ok(err)
	}
	for _, m := range []message.Message{
		{Key: "data", Session: "s", Text: "x", By: "cron", Data: true},
		{Key: "theirs", Session: "other", Text: "x", By: "Ann"},
	} {
		kept, _, err := r.core.Send(m, "")
		r.ok(err)
		tell := wire.SendRequest{ID: m.Key, Text: "hello", Re: string(kept.ID)}
		if reply := r.as(person, wire.OpTell, tell); reply.Code != wire.CodeBadRequest ||
			!strings.Contains(reply.Error, map[string]string{"data": "takes no answer", "theirs": "no message"}[m.Key]) {
			t.Errorf("%s: %+v", m.Key, reply)
		}
	}
}
