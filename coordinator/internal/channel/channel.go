// Package channel holds the types that all channels to the person share: who is paired,
// where something is shown, and what a channel and core pass to each other. It is pure.
// Each channel is a package below this one and hides how it works.
package channel

import (
	"encoding/json"
	"strings"

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

// An Update is one unparsed input from a channel.
type Update struct {
	Channel string
	ID      int64 // the channel's number for it; 0 if there is none
	Body    []byte
}

// An Act is one action of somebody on a channel.
type Act struct {
	Channel string
	Update  int64   // the update that brought it; the changes are committed together with the end of the update
	At      Address // where it was done, and where a text is answered
	Tap     string  // names the tap on a button, for the answer to it; "" for a text
	By      string  // who acted
	Key     string  // of the act alone, in the form of rand.Text
	As      string  // what they did, for the words of the reply; only the channel reads it
}

// The operations of what the person does on a channel about questions, and with texts that name no address. The
// request of each is a core.Press.
const (
	OpPress   = "press"   // they answer a card
	OpWritten = "written" // they write a text that answers no message
	OpChoose  = "choose"  // they say whom a text is for
)

// A Settlement tells somebody the result of their act: as the answer to a tap, or as a
// text where they wrote.
type Settlement struct {
	Tap  string  `json:"tap,omitempty"`
	To   Address `json:"to,omitempty"`
	Text string  `json:"text,omitempty"`
	// Choose is the id of a text for which the person has to choose whom it is for, "" for none.
	Choose string `json:"choose,omitempty"`
	// Edit is a message of which Text is the new text, without buttons, "" for none.
	Edit MessageID `json:"edit,omitempty"`
	// Refused says that what they did had no effect; Text says why.
	Refused bool `json:"refused,omitempty"`
	// Reply is what an operation came to; the channel words it. nil for none.
	Reply *Reply `json:"reply,omitempty"`
}

// A Reply is what an operation came to that somebody asked for on a channel: the reply of the operation,
// or an error. The reply of an operation that only reads is asked for when it is told.
type Reply struct {
	Op    string          `json:"op"`
	As    string          `json:"as,omitempty"` // of the Act
	In    json.RawMessage `json:"in,omitempty"` // the request of an operation that only reads
	Body  json.RawMessage `json:"body,omitempty"`
	Code  string          `json:"code,omitempty"` // of the error, "" for none
	Error string          `json:"error,omitempty"`
	// Machine is the other machine of the fleet that carries it out, "" for this one.
	Machine string `json:"machine,omitempty"`
	// Soon says that the order is on its way to the machine: what it comes to is told when it is known.
	Soon bool `json:"soon,omitempty"`
}

// A Notice is news for the person, about one session or about none. ReadNotice makes its Text.
type Notice struct {
	Session session.ID `json:"session,omitempty"`
	News    []News     `json:"news,omitempty"`
	Left    int        `json:"left,omitempty"`  // so many older ones are left out
	Quiet   bool       `json:"quiet,omitempty"` // they waited for the end of the quiet hours
	Text    string     `json:"text,omitempty"`
	Shows   []string   `json:"shows,omitempty"` // the ids of messages in it; see core.Told
	At      Address    `json:"at,omitempty"`    // where it is told, "" for where its session speaks
	Silent  bool       `json:"silent,omitempty"`
	Machine string     `json:"machine,omitempty"` // where it comes from, "" for this one
}

// verbatim stands around a part of a notice that a channel shows as it is.
const verbatim = "\x1e"

// Verbatim marks what somebody else wrote in the text of a notice: no channel reads markup in it.
func Verbatim(text string) string {
	return verbatim + strings.ReplaceAll(text, verbatim, "") + verbatim
}

// Parts returns the parts of a notice's text in turn: Afar's own, then one that is verbatim, and so on.
func (n Notice) Parts() []string { return strings.Split(n.Text, verbatim) }

// Plain returns the text of a notice without the marks of Verbatim.
func (n Notice) Plain() string { return strings.ReplaceAll(n.Text, verbatim, "") }

// A Copy is one message that shows a card.
type Copy struct {
	Ask     ask.ID // the ask that the card was made for
	Channel string
	Message MessageID
	Shown   string // the digest of its text, or a word of the channel for the kind of message
	SentAt  int64  // when it was sent, by the channel's clock, in unix seconds; 0 is unknown
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

// ID returns a unique name for the room of a session inside an address.
func (r Room) ID() string { return r.Channel + " " + string(r.Inside) + " " + string(r.Session) }

// A Change says how an account changes, and who is told. The zero Change changes nothing.
type Change struct {
	Account *Account // the new state; nil leaves the account unchanged
	Anew    bool     // the channel starts to number its updates again
	Settle  string   // told to the person who acted; "" tells nothing
	Notice  string   // told to the person on this channel; "" tells nothing
	Show    bool     // show all open asks that have left the terminal
	Event   event.Event
}
