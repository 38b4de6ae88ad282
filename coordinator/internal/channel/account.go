package channel

import (
	"maps"
	"time"
)

// A Person is who is paired with a channel: the only one whose answers count there.
type Person struct {
	ID      string    `json:"id"`      // of the person, as the channel names them
	Address Address   `json:"address"` // where asks are shown
	Name    string    `json:"name"`
	At      time.Time `json:"at"`
}

// Is reports whether p is the person with this id, who acts where p is paired.
func (p *Person) Is(id string, at Address) bool { return p != nil && p.ID == id && p.Address == at }

// An Account is how a channel stands: what it speaks through and who is paired.
type Account struct {
	Channel string           `json:"channel"`
	Speaker string           `json:"speaker,omitempty"` // such as the name of a bot; "" for none
	Person  *Person          `json:"person,omitempty"`
	Pairing *Pairing         `json:"pairing,omitempty"`
	Told    map[string]int64 `json:"told,omitempty"` // strangers that were answered, with the time in unix ms
}

// tellEvery is how often a stranger gets an answer. Once is enough.
const tellEvery = 24 * time.Hour

// TellStranger notes that a stranger is answered at now. ok is false where that was
// done lately.
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
