// Package undo describes the life of a snapshot. It is planned with the question about
// a destructive step, taken before the step can run, offered for a day, and then
// restored or dropped. The package is pure: the caller stores each returned Snapshot
// before it acts on it.
package undo

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/session"
)

// ID names a snapshot.
type ID string

// A State is a stage in the life of a snapshot.
type State string

// The states of a snapshot. Gone is final.
const (
	Planned   State = "planned"   // what to look at is known; nothing is kept yet
	Ready     State = "ready"     // it can be restored
	Restoring State = "restoring" // somebody asked for it; it is completed even after crashes
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
	ErrState = errors.New("no such transition") // leaves the state of the snapshot
)

// A Loss is something in a repository that a call may destroy.
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

// Empty reports whether nothing is looked at.
func (s Scope) Empty() bool {
	return !s.Tree && !s.Stashes && len(s.Paths)+len(s.Refs) == 0
}

// A Ref is the name of a ref and the object that it points to.
type Ref struct {
	Name string `json:"name"`
	OID  string `json:"oid"`
}

// A Stash is one entry of the stash.
type Stash struct {
	OID  string `json:"oid"`
	Text string `json:"text"`
}

// A Picture is the state of one repository within a scope. Tree names an object of the
// repository that contains the files and the index.
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

// empty reports whether p keeps nothing that a step could destroy.
func (p Picture) empty() bool { return p.Files+len(p.Refs)+len(p.Stashes) == 0 }

// Objects returns the objects that must be kept to restore p, each once.
func (p Picture) Objects() (oids []string) {
	if p.Tree != "" {
		oids = append(oids, p.Tree)
	}
	for _, r := range p.Refs {
		oids = append(oids, r.OID)
	}
	for _, s := range p.Stashes {
		oids = append(oids, s.OID)
	}
	return slices.Compact(slices.Sorted(slices.Values(oids)))
}

// RefValue returns what a ref points to in p, "" if it does not exist.
func (p Picture) RefValue(name string) string {
	for _, r := range p.Refs {
		if r.Name == name {
			return r.OID
		}
	}
	return ""
}

// HeadValue returns the branch that HEAD names, or the commit of a detached HEAD.
func (p Picture) HeadValue() string { return cmp.Or(p.Head, p.RefValue("HEAD")) }

// Again returns the scope for a second look. It names the refs of p, so that they are
// looked at whatever HEAD names by then.
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
	By     string    `json:"by"`
	All    bool      `json:"all,omitempty"`    // overwrite any newer work
	Known  []string  `json:"known,omitempty"`  // newer work that the person was shown
	Redo   ID        `json:"redo"`             // the snapshot of the state before
	DoneAt time.Time `json:"done_at,omitzero"` // when it ended
	Did    string    `json:"did,omitempty"`    // what it changed, for people
	Failed string    `json:"failed,omitempty"` // why it failed
}

// A Result says how a restore ended. With Newer or Failed, the person may ask again.
type Result struct {
	Did    string   // what it changed, for people
	Newer  []string // newer work that it would overwrite; nothing was changed
	Failed string   // why it failed
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
	Shown     ask.ID     `json:"shown,omitempty"`  // the ask whose card offers it, if not Ask
	Undoes    ID         `json:"undoes,omitempty"` // taken before that one was restored
	Losses    []Loss     `json:"losses,omitempty"`
	Pictures  []Picture  `json:"pictures,omitempty"` // before the step
	After     []Picture  `json:"after,omitempty"`    // after the step, in the same order; nil if not taken yet
	PlannedAt time.Time  `json:"planned_at"`
	TakenAt   time.Time  `json:"taken_at,omitzero"`
	RanAt     time.Time  `json:"ran_at,omitzero"` // the step was reported as over
	EndsAt    time.Time  `json:"ends_at"`
	Why       string     `json:"why,omitempty"`   // why there is no snapshot, why it is gone, or why it is old
	Newer     []string   `json:"newer,omitempty"` // what a restore would overwrite, as found last
	Restore   *Restore   `json:"restore,omitempty"`
}

// Card returns the ask whose card shows the state of s.
func (s Snapshot) Card() ask.ID { return cmp.Or(s.Shown, s.Ask) }

// Plan begins a snapshot. The caller has filled in what the snapshot is about.
func Plan(s Snapshot, now time.Time) Snapshot {
	s.State, s.PlannedAt, s.EndsAt = Planned, now, now.Add(KeptFor)
	return s
}

// Of reports whether s was planned for exactly this call, and the step has not run yet.
func (s Snapshot) Of(id session.ID, agent, tool, hash string) bool {
	have, want := [4]string{string(s.Session), s.Agent, s.Tool, s.Hash}, [4]string{string(id), agent, tool, hash}
	return have == want && s.Undoes == "" && s.AwaitsStep()
}

// AwaitsStep reports whether the step of s has not run yet.
func (s Snapshot) AwaitsStep() bool {
	return slices.Contains([]State{Planned, Ready}, s.State) && s.RanAt.IsZero()
}

