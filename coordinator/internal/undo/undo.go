// Package undo holds the life of one snapshot: planned with the question about
// a destructive step, taken before the step can run, offered for a day, and
// restored or dropped. It is pure; the caller makes each returned Snapshot
// durable before it acts on it.
package undo

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/session"
)

// ID names a snapshot.
type ID string

// A State is how a snapshot stands.
type State string

// The states of a snapshot. Gone is final.
const (
	Planned   State = "planned"   // what to look at is known; nothing is kept yet
	Ready     State = "ready"     // it can be restored
	Restoring State = "restoring" // somebody asked for it; it is carried out, however often we die
	Restored  State = "restored"
	Gone      State = "gone" // dropped, or never taken: Why says the reason
)

// How long snapshots are kept, and how many of them.
const (
	KeptFor = 24 * time.Hour
	Most    = 200 // the oldest goes first
)

// Errors of a request to restore.
var (
	ErrGone  = errors.New("the snapshot is gone")
	ErrEarly = errors.New("there is no snapshot yet")
	ErrDone  = errors.New("already undone")
	ErrBusy  = errors.New("it is being undone")
)

// A Loss is something of a repository that a call may destroy.
type Loss struct {
	Dir     string `json:"dir"`               // where the program works
	Path    string `json:"path,omitempty"`    // the file or tree; "" is every change in the work tree
	Ignored bool   `json:"ignored,omitempty"` // of the work tree: ignored files too
	Ref     string `json:"ref,omitempty"`     // a ref, by any of its names; "*" is all of them
	Stashes bool   `json:"stashes,omitempty"`
}

// A Scope is what is looked at in one repository: before the step, after it,
// and before it is undone.
type Scope struct {
	Root    string   `json:"root"` // top of the work tree, or the bare repository
	Bare    bool     `json:"bare,omitempty"`
	Tree    bool     `json:"tree,omitempty"`    // index, tracked files, untracked files, HEAD
	Ignored bool     `json:"ignored,omitempty"` // ignored files too
	Paths   []string `json:"paths,omitempty"`   // below Root, relative
	Refs    []string `json:"refs,omitempty"`
	Stashes bool     `json:"stashes,omitempty"`
}

// A Ref is the name of one and what it points to, "" for nothing.
type Ref struct {
	Name string `json:"name"`
	OID  string `json:"oid,omitempty"`
}

// A Stash is one entry of the stash.
type Stash struct {
	OID  string `json:"oid"`
	Text string `json:"text"`
}

// A Picture is how one repository stood within a scope. Tree names an object of
// the repository that holds the files and the index.
type Picture struct {
	Scope   Scope    `json:"scope"`
	Tree    string   `json:"tree,omitempty"`
	Head    string   `json:"head,omitempty"` // the branch that HEAD names; "" is detached
	Refs    []Ref    `json:"refs,omitempty"`
	Stashes []Stash  `json:"stashes,omitempty"` // newest first
	Files   int      `json:"files,omitempty"`   // whose content was kept
	Bytes   int64    `json:"bytes,omitempty"`
	Left    []string `json:"left,omitempty"` // what could not be kept, for people
}

// Empty reports whether p keeps nothing that a step could destroy.
func (p Picture) Empty() bool { return p.Files == 0 && len(p.Commits()) == 0 }

// Commits are what must stay for p's refs and stashes to come back.
func (p Picture) Commits() (oids []string) {
	for _, r := range p.Refs {
		if r.OID != "" {
			oids = append(oids, r.OID)
		}
	}
	for _, s := range p.Stashes {
		oids = append(oids, s.OID)
	}
	return oids
}

// Again is the scope in which to look once more: whatever HEAD names by then,
// the refs of p are looked at.
func (p Picture) Again() Scope {
	again := p.Scope
	again.Refs = slices.Clone(again.Refs)
	for _, r := range p.Refs {
		if !slices.Contains(again.Refs, r.Name) && r.Name != "HEAD" {
			again.Refs = append(again.Refs, r.Name)
		}
	}
	return again
}

// A Restore is a request to bring a snapshot back.
type Restore struct {
	By      string    `json:"by"`
	Channel string    `json:"channel"`
	At      time.Time `json:"at"`
	All     bool      `json:"all,omitempty"`    // whatever newer work is overwritten
	Known   []string  `json:"known,omitempty"`  // newer work that the person saw named
	Redo    ID        `json:"redo"`             // the snapshot of what stood there before
	DoneAt  time.Time `json:"done_at,omitzero"` // it is over
	Did     string    `json:"did,omitempty"`    // what it changed, for people
	Failed  string    `json:"failed,omitempty"` // why it did not come to its end
}

// A Snapshot is what is kept of one step. Text is the masked call.
type Snapshot struct {
	ID        ID         `json:"id"`
	State     State      `json:"state"`
	Session   session.ID `json:"session"`
	Agent     string     `json:"agent,omitempty"`
	Tool      string     `json:"tool"`
	Hash      string     `json:"hash"` // of the exact input
	Text      string     `json:"text"`
	Ask       ask.ID     `json:"ask,omitempty"`
	Shown     ask.ID     `json:"shown,omitempty"`  // whose card offers it, where that is another one
	Undoes    ID         `json:"undoes,omitempty"` // taken before that one was restored
	Losses    []Loss     `json:"losses,omitempty"`
	Pictures  []Picture  `json:"pictures,omitempty"` // before the step
	After     []Picture  `json:"after,omitempty"`    // behind it, in the same order; none while nobody looked
	PlannedAt time.Time  `json:"planned_at"`
	TakenAt   time.Time  `json:"taken_at,omitzero"`
	RanAt     time.Time  `json:"ran_at,omitzero"` // the step was reported as over
	EndsAt    time.Time  `json:"ends_at"`
	Why       string     `json:"why,omitempty"`   // there is no snapshot, or it is gone, or older than it should be
	Newer     []string   `json:"newer,omitempty"` // what restoring would overwrite, as found last
	Restore   *Restore   `json:"restore,omitempty"`
}

