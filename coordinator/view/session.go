package view

import (
	"cmp"

	"github.com/afar-sh/afar/coordinator/wire"
	"github.com/afar-sh/afar/coordinator/wording"
)

// Sessions are the conversations at a terminal: those that need the person first.
var Sessions = add(Noun{
	Name: "session", Named: true,
	Empty: "No sessions yet. Start `claude` in a project; it appears here by itself.",
	List: list(wire.OpSessions, wire.SessionsRequest{}, func(r wire.SessionsReply) []Thing {
		return Each(r.Sessions, Session)
	}),
})

// Session shows a session by its last prompt.
func Session(s wire.Session) Thing {
	return on(s.Origin, Thing{
		ID: s.Token, URL: s.URL, Title: cmp.Or(s.About, s.Token), State: s.State, Mark: SessionMark(s.State),
		About:   s.Running,
		Columns: lines(ago(s.Since), path(s.Project), said(wording.SessionNote(s))),
		Notes:   facts(Row{"", Muted, said(wording.SessionLoad(s))}),
	})
}

// SessionMark returns how the state of a session looks.
func SessionMark(state string) Mark {
	marks := map[string]Mark{
		"working": {Plain, "⚙️"}, "waiting": {Ask, "❓"}, "unprotected": {Bad, "⚠️"}, "ended": {Muted, "⏹"},
	}
	return cmp.Or(marks[state], Mark{Plain, "💤"})
}
