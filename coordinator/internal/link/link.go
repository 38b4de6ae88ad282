// Package link carries requests and replies between the hub of a fleet and its members, over NATS.
// It is a star: members speak with the hub alone. It promises no delivery: a call either returns the
// other side's reply, or an error, and then the other side may have got it or not. What must not be
// lost is repeated above. What is said is signed by the sender and sealed to the receiver, so NATS
// and its operator see machines, sizes and times.
package link

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// A Handler answers a request of another machine. An error goes to the other side as a Refusal.
type Handler func(ctx context.Context, from, kind string, body []byte) (reply []byte, err error)

// A Refusal is an error of the other side.
type Refusal struct {
	Code string `json:"code"`
	Text string `json:"text"`
}

func (r *Refusal) Error() string { return r.Text }

// Codes of refusals that the link itself gives.
const (
	codeFailed  = "failed"  // the handler's error was no Refusal
	codeBusy    = "busy"    // too many requests at once
	codeDoubled = "doubled" // two machines speak with one key
	codeUnknown = "unknown" // the machine, its invite or the kind of its message is not known
)

var (
	// ErrAway says that the other machine is not connected now.
	ErrAway = errors.New("the machine is not connected")
	// ErrTooLarge says that a body has more than maxBody bytes. Nothing was sent.
	ErrTooLarge = fmt.Errorf("a message between machines has at most %d bytes", maxBody)
)

// Config is what a hub and a member both need.
type Config struct {
	Fleet  string // letters, digits, dashes
	Keys   *Keys
	Handle Handler
	// Up and Down say that a session with a machine begins and ends. All calls of these functions are
	// made one after the other; each must return soon.
	Up, Down func(id string)
	// Refused says that a message was forged, replayed or foreign. It may be called often.
	Refused func(id, why string)
	// Beat is the time between two heartbeats of a member, 15 s if zero.
	Beat time.Duration
}

// silent returns for how long nothing is heard of the other side until it counts as away.
func (c *Config) silent() time.Duration { return 2 * c.Beat }

func (c *Config) setDefaults() {
	if c.Beat == 0 {
		c.Beat = 15 * time.Second
	}
	if c.Up == nil {
		c.Up = func(string) {}
	}
	if c.Down == nil {
		c.Down = func(string) {}
	}
	if c.Refused == nil {
		c.Refused = func(string, string) {}
	}
}

// A State says how the link is, for people.
type State struct {
	Connected bool
	Since     time.Time // of this state
	Err       error     // why it is not connected, as far as it is known
}

// Why says why it is not connected, "" if nobody knows.
func (s State) Why() string {
	if s.Err == nil {
		return ""
	}
	return s.Err.Error()
}

// subjects of a fleet. The last part is the machine, or the invite.
func up(fleet, id string) string   { return "afar." + fleet + ".up." + id }
func down(fleet, id string) string { return "afar." + fleet + ".down." + id }
func join(fleet, id string) string { return "afar." + fleet + ".join." + id }
func inbox(id string) string       { return "_INBOX." + id }
func nobody(inbox string) string   { return inbox + ".>" }

// joined is where a machine that joins hears the hub.
func joined(fleet, id string) string { return "afar." + fleet + ".joined." + id }
