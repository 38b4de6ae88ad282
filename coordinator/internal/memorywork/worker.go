package memorywork

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/disk"
	"github.com/afar-sh/afar/coordinator/internal/feature"
	"github.com/afar-sh/afar/coordinator/internal/memory"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/store"
	"github.com/afar-sh/afar/coordinator/redact"
)

// Config is what a Worker needs.
type Config struct {
	Core *feature.Core
	Log  *slog.Logger
	Dirs home.Dirs
	// Opens reports whether the sessions of a project are told what is known.
	Opens func(project string) bool
	// LastText returns the last text that the model wrote in a transcript, "" for none.
	LastText func(transcript string) string
}

// A Worker keeps the search index and INDEX.md up to date with the files, and searches.
type Worker struct {
	Keeper
	cfg     Config
	index   *store.Index
	changed chan struct{} // holds a value when something may have changed

	syncing sync.Mutex // held while the index is compared with what it indexes
}

// New returns a worker. Close releases its index.
func New(cfg Config) (*Worker, error) {
	index, err := store.OpenIndex(cfg.Dirs.SearchIndex())
	if err != nil {
		return nil, err
	}
	w := &Worker{cfg: cfg, index: index, changed: make(chan struct{}, 1)}
	w.Keeper = Keeper{core: cfg.Core, folder: newFolder(filepath.Join(cfg.Dirs.Workspace, "memory")), touch: w.touched}
	return w, nil
}

// Close closes the index.
func (w *Worker) Close() error { return w.index.Close() }

// touched notes that something may have changed.
func (w *Worker) touched() {
	select {
	case w.changed <- struct{}{}:
	default:
	}
}

const (
	settle   = 200 * time.Millisecond // how long further changes are waited for
	lookOver = time.Minute            // how often everything is compared: the watch may miss a change
)

// Run works until ctx ends.
func (w *Worker) Run(ctx context.Context) {
	var watchers sync.WaitGroup
	defer watchers.Wait()
	if err := errors.Join(w.welcome(), w.folder.make(), os.MkdirAll(w.cfg.Dirs.Tasks(), 0o700)); err != nil {
		w.cfg.Log.Error("watch memory", "err", err)
	}
	for _, dir := range []string{w.folder.dir, w.cfg.Dirs.Tasks()} {
		watchers.Go(func() {
			if err := disk.WatchTree(ctx, dir, w.touched); err != nil {
				w.cfg.Log.Error("watch memory", "dir", dir, "err", err)
			}
		})
	}
	said := w.cfg.Core.Subscribe(core.Turns, core.Stops, core.Transcripts)
	defer said.Close()
	all := time.NewTicker(lookOver)
	defer all.Stop()
	for {
		select {
		case <-w.changed:
		case <-said.C:
		case <-all.C:
		case <-ctx.Done():
			return
		}
		if err := w.Sync(); err != nil {
			w.cfg.Log.Error("index memory", "err", err)
		}
		select {
		case <-time.After(settle):
		case <-ctx.Done():
			return
		}
	}
}

// A source is something that is searched. Without read, what the index has of it stays.
type source struct {
	key   string
	stamp string
	read  func() (store.Indexed, error) // without key and stamp
}

// batch is how many documents are put into the index at once.
const batch = 200

// Sync brings the index and INDEX.md up to date.
func (w *Worker) Sync() error {
	w.syncing.Lock()
	defer w.syncing.Unlock()
	sources, err := w.sources()
	if err != nil {
		return err
	}
	stamps, err := w.index.Stamps()
	if err != nil {
		return err
	}
	var put []store.Indexed
	for _, s := range sources {
		old, known := stamps[s.key]
		delete(stamps, s.key)
		if s.read == nil || known && old == s.stamp {
			continue
		}
		d, err := s.read()
		if err != nil {
			w.cfg.Log.Warn("index memory", "key", s.key, "err", err)
		}
		d.Key, d.Stamp = s.key, s.stamp
		put = append(put, d)
	}
	return errors.Join(w.change(put, stamps), w.list(put, stamps))
}

// change applies what has changed to the index.
func (w *Worker) change(put []store.Indexed, gone map[string]string) (err error) {
	var drop []string
	for key := range gone {
		drop = append(drop, key)
	}
	if len(drop) > 0 {
		err = w.index.Change(nil, drop)
	}
	for part := range slices.Chunk(put, batch) {
		err = errors.Join(err, w.index.Change(part, nil))
	}
	return err
}

