package modulework

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/host/claude"
	"github.com/afar-sh/afar/coordinator/internal/child"
	"github.com/afar-sh/afar/coordinator/internal/disk"
	"github.com/afar-sh/afar/coordinator/internal/feature"
	"github.com/afar-sh/afar/coordinator/internal/module"
	"github.com/afar-sh/afar/coordinator/wall"
)

// supported reports whether sources run on this system. On Windows nothing would end what a
// source has started.
const supported = runtime.GOOS != "windows"

// Config is what a Worker needs.
type Config struct {
	Core   *feature.Core
	Folder Folder
	Dirs   home.Dirs
	Log    *slog.Logger
	// Wall bounds the programs of modules.
	Wall wall.Settings
	// Env returns the environment of a program, with the variables in a file of the person, "" for
	// none.
	Env func(file string) ([]string, error)
}

// A Worker holds modules whose folders have changed, and keeps the sources of the others
// running.
type Worker struct {
	cfg Config

	copying sync.Mutex // held while a copy of a folder is compared or made
	mu      sync.Mutex // guards sources
	sources map[module.Name]*source
}

// New returns a worker.
func New(cfg Config) *Worker { return &Worker{cfg: cfg, sources: map[module.Name]*source{}} }

// Run works until ctx ends. Then no source runs any more.
func (w *Worker) Run(ctx context.Context) {
	var parts sync.WaitGroup
	defer parts.Wait()
	changed := make(chan struct{}, 1)
	parts.Go(func() { w.watch(ctx, changed) })
	sub := w.cfg.Core.Subscribe(feature.Modules)
	defer sub.Close()
	defer w.endAll()
	for _, m := range w.cfg.Core.Modules() {
		w.endLeft(m.Name) // the coordinator before this one may have been killed
	}
	w.dropCopies()
	for {
		w.compare(ctx)
		select {
		case <-sub.C:
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

// settleFor is how long after a change the folders are read: a copy or an editor may write in steps.
const settleFor = 300 * time.Millisecond

// watch reports changes in the folders until ctx ends.
func (w *Worker) watch(ctx context.Context, changed chan<- struct{}) {
	err := disk.Settled(ctx, disk.WatchAll, w.cfg.Folder.dir, settleFor, func() {
		select {
		case changed <- struct{}{}:
		default: // the worker looks anyway
		}
	})
	if err != nil {
		w.cfg.Log.Error("watch the folders of the modules", "err", err)
	}
}

// compare holds the modules whose folders are not what a person has enabled, ends the sources
// that shall not run, and starts those that shall.
func (w *Worker) compare(ctx context.Context) {
	wanted := map[module.Name]string{} // hashes
	for _, m := range w.cfg.Core.Modules() {
		if !m.On {
			continue
		}
		c, err := w.cfg.Folder.Read(m.Name)
		why := differs(m.Hash, c, err)
		if err := w.cfg.Core.LookedAtModule(m.Name, m.Hash, why); err != nil {
			w.cfg.Log.Error("compare a module with its folder", "module", m.Name, "err", err)
		}
		if why == "" && len(c.Source.Command) > 0 && supported {
			wanted[m.Name] = m.Hash
		}
	}
	w.endExcept(wanted)
	for name, hash := range wanted {
		w.start(ctx, name, hash)
	}
}

// differs returns why a folder is not the one that a person has enabled, "" if it is.
func differs(hash string, c module.Content, err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "its folder is missing"
	case c.Hash == "" && err != nil:
		return "its folder cannot be read: " + err.Error()
	case c.Hash != hash:
		return "its folder was changed"
	case err != nil:
		return err.Error()
	}
	return ""
}

// endExcept ends the sources whose module is not in wanted with the same content.
func (w *Worker) endExcept(wanted map[module.Name]string) {
	var ending []*source
	w.mu.Lock()
	for name, s := range w.sources {
		if hash, ok := wanted[name]; !ok || hash != s.hash || s.isOver() {
			ending = append(ending, s)
			delete(w.sources, name)
		}
	}
	w.mu.Unlock()
	for _, s := range ending {
		s.stop()
	}
	for _, s := range ending {
		<-s.over
	}
}

func (w *Worker) endAll() { w.endExcept(nil) }

func (s *source) isOver() bool {
	select {
	case <-s.over:
		return true
	default:
		return false
	}
}

// start starts the source of a module, unless it runs.
func (w *Worker) start(ctx context.Context, name module.Name, hash string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.sources[name] != nil {
		return
	}
	ctx, stop := context.WithCancel(ctx)
	s := &source{w: w, name: name, hash: hash, stop: stop, end: stop, over: make(chan struct{})}
	w.sources[name] = s
	go s.run(ctx)
}

// Status returns what the source of a module does. ok is false if it is not kept running.
func (w *Worker) Status(name module.Name) (now module.Status, ok bool) {
	w.mu.Lock()
	s := w.sources[name]
	w.mu.Unlock()
	if s == nil || s.isOver() {
		return now, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.status, true
}

// Restart ends the source of a module and starts it again at once. It returns false if the source
// is not kept running.
func (w *Worker) Restart(name module.Name) bool {
	w.mu.Lock()
	s := w.sources[name]
	w.mu.Unlock()
	if s == nil || s.isOver() {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.end()
	return true
}

// program returns the command of a module, to be run in dir, a copy of its folder.
func (w *Worker) program(
	name module.Name, dir string, command []string, envFile string,
) (p child.Program, err error) {
	env, err := w.cfg.Env(w.inHome(envFile))
	if err != nil {
		return p, err
	}
	path, own, err := w.place(name, dir, command[0])
	if err != nil {
		return p, err
	}
	// The first mark keeps what the source starts from deciding for the person, the other finds it
	// again after it has left the process group.
	env = append(append(env, own...), claude.ChildMark, w.sourceMark(name))
	bound, err := wall.New(wall.Place{
		Dirs:    w.cfg.Dirs,
		Program: path,
		Getenv:  wall.From(env),
		Own:     []wall.Row{{Path: w.cfg.Dirs.ModuleData(string(name)), Why: "the module's own files"}},
		Reads:   []wall.Row{{Path: dir, Why: "the module"}},
	}, w.cfg.Wall)
	return child.Program{Path: path, Args: command[1:], Dir: dir, Env: env, Wall: bound}, err
}

// place returns the path of a program of a module: in dir if its name has a slash, and otherwise one
// that the person installed. own are the variables that every program of the module gets. place makes
// the folder for its data.
func (w *Worker) place(name module.Name, dir, program string) (path string, own []string, err error) {
	data := w.cfg.Dirs.ModuleData(string(name))
	if err := os.MkdirAll(data, 0o700); err != nil {
		return "", nil, err
	}
	found := program
	if strings.Contains(program, "/") && !filepath.IsAbs(program) {
		found = filepath.Join(dir, program)
	}
	if path, err = child.Find(found, w.cfg.Dirs.Path, ""); err != nil {
		return "", nil, fmt.Errorf("%s: %w", program, err)
	}
	return path, []string{"AFAR_MODULE_DATA=" + data, "PYTHONDONTWRITEBYTECODE=1"}, nil
}

// inHome returns a path with the person's home for ~.
func (w *Worker) inHome(path string) string {
	if below, ok := strings.CutPrefix(path, "~/"); ok {
		return filepath.Join(w.cfg.Dirs.User, below)
	}
	return path
}
