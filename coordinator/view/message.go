package view

import (
	"cmp"

	"github.com/afar-sh/afar/coordinator/wire"
	"github.com/afar-sh/afar/coordinator/wording"
)

// Texts are what was sent to sessions, runs, tasks and the person. They are read in a list alone.
var Texts = add(Noun{
	Name: "text",
	List: list(wire.OpInbox, wire.InboxRequest{}, func(r wire.InboxReply) []Thing { return Each(r.Messages, Message) }),
	Empty: "No texts. Send one: `afar send ADDRESS TEXT`. On the phone: `/send NAME TEXT`. What you, your phone or a " +
		"program sends to a session, a run or you is kept here, with what became of it.",
})

// messageMarks are how the states of a text look.
var messageMarks = map[string]Mark{
	"unrouted": {Ask, "❓"}, "pending": {Ask, "⏳"}, "delivered": {Plain, "📨"}, "done": {Good, "✅"},
}

// Message shows a text. It has no ID that a person would use.
func Message(m wire.Message) Thing {
	to := said("to " + cmp.Or(m.To, "somebody: you were asked to whom"))
	if m.To == wire.ToPerson {
		to = said("to you")
	}
	from := "from " + m.By + wording.On(m.By, m.Channel)
	if !m.Words && m.To != wire.ToPerson {
		from += " (data)"
	}
	return Thing{
		Title: m.Text, State: m.State, Mark: messageMarks[m.State], Texts: whole(m.Text),
		Columns: []Line{to, said(from), when("", m.At)},
		Notes:   facts(Row{"", Plain, said("→ " + m.Outcome)}),
	}
}
