package undo

import (
	"fmt"
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/text"
)

// maxNamed is how many names a text for people lists.
const maxNamed = 3

// Holds returns what is kept, in a few words: "3 files, 12 kB; branch old".
func (s Snapshot) Holds() string {
	var parts []string
	for _, p := range s.Pictures {
		parts = append(parts, p.holds()...)
	}
	return strings.Join(parts, "; ")
}

func (p Picture) holds() (parts []string) {
	if p.Files > 0 {
		parts = append(parts, text.Count(p.Files, "file")+", "+size(p.Bytes))
	}
	var names []string
	for _, r := range p.Refs {
		// Next to files, a ref that is not in the scope only says where the work tree was.
		if len(p.Scope.Refs) > 0 || p.Files == 0 {
			names = append(names, r.Short())
		}
	}
	if len(names) > 0 {
		parts = append(parts, Some(names))
	}
	if len(p.Stashes) > 0 {
		parts = append(parts, text.Count(len(p.Stashes), "stash"))
	}
	return parts
}

// Short returns the name of r for people. The state of a remote-tracking branch says nothing
// about the remote.
func (r Ref) Short() string {
	for _, kind := range []struct{ prefix, word string }{
		{"refs/heads/", "branch "},
		{"refs/tags/", "tag "},
		{"refs/remotes/", "remote-tracking branch "},
	} {
		if name, ok := strings.CutPrefix(r.Name, kind.prefix); ok {
			return kind.word + name
		}
	}
	return r.Name
}

// left returns what could not be kept, "" if everything was kept.
func left(pictures []Picture) string {
	var names []string
	for _, p := range pictures {
		names = append(names, p.Left...)
	}
	if len(names) == 0 {
		return ""
	}
	return "left out: " + Some(names)
}

// Line returns s in one line for people: for its card, the dialog and the journal. It
// returns "" if there is nothing to say.
func (s Snapshot) Line() string {
	switch {
	case s.State == Planned, s.State == Gone && s.Why == "":
		return ""
	case s.State == Gone && s.TakenAt.IsZero():
		return "no snapshot: " + s.Why
	case s.State == Gone:
		return "the snapshot is gone: " + s.Why
	}
	parts := []string{"snapshot: " + s.Holds(), s.Why, left(s.Pictures), s.restoreLine()}
	return strings.Join(slices.DeleteFunc(parts, isEmpty), " · ")
}

// Notes returns what is unusual about s, for people who see a list of snapshots.
func (s Snapshot) Notes() []string {
	notes := []string{s.Why, left(s.Pictures)}
	switch {
	case s.Restore != nil:
		notes = append(notes, s.restoreLine())
	case s.Undoes != "":
		notes = append(notes, "stood there before "+string(s.Undoes)+" was undone")
	case s.RanAt.IsZero():
		notes = append(notes, "the step may not have run")
	}
	return slices.DeleteFunc(notes, isEmpty)
}

func isEmpty(text string) bool { return text == "" }

// restoreLine returns what became of the restore of s, or until when s can be restored.
func (s Snapshot) restoreLine() string {
	switch r := s.Restore; {
	case s.State == Restoring:
		return "being undone for " + r.By
	case s.State == Restored:
		return fmt.Sprintf("undone by %s at %s: %s", r.By, r.DoneAt.Format("15:04:05"), r.Did)
	case len(s.Newer) > 0:
		return "not undone: newer work would be overwritten: " + Some(s.Newer)
	case r != nil && r.Failed != "":
		return "could not be undone: " + r.Failed
	case !s.RanAt.IsZero():
		return "Undo until " + s.EndsAt.Format("Mon 15:04")
	}
	return ""
}

// Button returns the label of the card's undo button, "" for no button. A step that may
// still be running cannot be undone yet.
func (s Snapshot) Button() string {
	switch {
	case s.State != Ready, s.RanAt.IsZero():
		return ""
	case len(s.Newer) > 0:
		return "Undo anyway ↩️"
	}
	return "Undo ↩️"
}

// Some returns the first few names, as a list for people.
func Some(names []string) string {
	return text.Some(names, maxNamed)
}

// size returns a number of bytes with a unit.
func size(n int64) string {
	switch {
	case n < 1000:
		return text.Count(int(n), "byte")
	case n < 1_000_000:
		return fmt.Sprintf("%d kB", (n+500)/1000)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}