// list writes INDEX.md and notes which facts there are, if a fact has changed.
func (w *Worker) list(put []store.Indexed, gone map[string]string) error {
	changed := false
	for _, d := range put {
		changed = changed || strings.HasPrefix(d.Key, kindFact)
	}
	for key := range gone {
		changed = changed || strings.HasPrefix(key, kindFact)
	}
	_, err := os.Lstat(filepath.Join(w.folder.dir, indexFile))
	if !changed && err == nil {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	facts, broken, err := w.Facts()
	if err != nil {
		return err
	}
	var seen []string
	for _, f := range facts {
		seen = append(seen, f.Seen()...)
	}
	return errors.Join(w.core.SeeFacts(seen), w.folder.writeIndex(facts, broken))
}

// The beginnings of the keys of what is searched.
const (
	kindFact    = "fact/"
	kindJournal = "journal/"
	kindTask    = "task/"
	kindRun     = "run/"
	kindSession = "session/"
)

// sources returns all that is searched.
func (w *Worker) sources() (all []source, err error) {
	facts, factsErr := files(w.folder.dir)
	for _, name := range facts {
		all = w.withFile(all, kindFact+string(name), w.folder.path(name), w.readFact)
	}
	dates, datesErr := w.folder.dates()
	for _, date := range dates {
		all = w.withFile(all, kindJournal+date, filepath.Join(w.folder.journal(), date+ending), readJournal)
	}
	folders, tasksErr := os.ReadDir(w.cfg.Dirs.Tasks())
	if errors.Is(tasksErr, fs.ErrNotExist) {
		tasksErr = nil
	}
	for _, f := range folders {
		if f.IsDir() {
			all = w.withFile(all, kindTask+f.Name(), filepath.Join(w.cfg.Dirs.Tasks(), f.Name(), "state.md"), readFile)
		}
	}
	return append(all, w.said()...), errors.Join(factsErr, datesErr, tasksErr)
}

// withFile adds a file, if it is there.
func (w *Worker) withFile(
	all []source, key, path string, read func(key, path string) (store.Indexed, error),
) []source {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return all
	}
	return append(all, source{key: key, stamp: stampOf(info), read: func() (store.Indexed, error) {
		d, err := read(key, path)
		d.At = info.ModTime()
		return d, err
	}})
}

// readFact reads a fact. A file that cannot be read as one is found by its words all the same.
func (w *Worker) readFact(key, path string) (store.Indexed, error) {
	f, err := w.folder.fact(w.folder.dir, memory.Name(strings.TrimPrefix(key, kindFact)))
	if err != nil {
		return readFile(key, path)
	}
	return store.Indexed{Title: f.Title, Also: f.Words(), Text: f.Searched()}, nil
}

// readJournal reads the journal of a day, whose title is the day.
func readJournal(key, path string) (store.Indexed, error) {
	d, err := readFile(key, path)
	d.Title = strings.TrimPrefix(key, kindJournal)
	return d, err
}

// maxFile is the largest file that is searched, in bytes.
const maxFile = 1 << 20

func readFile(key, path string) (d store.Indexed, err error) {
	text, err := read(path, maxFile)
	d.Text = strings.ToValidUTF8(text, "�")
	_, d.Title, _ = strings.Cut(key, "/")
	if first, below, _ := strings.Cut(d.Text, "\n"); strings.HasPrefix(first, "# ") {
		d.Title, d.Text = strings.TrimSpace(first[2:]), "\n"+below
	}
	return d, err
}

// said returns what runs and sessions said last.
func (w *Worker) said() (all []source) {
	conversations := map[string]bool{}
	for _, r := range w.cfg.Core.Runs() {
		conversations[r.Conversation] = true
		if r.LastText == "" {
			continue
		}
		stamp := strconv.FormatInt(r.Fence, 36) + "/" + strconv.FormatInt(r.Since.UnixNano(), 36)
		all = append(all, source{key: kindRun + r.Name, stamp: stamp, read: func() (store.Indexed, error) {
			return store.Indexed{Title: r.Name, Text: redact.Clean(r.LastText), At: r.Since}, nil
		}})
	}
	for _, v := range w.cfg.Core.Sessions() {
		info, err := os.Stat(v.Transcript)
		if err != nil || conversations[string(v.ID)] {
			continue
		}
		if v.State != session.Idle && v.State != session.Ended {
			all = append(all, source{key: kindSession + v.Token})
			continue
		}
		all = append(all, source{key: kindSession + v.Token, stamp: stampOf(info), read: func() (store.Indexed, error) {
			said := redact.Clean(w.cfg.LastText(v.Transcript))
			return store.Indexed{Title: v.Token, Text: said, At: info.ModTime()}, nil
		}})
	}
	return all
}

// Add is Keeper.Add. The fact is found as soon as it returns.
func (w *Worker) Add(f memory.Fact, byPerson bool) (kept memory.Fact, change memory.Change, err error) {
	kept, change, err = w.Keeper.Add(f, byPerson)
	if err != nil {
		return kept, change, err
	}
	if err := w.Sync(); err != nil { // the fact is kept all the same
		w.cfg.Log.Error("index memory", "err", err)
	}
	return kept, change, nil
}

// Search returns the documents that have something of a question, and single lines, at most n of
// each, the best first.
func (w *Worker) Search(question string, n int) (docs, lines []memory.Result, err error) {
	whole, single, err := w.index.Search(question, n)
	return results(whole), results(single), err
}

func results(found []store.Found) (all []memory.Result) {
	for _, f := range found {
		kind, id, _ := strings.Cut(f.Key, "/")
		r := memory.Result{Kind: kind, ID: id, Title: f.Title, At: f.At, Line: f.Line, Score: f.Score}
		if text := strings.Split(f.Text, "\n"); f.Line > 0 && f.Line <= len(text) {
			r.Text = strings.TrimSpace(text[f.Line-1])
		}
		all = append(all, r)
	}
	return all
}
