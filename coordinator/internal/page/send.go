package page

import (
	"github.com/afar-sh/afar/coordinator/text"
	"github.com/afar-sh/afar/coordinator/view"
	"github.com/afar-sh/afar/coordinator/wire"
	"github.com/afar-sh/afar/coordinator/wording"
)

// Inbox shows the texts that were sent, and a box to send one.
type Inbox struct {
	Texts   []wire.Message // newest first
	Find    string         // what is searched for, "" for nothing
	Further Further        // of Texts
	To      []Place        // where a text can go
	Closed  string         // why nothing can be sent here, "" if it can
	Home    string
}

// A Place is where a text can go.
type Place struct {
	Address string
	About   string // what is done there
}

const inboxPath = "/inbox"

func (i Inbox) shape() shape {
	return shape{
		name: "inbox", title: "Inbox", path: inboxPath, entry: inboxPath, home: i.Home,
		parts: []string{"write", "find", "texts"},
	}
}

// Label names the place in a list.
func (p Place) Label() string {
	if p.About == "" {
		return line(60, p.Address)
	}
	return line(60, p.Address) + ": " + line(60, p.About)
}

// A sentText is a text as a list shows it.
type sentText struct{ wire.Message }

// Sent returns the texts as the list shows them.
func (i Inbox) Sent() (out []sentText) {
	for _, m := range i.Texts {
		out = append(out, sentText{m})
	}
	return out
}

// Whose says where the text came from.
func (m sentText) Whose() string { return m.By + wording.On(m.By, m.Channel) }

// Data reports whether the text is marked as data for who gets it.
func (m sentText) Data() bool { return !m.Words && m.To != wire.ToPerson }

// Head returns the part of the text that is shown at once.
func (m sentText) Head() string { return text.ClipBytes(m.Text, outBytes) }

// Mood is the colour of the text's state.
func (m sentText) Mood() string { return tone(view.Message(m.Message).Mark.Tone) }
