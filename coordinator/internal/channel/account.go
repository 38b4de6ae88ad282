package channel

import (
	"maps"
	"time"
)

// A Person is the person paired with a channel. Only their answers count there.
type Person struct {
	ID      string    `json:"id"`      // the channel's name for the person
	Address Address   `json:"address"` // where asks are shown
	Name    string    `json:"name"`
	At      time.Time `json:"at"`
}

// Is reports whether p has this id and is paired at this address.
func (p *Person) Is(id string, at Address) bool { return p != nil && p.ID == id && p.Address == at }

// An Account is the state of a channel: what it speaks through and who is paired.
type Account struct {
	Channel string           `json:"channel"`
	Speaker string           `json:"speaker,omitempty"` // such as the name of a bot; "" for none
	Person  *Person          `json:"person,omitempty"`
	Pairing *Pairing         `json:"pairing,omitempty"`
	Newest  MessageID        `json:"newest,omitempty"`  // the last message to the person that is no copy of a card
	Refusal *Refusal         `json:"refusal,omitempty"` // the last one of the person's address
	Told    map[string]int64 `json:"told,omitempty"`    // the strangers that were answered, with the time in unix ms
}

// Status says whether a channel works.
type Status struct {
	Connected bool   // it knows what to speak through
	Speaker   string // what it speaks through; "" for none
	API       string // address of the service behind it
	Failing   string // why it does not work, and since when; "" when it does
	Fix       string // what ends that, as far as it is known
	Pairing   bool   // a code waits for its person
	Person    *Person
}

// tellEvery is the shortest time between two answers to the same stranger.
const tellEvery = 24 * time.Hour

// TellStranger records that a stranger is answered at now. ok is false if they were
// answered recently.
func (a Account) TellStranger(who string, now time.Time) (next Account, ok bool) {
	recent := func(at int64) bool { return now.UnixMilli() < at+tellEvery.Milliseconds() }
	if recent(a.Told[who]) {
		return a, false
	}
	told := maps.Clone(a.Told)
	if told == nil {
		told = map[string]int64{}
	}
	maps.DeleteFunc(told, func(_ string, at int64) bool { return !recent(at) })
	told[who] = now.UnixMilli()
	a.Told = told
	return a, true
}
