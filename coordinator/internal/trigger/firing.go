package trigger

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"time"
)

// FiringID names a firing. It is computed from the trigger and the key, so the same instant
// is one firing.
type FiringID string

// A State says how far a firing is.
type State string

// The states of a firing.
const (
	Due     State = "due"     // it is not sent yet
	Fired   State = "fired"   // its text is a message now
	Passed  State = "missed"  // nothing ran at its time
	Dropped State = "dropped" // by the filter, the person, or because the trigger is off
	Failed  State = "failed"  // its text could not be sent
)

// States lists the states of a firing.
func States() []State { return []State{Due, Fired, Passed, Dropped, Failed} }

// A Firing is one line of the ledger: one instant of a trigger, and what came of it.
type Firing struct {
	ID      FiringID  `json:"id"`
	Trigger Name      `json:"trigger"`
	Key     string    `json:"key"` // an instant, or the id of what came
	At      time.Time `json:"at"`  // when it was due, or came
	State   State     `json:"state"`
	Why     string    `json:"why,omitempty"`    // of a state other than fired
	By      string    `json:"by,omitempty"`     // who fired it, "" for the clock
	Count   int       `json:"count,omitempty"`  // more instants that this line stands for
	Payload Payload   `json:"payload,omitzero"` // kept until it is sent
	Bytes   int       `json:"bytes,omitempty"`  // of the payload
	// Admitted says that the limit of the trigger has let it through. Anyway says that a person
	// fires a trigger that may be off.
	Admitted bool      `json:"admitted,omitempty"`
	Anyway   bool      `json:"anyway,omitempty"`
	DoneAt   time.Time `json:"done_at,omitzero"`
	Asked    bool      `json:"asked,omitempty"`   // the person is asked whether it is sent after all
	To       string    `json:"to,omitempty"`      // the address that got the text
	Message  string    `json:"message,omitempty"` // the id of the text
}

// FileKey begins the key of a firing for a file; the hash of its content follows. Such a line of
// the ledger is kept: the file may lie there for years.
const FileKey = "file "

// IDOf returns the id of the firing of a trigger with a key.
func IDOf(name Name, key string) FiringID {
	sum := sha256.Sum256([]byte(string(name) + "\x00" + key))
	return FiringID("fir_" + hex.EncodeToString(sum[:10]))
}

// Over reports whether nothing more happens to f.
func (f Firing) Over() bool { return f.State != Due && !f.Asked }

// ErrOver says that a firing was dealt with already.
var ErrOver = errors.New("the firing is over")

// End returns f in its last state.
func (f Firing) End(s State, why string, now time.Time) (Firing, error) {
	if f.Over() {
		return f, ErrOver
	}
	f.State, f.Why, f.DoneAt, f.Payload = s, why, now, Payload{}
	return f, nil
}

// Again returns f, which was missed, as due: the person by was asked, and wants it after all.
func (f Firing) Again(by string) (Firing, error) {
	if !f.Asked {
		return f, ErrOver
	}
	f.State, f.Why, f.By, f.DoneAt, f.Asked = Due, "", by, time.Time{}, false
	return f, nil
}

// Sent returns f after its text became a message to an address.
func (f Firing) Sent(to, message string, now time.Time) (Firing, error) {
	f, err := f.End(Fired, "", now)
	f.To, f.Message = to, message
	return f, err
}

// Firing returns the line of the ledger for an instant of t.
func (t Trigger) Firing(i Instant, s State, why string) Firing {
	return Firing{ID: IDOf(t.Name, i.Key), Trigger: t.Name, Key: i.Key, At: i.At, State: s, Why: why}
}
