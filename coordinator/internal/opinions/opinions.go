// Package opinions counts the second opinions that are being asked for: which reviewer is about to ask for one, which
// run now, and which processes belong to them. It knows nothing of the programs that are asked, and journals nothing.
// It is held in memory only: when the coordinator ends, a consultation is lost and not counted, and its reviewer
// has to begin another one.
package opinions

import (
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/review"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/peer"
)

// most is how many consultations may run at once, in all sessions together.
const most = 8

// Why a consultation may not begin.
var (
	errConsulted = errors.New("a consulted model cannot consult; answer from what you know")
	errMany      = fmt.Errorf("%d consultations run already; wait for one to end", most)
)

// A Desk counts second opinions. Any goroutine may ask it.
type Desk struct {
	self int // the process id of the coordinator, which starts the reviews of commits

	mu      sync.Mutex
	calls   map[session.ID][]review.Call // of reviewers that are about to consult
	running map[string]Consultation      // by id
}

// A Consultation is a second opinion that is being asked for now.
type Consultation struct {
	PID     int // of the `afar consult` that runs it, 0 for unknown
	Session session.ID
	Agent   string // the reviewer, "" for the session itself
	Who     string
}

// NewDesk returns the desk of a coordinator with a process id.
func NewDesk(self int) *Desk {
	return &Desk{self: self, calls: map[session.ID][]review.Call{}, running: map[string]Consultation{}}
}

// Expect notes that a call of a reviewer is about to consult.
func (d *Desk) Expect(id session.ID, agent, toolUse string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	now := time.Now()
	maps.DeleteFunc(d.calls, func(_ session.ID, calls []review.Call) bool {
		return !slices.ContainsFunc(calls, func(k review.Call) bool { return !k.Over(now) })
	})
	d.calls[id] = append(d.calls[id], review.Call{Agent: agent, ID: toolUse, At: now})
}

// Returned notes that a call of a reviewer has ended.
func (d *Desk) Returned(id session.ID, toolUse string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for i, k := range d.calls[id] {
		if k.ID == toolUse && k.Returned.IsZero() {
			d.calls[id][i].Returned = time.Now()
		}
	}
}

// Begin lets a consultation of a process begin, unless a consulted model asks for it, or too many run. line is the
// process with its ancestors. Begin fills in for which agent the consultation is.
func (d *Desk) Begin(line []peer.Process, c Consultation) (id string, err error) {
	id = "con_" + rand.Text()
	if len(line) > 0 {
		c.PID = line[0].PID
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	maps.DeleteFunc(d.running, func(_ string, r Consultation) bool { return r.PID != 0 && !peer.Alive(r.PID) })
	switch {
	case d.consulted(line):
		return "", errConsulted
	case len(d.running) >= most:
		return "", errMany
	}
	c.Agent = d.reviewer(c.Session)
	d.running[id] = c
	return id, nil
}

// reviewer returns the agent that a beginning consultation of a session is for, "" for
// the session itself. It marks that agent's call as used. d.mu is held.
func (d *Desk) reviewer(id session.ID) string {
	open := d.calls[id]
	i := review.Whose(open, time.Now())
	if id == "" || i < 0 {
		return ""
	}
	open[i].Taken++
	return open[i].Agent
}

// End ends a consultation and returns it. Only the process that began it may: ok is false for any other.
func (d *Desk) End(id string, line []peer.Process) (c Consultation, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	c, ok = d.running[id]
	if ok = ok && (len(line) == 0 || line[0].PID == c.PID); ok {
		delete(d.running, id)
	}
	return c, ok
}

// Asks reports whether an agent of a session is consulting now.
func (d *Desk) Asks(id session.ID, agent string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, r := range d.running {
		if r.Session == id && r.Agent == agent && peer.Alive(r.PID) {
			return true
		}
	}
	return false
}

// IsPart reports whether a process belongs to a running consultation, or to a review
// that the coordinator started.
func (d *Desk) IsPart(pid int) bool {
	line := peer.Line(pid)
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.consulted(line)
}

// consulted reports whether a process descends from a running consultation, or from the
// coordinator itself. d.mu is held.
func (d *Desk) consulted(line []peer.Process) bool {
	for i, p := range line {
		if i > 0 && p.PID == d.self {
			return true
		}
		for _, r := range d.running {
			if r.PID == p.PID {
				return true
			}
		}
	}
	return false
}
