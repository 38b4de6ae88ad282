package page

import (
	"cmp"
	"slices"

	"github.com/afar-sh/afar/coordinator/wire"
	"github.com/afar-sh/afar/coordinator/wording"
)

// A row is a session as the list of sessions shows it.
type row struct {
	wire.Session
	Detail
	Loop *wire.Loop
	Asks int // its open questions
}

// DoingSince is when the session began what it does.
func (r row) DoingSince() int64 { return r.Detail.Since }

// Note says what is unusual about the session, where it does nothing else.
func (r row) Note() string {
	if r.State == "unprotected" {
		return wording.Unprotected
	}
	return ""
}

// maxRows bounds the sessions on the first page.
const maxRows = 60

// Rows returns the sessions: those that wait for the person first, then those at work, then
// the others; the newest first among equals.
func (n Now) Rows() []row {
	asks := map[string]int{}
	for _, c := range n.Cards {
		for _, a := range c.Asks {
			asks[a.Session]++
		}
	}
	loops := map[string]*wire.Loop{}
	for i, l := range n.Status.Loops {
		if l.Active {
			loops[l.Session] = &n.Status.Loops[i]
		}
	}
	var out []row
	for _, s := range n.Status.Sessions {
		out = append(out, row{Session: s, Detail: n.More[s.ID], Loop: loops[s.ID], Asks: asks[s.ID]})
	}
	slices.SortStableFunc(out, func(a, b row) int {
		if by := a.rank() - b.rank(); by != 0 {
			return by
		}
		return cmp.Compare(b.Session.Since, a.Session.Since)
	})
	return out
}

// rank orders sessions by how much they need a person.
func (r row) rank() int {
	switch {
	case r.State == "unprotected":
		return 0
	case r.Asks > 0 || r.State == "waiting":
		return 1
	case r.State == "working":
		return 2
	case r.State == "ended":
		return 4
	}
	return 3
}

// Sessions returns the rows that are shown.
func (n Now) Sessions() []row {
	rows := n.Rows()
	return rows[:min(maxRows, len(rows))]
}

// Others returns how many sessions are not shown.
func (n Now) Others() int { return max(0, len(n.Status.Sessions)-maxRows) }
