package ask

import "time"

// A Given is what an answer stands for: the question, and what its person decided. The journal's entry
// about the answer has a digest of it.
type Given struct {
	ID       ID
	Kind     Kind
	Session  string
	Tool     string
	Hash     string
	Decision Decision
	At       int64 // of the decision, unix ms
	Lease    time.Duration
	Form     *Form
}

// Given returns what the answer of a stands for. ok is false if a has none.
func (a Ask) Given() (given Given, ok bool) {
	d := a.Decision
	if d == nil && a.Lease != nil {
		d = &a.Lease.Decision
	}
	if d == nil {
		return given, false
	}
	given = Given{
		ID: a.ID, Kind: a.Kind, Session: string(a.Session), Tool: a.Tool, Hash: a.Hash,
		Decision: *d, At: d.At.UnixMilli(), Lease: a.leaseFor(), Form: a.Form,
	}
	given.Decision.At = time.Time{}
	return given, true
}

// Unanswered returns a as if it had never been answered: open if its answer was not delivered yet, and
// otherwise without an effect.
func (a Ask) Unanswered(note string) Ask {
	switch a.State {
	case Answered:
		a.State, a.SettledAt, a.Note = Open, time.Time{}, ""
	case Delivered:
		a.State, a.Note = Withdrawn, note
	}
	a.Decision, a.Lease, a.Unproven = nil, nil, false
	return a
}

// Overlong reports whether the lease of a counts for longer than its answer allows.
func (a Ask) Overlong() bool {
	return a.Lease != nil && a.Lease.Until.After(a.Lease.Decision.At.Add(a.leaseFor()))
}
