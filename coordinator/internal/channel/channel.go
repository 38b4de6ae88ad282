// Package channel holds what all channels to the person share: who is paired, where
// something is shown, and what passes between a channel and core. It is pure. Each
// channel is a package below it, and nothing else knows how it works.
package channel

import (
	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/session"
)

// An Address is a place where a channel shows something. Only the channel itself
// reads it.
type Address string

// A MessageID names one message that a channel has sent. It is unique in the channel,
// and only the channel itself reads it.
type MessageID string

// An Update is one thing that came in over a channel, as it came.
type Update struct {
	Channel string
	ID      int64 // of the channel; 0 is none
	Body    []byte
}

// An Act is one thing that somebody did on a channel.
type Act struct {
	Channel string
	Update  int64   // that brought it; what the act changes is one commit with the end of the update
	At      Address // where it was done, and where a text is answered
	Tap     string  // of a tapped button: what names the tap for its answer; "" for a text
}

// A Settlement tells somebody what their act led to: as the answer to a tap, or as a
// text where they wrote.
type Settlement struct {
	Tap  string  `json:"tap,omitempty"`
	To   Address `json:"to,omitempty"`
	Text string  `json:"text"`
}

// Settle returns the settlement of a, with a text.
func (a Act) Settle(text string) Settlement {
	if a.Tap != "" {
		return Settlement{Tap: a.Tap, Text: text}
	}
	return Settlement{To: a.At, Text: text}
}

// A Notice is a text for the person, about one session or about none.
type Notice struct {
	Session session.ID `json:"session,omitempty"`
	Text    string     `json:"text"`
}

// A Copy is one message that shows a card.
type Copy struct {
	Ask     ask.ID // that the card was made for
	Channel string
	Message MessageID
	Shown   string // digest of what it says, or a word of the channel for what it is
	SentAt  int64  // when the channel says that it was sent, in unix seconds; 0 is not known
}

// A Room is the place of one session inside an address. A room without an Address is
// gone.
type Room struct {
	Channel string     `json:"channel"`
	Session session.ID `json:"session"`
	Inside  Address    `json:"inside"`
	Address Address    `json:"address"`
	Closed  bool       `json:"closed,omitempty"`
}

// ID returns what names the room of a session inside an address.
func (r Room) ID() string { return r.Channel + " " + string(r.Inside) + " " + string(r.Session) }

// A Change is what becomes of an account, and who is told. The zero Change changes
// nothing.
type Change struct {
	Account *Account // as it is from now on; nil leaves it
	Anew    bool     // the channel numbers its updates anew
	Settle  string   // told to whoever acted; "" tells nothing
	Notice  string   // told to the person on this channel; "" tells nothing
	Show    bool     // show all open asks that have left the terminal
	Event   event.Event
}
