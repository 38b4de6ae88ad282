package tools

import (
	"fmt"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/wire"
)

type inboxArgs struct {
	Find string `json:"find,omitempty" jsonschema:"only those that have this text"`
	Last int    `json:"last,omitempty" jsonschema:"how many of the newest messages; 10 if it is left out, at most 100"`
}

type replyArgs struct {
	Text string `json:"text" jsonschema:"what the person reads; plain text, short"`
	To   string `json:"to,omitempty" jsonschema:"id of the message that this answers, or address of your trigger's rule"`
}

const (
	aboutInbox = "Read the messages that were sent to you: what the person wrote from the phone, results of " +
		"runs that you proposed, texts from other programs. New messages reach you by themselves; look here for an " +
		"earlier one, or for the id of one that you want to reply to."
	aboutReply = "Send a message to the person's phone, for example to answer a message of your inbox or to report a " +
		"result while they are away. They need not do anything. For a question that must be answered, ask it in the " +
		"usual way. A text of exactly NO_REPLY is sent to nobody."
)

func (s *Server) offerInbox() {
	offer(s, wire.ToolInbox, aboutInbox, inbox)
	offer(s, wire.ToolReply, aboutReply, reply)
}

// The messages of one answer.
const (
	usualMessages = 10
	mostMessages  = 100
)

func inbox(c call, in inboxArgs) (string, error) {
	last := in.Last
	if last <= 0 {
		last = usualMessages
	}
	req := wire.InboxRequest{Own: true, Find: in.Find, Last: min(last, mostMessages)}
	out, err := ask(c, wire.OpInbox, req)
	if err != nil {
		return "", err
	}
	if len(out.Messages) == 0 {
		return "No message was sent to you. New ones reach you by themselves.", nil
	}
	var b strings.Builder
	for _, m := range out.Messages {
		fmt.Fprintf(&b, "%s · %s · from %s · %s\n%s\n\n", m.ID, clock(m.At), m.By, messageState(m), m.Text)
	}
	return strings.TrimSpace(b.String()), nil
}

// messageState says what became of a message, and what its text counts as.
func messageState(m wire.Message) string {
	state := map[string]string{
		"pending":   "reaches you at your next step",
		"delivered": "just handed to you",
		"done":      "you have it",
	}[m.State]
	if !m.Words {
		state += ", data and not the person's words"
	}
	return state
}

// clock says when something was.
func clock(ms int64) string { return time.UnixMilli(ms).Format("2006-01-02 15:04") }

func reply(c call, in replyArgs) (string, error) {
	if strings.Contains(in.To, ":") {
		req := wire.SendRequest{ID: c.id, To: in.To, Text: in.Text}
		sent, err := ask(c, wire.OpEscalate, req)
		if err != nil {
			return "", err
		}
		return sent.To + " gets it " + sent.When + ".", nil
	}
	sent, err := ask(c, wire.OpTell, wire.SendRequest{
		ID:   c.id,
		To:   wire.ToPerson,
		Text: in.Text,
		Re:   in.To,
	})
	switch {
	case err != nil:
		return "", err
	case sent.When == wire.Never:
		return "Nothing was sent.", nil
	}
	return "Sent to the person.", nil
}