// Card is the ask whose card says how s stands.
func (s Snapshot) Card() ask.ID {
	if s.Shown != "" {
		return s.Shown
	}
	return s.Ask
}

// Plan begins a snapshot. The caller has filled in what it is of.
func Plan(s Snapshot, now time.Time) Snapshot {
	s.State, s.PlannedAt, s.EndsAt = Planned, now, now.Add(KeptFor)
	return s
}

// Of reports whether s was planned for the very call of a, and not used up.
func (s Snapshot) Of(id session.ID, agent, tool, hash string) bool {
	return s.Session == id && s.Agent == agent && s.Tool == tool && s.Hash == hash && s.RanAt.IsZero() &&
		(s.State == Planned || s.State == Ready) && s.Undoes == ""
}

// Take notes what was kept before the step. Taking again replaces it, until the
// step ran. What is taken too late, or holds nothing, is no snapshot.
func Take(s Snapshot, pictures []Picture, now time.Time) Snapshot {
	if s.State != Planned && s.State != Ready || !s.RanAt.IsZero() {
		return s
	}
	if !slices.ContainsFunc(pictures, func(p Picture) bool { return !p.Empty() }) {
		return drop(s, left(pictures)) // there is nothing to lose, or no repository
	}
	s.State, s.Pictures, s.TakenAt, s.EndsAt, s.Why = Ready, pictures, now, now.Add(KeptFor), ""
	return s
}

// Fail says that no snapshot could be taken. An earlier one stays, and says so.
func Fail(s Snapshot, why string) Snapshot {
	switch {
	case s.State == Planned:
		return drop(s, why)
	case s.State == Ready && s.RanAt.IsZero():
		s.Why = "as of " + s.TakenAt.Format("15:04:05") + ", " + why + " later"
	}
	return s
}

// Ran says that the step is over. A snapshot that was not taken by then never is.
func Ran(s Snapshot, now time.Time) Snapshot {
	switch {
	case s.State == Planned:
		return drop(s, "the step ran before it could be taken")
	case s.State == Ready && s.RanAt.IsZero():
		s.RanAt = now
	}
	return s
}

// Looked notes how things stood behind the step.
func Looked(s Snapshot, after []Picture) Snapshot {
	if s.After == nil && len(after) == len(s.Pictures) {
		s.After = after
	}
	return s
}

// Follow lets s follow its ask: what was refused needs no snapshot, and what
// was allowed at the terminal runs from that moment on.
func Follow(s Snapshot, a ask.Ask) Snapshot {
	if s.State != Planned && s.State != Ready || !s.RanAt.IsZero() {
		return s
	}
	refused := a.Decision != nil && !a.Decision.Allow && a.State != ask.Open
	switch {
	case refused, a.State == ask.Cancelled, a.State == ask.Expired && !a.Attended:
		return drop(s, "")
	case a.State == ask.Withdrawn && s.State == Planned && a.Dialog():
		return drop(s, "it was answered at the terminal before one could be taken")
	}
	return s
}

// Ask begins the restoring of s.
func Ask(s Snapshot, r Restore) (Snapshot, error) {
	switch s.State {
	case Gone:
		return s, ErrGone
	case Planned:
		return s, ErrEarly
	case Restored:
		return s, ErrDone
	case Restoring:
		return s, ErrBusy
	}
	s.State, s.Restore = Restoring, &r
	return s, nil
}

// Refuse ends a restoring that would overwrite newer work. Nothing was changed.
func Refuse(s Snapshot, newer []string, now time.Time) Snapshot {
	s = ended(s, Ready, now)
	s.Newer = newer
	return s
}

// Break ends a restoring that failed; it may be asked for again.
func Break(s Snapshot, why string, now time.Time) Snapshot {
	s = ended(s, Ready, now)
	s.Restore.Failed = why
	return s
}

// Done ends a restoring; did says what it changed.
func Done(s Snapshot, did string, now time.Time) Snapshot {
	s = ended(s, Restored, now)
	s.Restore.Did, s.Newer = did, nil
	return s
}

func ended(s Snapshot, to State, now time.Time) Snapshot {
	r := *s.Restore
	r.DoneAt = now
	s.State, s.Restore = to, &r
	return s
}

// Covered reports whether the person who asked for s knows of all newer work.
func (s Snapshot) Covered(newer []string) bool {
	return s.Restore.All || !slices.ContainsFunc(newer, func(n string) bool { return !slices.Contains(s.Restore.Known, n) })
}

// Next returns when s changes by itself; the zero time is never.
func (s Snapshot) Next() time.Time {
	if s.State == Gone || s.State == Restoring {
		return time.Time{}
	}
	return s.EndsAt
}

// Tick applies what is due at now.
func Tick(s Snapshot, now time.Time) Snapshot {
	if at := s.Next(); at.IsZero() || now.Before(at) {
		return s
	}
	return drop(s, fmt.Sprintf("it was kept for %.0f hours", KeptFor.Hours()))
}

// Drop ends s early.
func Drop(s Snapshot, why string) Snapshot {
	if s.State == Gone || s.State == Restoring {
		return s
	}
	return drop(s, why)
}

func drop(s Snapshot, why string) Snapshot {
	s.State, s.Why = Gone, why
	return s
}
