package page

import (
	"fmt"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/wire"
	"github.com/afar-sh/afar/coordinator/wording"
)

// Memory shows what is known: a part of the facts, or what a search has found.
type Memory struct {
	Facts    []wire.Fact    // in the order of INDEX.md
	Count    int            // of all facts
	Broken   []wire.Finding // files that cannot be read
	Further  Further        // of Facts
	Find     string         // what is searched for, "" for nothing
	Found    []wire.MemoryResult
	Archived bool   // these are the facts that agents have put away
	Closed   string // why this page cannot change them, "" if it can
	Home     string
}

// Fact shows one fact.
type Fact struct {
	Fact   wire.MemoryFactReply
	Closed string // why this page cannot change it, "" if it can
	Home   string
}

// FactEdit edits the file of a fact. It does not change while the person writes.
type FactEdit Fact

// Journal shows the journals of some days, the newest first.
type Journal struct {
	Days    []wire.MemoryDay
	Further Further
	Home    string
}

// The paths of the pages about memory.
const (
	memoryPath  = "/memory"
	journalPath = "/journal"
	putAwayPath = memoryPath + "/archive"
)

func (m Memory) shape() shape {
	s := shape{
		name:  "memory",
		title: "Memory",
		path:  memoryPath,
		entry: memoryPath,
		home:  m.Home,
		parts: []string{"tabs", "new", "find", "list"},
	}
	if m.Archived {
		s.title, s.path = "Archived facts", putAwayPath
	}
	return s
}

func (f Fact) shape() shape {
	return shape{
		name: "fact", title: factTitle(f.Fact), path: factPath(f.Fact.ID), entry: memoryPath, home: f.Home,
		parts: []string{"head", "text", "change"},
	}
}

func (f FactEdit) shape() shape {
	return shape{
		name:  "factedit",
		title: "Edit " + factTitle(f.Fact),
		path:  factPath(f.Fact.ID) + "/edit",
		entry: memoryPath,
		home:  f.Home,
		still: true,
		parts: []string{"edit"},
	}
}

func (j Journal) shape() shape {
	return shape{
		name: "journal", title: "Journal", path: journalPath, entry: memoryPath, home: j.Home,
		parts: []string{"tabs", "days"},
	}
}

// factTitle returns what a fact is about; of a file that cannot be read its name.
func factTitle(f wire.MemoryFactReply) string {
	if f.Title == "" {
		return f.ID
	}
	return f.Title
}

func factPath(name string) string { return "/fact/" + url(name) }

// memoryTabs returns the links to the pages about memory, for the page with a path.
func memoryTabs(path string) []tab {
	return current([]tab{
		{Path: memoryPath, Name: "Facts"}, {Path: journalPath, Name: "Journal"}, {Path: putAwayPath, Name: "Archive"},
	}, path)
}

// Path returns the path of the list.
func (m Memory) Path() string { return m.shape().path }

// First reports whether the person has no fact yet and could add one here.
func (m Memory) First() bool { return m.Count == 0 && m.Find == "" && !m.Archived && m.Closed == "" }

// Rows returns the facts as the list shows them.
func (m Memory) Rows() (rows []factRow) {
	for _, f := range m.Facts {
		rows = append(rows, factRow{f})
	}
	return rows
}

// A faultRow is a file that cannot be read.
type faultRow struct{ Name, Path, Text string }

// Faults returns the files that cannot be read as the list shows them.
func (m Memory) Faults() (rows []faultRow) {
	for _, f := range m.Broken {
		name := strings.TrimSuffix(f.File, ".md")
		rows = append(rows, faultRow{name, factPath(name), fmt.Sprintf("line %d: %s", f.Line, f.Text)})
	}
	return rows
}

// Hits returns what was found as the list shows it.
func (m Memory) Hits() (hits []hit) {
	for _, r := range m.Found {
		hits = append(hits, hit{r})
	}
	return hits
}

// A factRow is a fact as a list shows it.
type factRow struct{ wire.Fact }

// Path returns the path of the fact's page.
func (f factRow) Path() string { return factPath(f.ID) }

// First returns the first line of the text that says something.
func (f factRow) First() string {
	for l := range strings.Lines(f.Text) {
		if l = strings.TrimSpace(l); l != "" {
			return l
		}
	}
	return ""
}

// Since says where a fact comes from and when it is true, as INDEX.md does.
func (f factRow) Since() string { return wording.FactSince(f.Fact) }

// A hit is a result of a search.
type hit struct{ wire.MemoryResult }

// Path returns the path of the page that shows what was found.
func (h hit) Path() string {
	switch h.Kind {
	case "fact":
		return factPath(h.ID)
	case "journal":
		return journalPath + "?until=" + url(h.ID)
	case "task":
		return taskPath(h.ID)
	case "run":
		return runPath(h.ID)
	}
	return "/session/" + url(h.ID)
}

// Noun names what was found.
func (h hit) Noun() string {
	if h.Kind == "journal" {
		return "journal of the day"
	}
	return h.Kind
}

// Row returns the fact as a list shows it.
func (f Fact) Row() factRow { return factRow{f.Fact.Fact} }

// Path returns the path of the page.
func (f Fact) Path() string { return factPath(f.Fact.ID) }

// File returns the file with the line endings of a page.
func (f Fact) File() string { return unixLines(f.Fact.File) }

// File returns the file with the line endings of a form.
func (f FactEdit) File() string { return unixLines(f.Fact.File) }

// Back returns the path of the fact.
func (f FactEdit) Back() string { return factPath(f.Fact.ID) }

// Earlier returns what the fact said before, "" for nothing.
func (f Fact) Earlier() string {
	if _, before, found := strings.Cut(f.File(), "\n## Earlier\n"); found && f.Fact.Changed {
		return strings.TrimSpace(before)
	}
	return ""
}

// An entryRow is an entry of a journal as the page shows it.
type entryRow struct {
	wire.MemoryNote
	Clock string // when Afar wrote it, "" where a person did
	What  string
}

// entriesOf returns the entries of a day, the newest first.
func entriesOf(d wire.MemoryDay) (rows []entryRow) {
	for i := range d.Entries {
		e := d.Entries[len(d.Entries)-1-i]
		row := entryRow{MemoryNote: e, What: e.Heading}
		if clock, what, found := strings.Cut(e.Heading, " "); found && isClock(clock) {
			row.Clock, row.What = clock, what
		}
		rows = append(rows, row)
	}
	return rows
}

// isClock reports whether a word is a time of day: 15:04.
func isClock(word string) bool {
	_, err := time.Parse("15:04", word)
	return err == nil
}
