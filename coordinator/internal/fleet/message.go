package fleet

import (
	"encoding/json"
	"fmt"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/run"
)

// The kinds of messages between hub and member, with the body and the reply of each. All are safe to repeat.
const (
	MsgHello   = "hello"   // member: Hello → Hello
	MsgCard    = "card"    // member: Card; the hub has committed it when it replies
	MsgTell    = "tell"    // member: Tell, for the person
	MsgSettled = "settled" // member: Settled, what an order came to
	MsgMirror  = "mirror"  // member: Shown → Wanted
	MsgOrder   = "order"   // hub: Sent; the member has committed it when it replies
	MsgDo      = "do"      // hub: Do → the reply of the operation
	MsgLeave   = "leave"   // member: it leaves the fleet; hub: the machine is removed
)

// A Hello says at each connect who speaks, and how far it has the other.
type Hello struct {
	Known
	Now    int64  `json:"now"`              // its clock, in unix ms
	Seen   Known  `json:"seen"`             // what it has seen of the other
	Person string `json:"person,omitempty"` // hub: who is paired with the phone, "" for nobody
	You    string `json:"you,omitempty"`    // hub: the member's name
	// Decides, of the hub, says that the person may answer for the member there.
	Decides bool `json:"decides,omitempty"`
	// Cards, of the member, are its open cards. It sends each when the hub has replied.
	Cards []ask.ID `json:"cards,omitempty"`
	// Checked, of the member, is the mark of the entry that the hub has seen of it last: it has compared the two. Before
	// that the hub replies with what it has seen, and nothing more.
	Checked string `json:"checked,omitempty"`
}

// A Card is a card of a member with where its asks come from.
type Card struct {
	Asks []ask.Ask `json:"asks"`
	From ask.From  `json:"from"` // without its machine
}

// A Tell is something for the person, under a name that is unique on the member: a notice, the end of a run's turn, or a
// card to remind them of.
type Tell struct {
	Key    string         `json:"key"`
	Notice channel.Notice `json:"notice,omitzero"`
	Ended  *run.TurnEnd   `json:"ended,omitempty"`
	Remind ask.ID         `json:"remind,omitempty"`
}

// Sent is an order on its way.
type Sent struct {
	Life   string          `json:"life"` // of the hub, which numbers its orders
	Number int64           `json:"number"`
	Op     string          `json:"op"`
	In     json.RawMessage `json:"in"`
	By     string          `json:"by"`
}

// Settled is what an order came to.
type Settled struct {
	Number int64              `json:"number"`
	Life   string             `json:"life"`
	What   channel.Settlement `json:"what"`
}

// Do asks for the reply of an operation that changes nothing, or that comes to the same when it is done again.
type Do struct {
	Op string          `json:"op"`
	In json.RawMessage `json:"in"`
	By string          `json:"by"`
}

// A Press is the request of channel.OpPress for another machine: what the person did about an ask there.
type Press struct {
	Ask      ask.ID       `json:"ask"`
	Hash     string       `json:"hash"` // of the call that the person was shown
	Decision ask.Decision `json:"decision"`
	Pick     *ask.Choice  `json:"pick,omitempty"`
	Text     string       `json:"text,omitempty"`
	Word     bool         `json:"word,omitempty"`
}

// Shown is what a member shows now: the digest of every item by kind and id, and the items that the hub wants.
type Shown struct {
	Digests map[string]string `json:"digests,omitempty"`
	Items   []Item            `json:"items,omitempty"`
	Gone    []string          `json:"gone,omitempty"`
}

// An Item is one mirrored thing: its name "KIND ID", and how the member's own commands print it.
type Item struct {
	Name string          `json:"name"`
	Hash string          `json:"hash"`
	Body json.RawMessage `json:"body"`
}

// Wanted are the names of the items that the hub has not as they are.
type Wanted struct {
	Names []string `json:"names,omitempty"`
}

// Decode reads the body of a message into out. The link bounds its size.
func Decode(kind string, body []byte, out any) error {
	if err := json.Unmarshal(body, out); err != nil {
		return fmt.Errorf("message %s: %w", kind, err)
	}
	return nil
}
