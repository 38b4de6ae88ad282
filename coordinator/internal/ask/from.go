package ask

import "time"

// From says which machine of the fleet an ask comes from, and from where there. The hub keeps such an ask as a mirror
// of the member's own.
type From struct {
	Machine string `json:"machine"`           // its fingerprint
	Name    string `json:"name"`              // its name, for people
	Ref     ID     `json:"ref"`               // the ask's id there
	Session string `json:"session,omitempty"` // the name of the session or task, for people
	Token   string `json:"token,omitempty"`
	Project string `json:"project,omitempty"`
	Label   string `json:"label,omitempty"` // of the session's terminal
	Decides bool   `json:"decides"`         // the person may answer it at the hub
	// Sent is the answer that is on its way to the machine, in words; "" for none.
	Sent string `json:"sent,omitempty"`
	// Away is true while the machine cannot be reached; its cards say since when.
	Away string `json:"away,omitempty"`
}

// OnlyThere says why an ask of a machine that decides by itself is not answered at the hub.
func (f From) OnlyThere() string { return f.Name + " joined with --no-decide: answer at that machine" }

// Mirrored reports whether a is the hub's copy of an ask of another machine.
func (a Ask) Mirrored() bool { return a.From != nil }

// MirrorID returns the id under which the hub keeps the ask of a machine. It is "" for "".
func MirrorID(machine string, id ID) ID {
	if id == "" {
		return ""
	}
	return id + ID("@"+machine)
}

// Shift returns a with its times moved: those of a machine whose clock differs, for another one.
func (a Ask) Shift(by time.Duration) Ask {
	times := []*time.Time{&a.OpenedAt, &a.ExpiresAt, &a.CardAt, &a.LostAt, &a.SettledAt}
	if a.Decision != nil {
		d := *a.Decision
		a.Decision, times = &d, append(times, &d.At)
	}
	if a.Lease != nil {
		l := *a.Lease
		a.Lease, times = &l, append(times, &l.Until, &l.UsedAt)
	}
	for _, t := range times {
		if !t.IsZero() {
			*t = t.Add(by)
		}
	}
	return a
}

// A Choice is a tap on an option of a question.
type Choice struct {
	Question int  `json:"question"`
	Option   int  `json:"option"`
	Done     bool `json:"done,omitempty"` // it ends the choice of several options instead
}

// Step returns the step that the tap makes.
func (c Choice) Step() Step {
	if c.Done {
		return Done(c.Question)
	}
	return Pick(c.Question, c.Option)
}
