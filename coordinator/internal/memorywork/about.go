package memorywork

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/atomicfile"
	"github.com/afar-sh/afar/coordinator/internal/memory"
	"github.com/afar-sh/afar/coordinator/internal/task"
	"github.com/afar-sh/afar/coordinator/text"
)

// The files that say who works here, and how. The person writes them.
const (
	firstIdentity = `# Who works here

You work for the owner of this machine, who is often away. Nobody may be there to answer at once.
`
	firstSoul = `# How work is done here

- Do what was asked, and say what you left out.
- Check what you say: run it, read it, or say that you did not.
- Ask before anything that others see or that cannot be taken back.
`
)

// welcome writes identity.md and soul.md, in a workspace without memory only: what the person
// has removed is not written again.
func (w *Worker) welcome() error {
	if _, err := os.Lstat(w.folder.dir); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return errors.Join(writeNew(w.cfg.Dirs.Identity(), firstIdentity), writeNew(w.cfg.Dirs.Soul(), firstSoul))
}

func writeNew(path, text string) error {
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return atomicfile.Write(path, text)
}

// Bounds of what a run of a task is told.
const (
	maxAbout  = 4 << 10 // of identity.md and of soul.md, in bytes
	maxDays   = 5       // of the journal
	maxTopics = 2000    // of the text by which facts are chosen, in bytes
)

// About returns what a run of a task is told besides its task.
func (w *Worker) About(s task.State) task.About {
	return task.About{
		Identity: w.readAbout(w.cfg.Dirs.Identity()),
		Soul:     w.readAbout(w.cfg.Dirs.Soul()),
		Memory:   w.Brief(s.Title + "\n" + s.Objective),
	}
}

func (w *Worker) readAbout(path string) string {
	raw, err := read(path, maxFile)
	if err != nil {
		w.cfg.Log.Warn("read what runs are told", "err", err)
	}
	return text.ClipBytes(raw, maxAbout)
}

// Brief returns at most 30 lines: the facts that have most to do with some topics, then the
// newest ones, and the headings of the last days. What cannot be read is left out.
func (w *Worker) Brief(topics string) string {
	facts, _, err := w.Facts()
	days, _, daysErr := w.DaysUntil("", maxDays)
	found, _, searchErr := w.Search(text.ClipBytes(topics, maxTopics), 2*maxBrief)
	if err := errors.Join(err, daysErr, searchErr); err != nil {
		w.cfg.Log.Warn("look into memory for a run", "err", err)
	}
	return memory.Brief(byRank(memory.Newest(facts), found), days, time.Now())
}

// maxOpening bounds what a session of the person is told, in bytes.
const maxOpening = 6000

// Opening returns what a session that the person opens in a project is told, "" for nothing.
func (w *Worker) Opening(project string) string {
	if !w.cfg.Opens(project) {
		return ""
	}
	return text.ClipBytes(w.Brief(filepath.Base(project)), maxOpening)
}

// maxBrief is how many facts a run is told of at most, and more.
const maxBrief = 30

// byRank returns facts in the order of search results. Those that were not found come last.
func byRank(facts []memory.Fact, found []memory.Result) []memory.Fact {
	rank := map[string]int{}
	for i, r := range found {
		if r.Kind == "fact" {
			rank[r.ID] = i - len(found)
		}
	}
	slices.SortStableFunc(facts, func(a, b memory.Fact) int {
		return cmp.Compare(rank[string(a.Name)], rank[string(b.Name)])
	})
	return facts
}
