package memorywork

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/feature"
	"github.com/afar-sh/afar/coordinator/internal/markdown"
	"github.com/afar-sh/afar/coordinator/internal/memory"
)

// A Keeper adds facts, changes them and puts them away. It is the only writer of memory besides
// the person's own editor.
type Keeper struct {
	core   *feature.Core
	folder folder
	touch  func() // the files have changed

	mu sync.Mutex // held while files are changed
}

// Facts returns all facts, and the files that cannot be read.
func (k *Keeper) Facts() ([]memory.Fact, []memory.Broken, error) { return k.folder.facts(k.folder.dir) }

// Archived returns the facts of the archive.
func (k *Keeper) Archived() ([]memory.Fact, []memory.Broken, error) {
	return k.folder.facts(k.folder.archive())
}

// Fact returns the fact with a name, also one of the archive. With an error that memory.Fault
// explains, it holds the text of its file.
func (k *Keeper) Fact(name memory.Name) (f memory.Fact, archived bool, err error) {
	f, err = k.folder.fact(k.folder.dir, name)
	if errors.Is(err, fs.ErrNotExist) {
		archived = true
		f, err = k.folder.fact(k.folder.archive(), name)
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("fact %q: %w", name, core.ErrNotFound)
	}
	return f, archived, err
}

// Path returns the file of a fact, which may be in the archive.
func (k *Keeper) Path(name memory.Name, archived bool) string { return k.folder.pathIn(archived, name) }

// Day returns the journal of a day.
func (k *Keeper) Day(date string) (memory.Day, error) { return k.folder.day(date) }

// DayPath returns the file of the journal of a day.
func (k *Keeper) DayPath(date string) string { return filepath.Join(k.folder.journal(), date+ending) }

// Dates returns the days that have a journal, the newest first.
func (k *Keeper) Dates() ([]string, error) { return k.folder.dates() }

// DaysUntil returns the journals of the newest most days that have one, up to a date, the newest
// first; "" is any date. next is the day before them that has one, "" for none.
func (k *Keeper) DaysUntil(until string, most int) (days []memory.Day, next string, err error) {
	dates, err := k.folder.dates()
	if until != "" {
		dates = slices.DeleteFunc(dates, func(date string) bool { return date > until })
	}
	if len(dates) > most {
		dates, next = dates[:most], dates[most]
	}
	for _, date := range dates {
		day, dayErr := k.folder.day(date)
		days, err = append(days, day), errors.Join(err, dayErr)
	}
	return days, next, err
}

// note adds an entry to the journal of the day, once.
func (k *Keeper) note(e memory.Entry, at time.Time) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	defer k.touch()
	return k.folder.note(e, at)
}

// Add keeps a fact. If there is one about the same subject, its text changes, and the former text
// stays in its file. A fact that says the same as one that is kept changes nothing. What the
// person deleted is added by the person alone: for others it is memory.ErrForgotten.
func (k *Keeper) Add(f memory.Fact, byPerson bool) (kept memory.Fact, change memory.Change, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	facts, _, err := k.Facts()
	if err != nil {
		return f, change, err
	}
	archived, _, err := k.folder.facts(k.folder.archive())
	if err != nil {
		return f, change, err
	}
	if !byPerson && memory.Forgotten(f, append(archived, facts...), k.core.SeenFacts()) {
		return f, change, memory.ErrForgotten
	}
	kept, raw, change, err := memory.Merge(facts, f, k.taken)
	if err != nil || change == memory.Unchanged {
		return kept, change, err
	}
	if err := k.core.SeeFacts(kept.Seen()); err != nil {
		return kept, change, err
	}
	if err := k.folder.write(kept.Name, raw); err != nil {
		return kept, change, err
	}
	k.touch()
	return kept, change, k.core.Note(event.MemoryKept, "", string(kept.Name),
		kept.Source+" "+string(change)+" "+kept.Title)
}

func (k *Keeper) taken(name memory.Name) bool {
	_, err := os.Lstat(k.folder.path(name))
	return err == nil
}

// Forget removes a fact for the person, or moves it to the archive for somebody else.
func (k *Keeper) Forget(name memory.Name, byPerson bool, by string) (err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	f, archived, err := k.Fact(name)
	if errors.Is(err, core.ErrNotFound) {
		return err
	}
	if err == nil {
		err = k.core.SeeFacts(f.Seen())
	} else {
		err = nil // a file that cannot be read is removed all the same
	}
	if err != nil {
		return err
	}
	did := "archived"
	switch {
	case !byPerson && archived:
		return fmt.Errorf("%s is in the archive already", name)
	case !byPerson:
		err = k.folder.putAway(name)
	default:
		did = "deleted"
		err = os.Remove(k.folder.pathIn(archived, name))
	}
	if err != nil {
		return fmt.Errorf("forget a fact: %w", err)
	}
	k.touch()
	return k.core.Note(event.MemoryForgotten, "", string(name), by+" "+did+" "+f.Title)
}

// Edit saves the file of a fact that the person wrote in a form. base is the digest of the text that
// the form showed. If the file has changed since then, it stays, and the person's text becomes a
// fact of its own: kept is its name. An error that memory.Fault explains does not keep the text from
// being saved.
func (k *Keeper) Edit(name memory.Name, base, edited, by string) (kept memory.Name, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	now, archived, err := k.Fact(name)
	switch {
	case archived:
		return "", fmt.Errorf("%s is in the archive; edit the file itself: %s", name, k.folder.pathIn(true, name))
	case err != nil && memory.Fault(err) == "":
		return "", err
	}
	raw, to := markdown.Restore(now.File(), edited), name
	if raw != now.File() && base != markdown.Digest(now.File()) {
		to = memory.FreeName(memory.Yours(name), func(n memory.Name) bool {
			return k.taken(n) && !k.folder.holds(n, raw)
		})
		kept = to
	}
	f, fault := memory.Parse(to, raw)
	if k.folder.holds(to, raw) {
		return kept, fault
	}
	if err := errors.Join(k.core.SeeFacts(f.Seen()), k.folder.write(to, raw)); err != nil {
		return kept, err
	}
	k.touch()
	if err := k.core.Note(event.MemoryKept, "", string(to), by+" edited "+f.Title); err != nil {
		return kept, err
	}
	return kept, fault
}

// Lint returns what a person should look at.
func (k *Keeper) Lint(today time.Time) ([]memory.Finding, error) {
	facts, broken, err := k.Facts()
	return memory.Lint(facts, broken, today), err
}
