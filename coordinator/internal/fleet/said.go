package fleet

import "encoding/json"

// Said is the form of every message between hub and member: how far its sender is, so that the other side notices if it
// is put back, and the body.
type Said struct {
	Life  string          `json:"life"`
	Entry int64           `json:"entry"`
	Mark  string          `json:"mark"`
	Body  json.RawMessage `json:"body"`
}

// How returns how far its sender is.
func (s Said) How() Known { return Known{Life: s.Life, Entry: s.Entry, Mark: s.Mark} }

// Say returns the message of a machine that is as far as mine says.
func Say(mine Known, body any) ([]byte, error) {
	raw, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	return json.Marshal(Said{Life: mine.Life, Entry: mine.Entry, Mark: mine.Mark, Body: raw})
}

// A Joining is what a machine says of itself when it joins, and Joined what the hub replies.
type Joining struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// Joined is the hub's reply to a machine that joined.
type Joined struct {
	Name    string `json:"name"` // the machine's name from now on
	Hub     string `json:"hub"`  // the hub's
	Decides bool   `json:"decides"`
}