// unfit returns s unchanged, with the error of a transition that its state forbids.
func (s Snapshot) unfit(step string) (Snapshot, error) {
	return s, fmt.Errorf("cannot %s a snapshot that is %s: %w", step, s.State, ErrState)
}

// Take records what was kept before the step, or why nothing was kept. Until the step has
// run, another Take replaces the pictures; one that fails leaves them. A snapshot that keeps
// nothing is gone.
func Take(s Snapshot, pictures []Picture, failed string, now time.Time) (Snapshot, error) {
	switch {
	case !s.AwaitsStep():
		return s.unfit("take")
	case failed != "" && s.State == Ready:
		s.Why = "as of " + s.TakenAt.Format("15:04:05") + ", " + failed + " later"
		return s, nil
	case failed != "" || !slices.ContainsFunc(pictures, func(p Picture) bool { return !p.empty() }):
		s.Pictures = pictures // their objects are to be deleted
		return drop(s, cmp.Or(failed, left(pictures))), nil
	}
	s.State, s.Pictures, s.TakenAt, s.EndsAt, s.Why = Ready, pictures, now, now.Add(KeptFor), ""
	return s, nil
}

// Ran records that the step is over. A snapshot that was not taken by then is gone.
func Ran(s Snapshot, now time.Time) (Snapshot, error) {
	switch {
	case !s.AwaitsStep():
		return s.unfit("note the end of the step of")
	case s.State == Planned:
		return drop(s, "the step ran before it could be taken"), nil
	}
	s.RanAt = now
	return s, nil
}

// Looked records the state after the step, once for each picture.
func Looked(s Snapshot, after []Picture) (Snapshot, error) {
	if s.After != nil || len(after) != len(s.Pictures) {
		return s.unfit("look after the step of")
	}
	s.After = after
	return s, nil
}

// Follow returns s after a change of its ask. It drops a snapshot whose step will not
// run. It also drops one that was not taken before the person answered at the terminal,
// because the step may run from then on.
func Follow(s Snapshot, a ask.Ask) Snapshot {
	isRefused := a.Decision != nil && !a.Decision.Allow
	switch {
	case !s.AwaitsStep(), a.State == ask.Open:
		return s
	case isRefused, a.State == ask.Cancelled, a.State == ask.Expired && !a.Attended:
		return drop(s, "")
	case s.State == Planned && a.State == ask.Withdrawn && a.Dialog():
		return drop(s, "it was answered at the terminal before one could be taken")
	}
	return s
}

// Start begins to restore s.
func Start(s Snapshot, r Restore) (Snapshot, error) {
	refused := map[State]error{Gone: ErrGone, Planned: ErrEarly, Restored: ErrDone, Restoring: ErrBusy}
	switch err := refused[s.State]; {
	case s.State == Gone && s.Why != "":
		return s, fmt.Errorf("%w: %s", err, s.Why)
	case s.State == Restored:
		return s, fmt.Errorf("%w by %s at %s", err, s.Restore.By, s.Restore.DoneAt.Format("15:04:05"))
	case err != nil:
		return s, fmt.Errorf("snapshot %s: %w", s.ID, err)
	}
	s.State, s.Restore = Restoring, &r
	return s, nil
}

// End ends a restore.
func End(s Snapshot, result Result, now time.Time) (Snapshot, error) {
	if s.State != Restoring {
		return s.unfit("end the restoring of")
	}
	r := *s.Restore
	r.DoneAt, r.Did, r.Failed = now, result.Did, result.Failed
	s.State, s.Newer, s.Restore = Restored, result.Newer, &r
	if len(result.Newer) > 0 || result.Failed != "" {
		s.State = Ready
	}
	return s, nil
}

// PlanRedo plans the snapshot of the state before s is restored.
func PlanRedo(s Snapshot, now time.Time) Snapshot {
	return Plan(Snapshot{ID: s.Restore.Redo, Session: s.Session, Tool: s.Tool, Text: s.Text, Undoes: s.ID}, now)
}

// Covered reports whether the person who asked for s knows of all newer work.
func (s Snapshot) Covered(newer []string) bool {
	return s.Restore.All ||
		!slices.ContainsFunc(newer, func(n string) bool { return !slices.Contains(s.Restore.Known, n) })
}

// Next returns when s changes by itself, the zero time for never.
func (s Snapshot) Next() time.Time {
	if slices.Contains([]State{Gone, Restoring}, s.State) {
		return time.Time{}
	}
	return s.EndsAt
}

// Tick applies the changes that are due at now.
func Tick(s Snapshot, now time.Time) Snapshot {
	if at := s.Next(); at.IsZero() || now.Before(at) {
		return s
	}
	return Drop(s, fmt.Sprintf("it was kept for %.0f hours", KeptFor.Hours()))
}

// Drop ends s early. It leaves a snapshot that is gone or being restored. There is nothing
// to say about one that was never taken.
func Drop(s Snapshot, why string) Snapshot {
	switch {
	case s.Next().IsZero():
		return s
	case s.TakenAt.IsZero():
		why = ""
	}
	return drop(s, why)
}

func drop(s Snapshot, why string) Snapshot {
	s.State, s.Why = Gone, why
	return s
}
