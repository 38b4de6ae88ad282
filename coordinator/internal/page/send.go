package page

// Inbox shows the texts that were sent, the newest first, and a box to send one.
type Inbox struct {
	List            // without a word about what is closed, see Closed
	Find    string  // what is searched for, "" for nothing
	Further Further // of the list
	To      []Place // where a text can go
	Closed  string  // why nothing can be sent here, "" if it can
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
