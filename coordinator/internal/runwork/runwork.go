// Package runwork starts the runners of turns, and tells them to end. It carries out the
// actions of core.LaneRun.
package runwork

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/internal/child"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/store"
	"github.com/afar-sh/afar/coordinator/peer"
	"github.com/afar-sh/afar/coordinator/text"
)

// Supported reports whether runs work on this system.
const Supported = runtime.GOOS != "windows"

// startFor bounds the start of a runner. It goes on in the background.
const (
	startFor = 5 * time.Second
	maxSaid  = 500
)

// A Worker carries out what runs ask for. Doing it twice comes to the same: of two runners of
// one turn, the second is refused.
type Worker struct {
	core  *core.Core
	dirs  home.Dirs
	bin   string
	lives func(session.Process) bool
	log   *slog.Logger

	starting sync.RWMutex // held for reading while a runner is started
	over     bool         // no turn is started any more; guarded by starting
	mu       sync.Mutex
	runners  map[session.Process]bool // those that were started and may live; guarded by mu
}

// New returns a worker that starts the programs in bin.
func New(c *core.Core, dirs home.Dirs, bin string, lives func(session.Process) bool, log *slog.Logger) *Worker {
	return &Worker{
		core: c, dirs: dirs, bin: bin, lives: lives, log: log, runners: map[session.Process]bool{},
	}
}

// Run works until ctx ends.
func (w *Worker) Run(ctx context.Context) { w.core.WorkEach(ctx, core.LaneRun, w.act) }

func (w *Worker) act(ctx context.Context, a store.Action) error {
	if a.Kind == core.ActRunClear {
		return w.clear(ctx, a)
	}
	r, err := w.core.RunByID(run.ID(a.Data))
	switch {
	case errors.Is(err, core.ErrNotFound):
		return w.forget(a.Data)
	case err != nil:
		return err
	case r.NeedsPlace():
		return w.settle(ctx, r)
	case !r.Busy():
		return nil
	case w.lives(r.Turn.Runner) && r.Turn.Runner.Known():
		return w.tell(r)
	}
	return w.start(ctx, r)
}

// start starts a runner for the turn. The runner reports by itself; one that does not is
// replaced when its time is over.
func (w *Worker) start(ctx context.Context, r run.Run) error {
	p := child.Program{
		Path:  home.Program(w.bin, "agent-run"),
		Args:  []string{"start", string(r.ID), strconv.FormatInt(r.Fence, 10)},
		Dir:   "/",
		Limit: startFor,
		Grace: time.Second,
		Most:  maxSaid,
		// the runner itself is in a group of its own
		Outlives: true,
	}
	w.starting.RLock()
	defer w.starting.RUnlock()
	if w.over {
		return errOver
	}
	out, err := p.Run(ctx)
	if err != nil {
		w.log.Warn("start a runner", "run", r.Name, "err", err, "said", text.Fold(out.Said))
	}
	if pid, err := strconv.Atoi(strings.TrimSpace(string(out.Text))); err == nil {
		w.know(session.Process{PID: pid, Born: peer.Birth(pid)})
	}
	return nil
}

// errOver leaves a turn to the next coordinator.
var errOver = errors.New("the coordinator ends")

// endFor is how long runners may take to end their agents.
const endFor = 6 * time.Second

// End ends the agents and the runners of all turns, and starts no more. It returns how many runners
// it told to end. The next coordinator goes on with the turns, as after a loss of power.
func (w *Worker) End() int {
	w.starting.Lock()
	w.over = true
	w.starting.Unlock()
	told := map[session.Process]bool{}
	for end := time.Now().Add(endFor); ; time.Sleep(tellEvery) {
		left := 0
		for p := range w.alive() {
			left++
			if !told[p] && signal(p, syscall.SIGHUP) == nil {
				told[p] = true
			}
		}
		if left == 0 || time.Now().After(end) {
			return len(told)
		}
	}
}

// tellEvery is the time between two looks at runners that end.
const tellEvery = 20 * time.Millisecond

// alive returns the runners that live: those of an earlier coordinator too.
func (w *Worker) alive() map[session.Process]bool {
	all := map[session.Process]bool{}
	for _, p := range w.core.Runners() {
		all[p] = true
	}
	w.mu.Lock()
	maps.Copy(all, w.runners)
	w.mu.Unlock()
	maps.DeleteFunc(all, func(p session.Process, _ bool) bool { return !w.lives(p) })
	return all
}

// know remembers a runner, and forgets those that have ended.
func (w *Worker) know(runner session.Process) {
	w.mu.Lock()
	defer w.mu.Unlock()
	maps.DeleteFunc(w.runners, func(p session.Process, _ bool) bool { return !w.lives(p) })
	w.runners[runner] = true
}

// Started reports whether this worker started a runner. If one is being started, it waits until
// that is known.
func (w *Worker) Started(runner session.Process) bool {
	w.starting.Lock()
	defer w.starting.Unlock()
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.runners[runner]
}

// tell tells the runner of a turn that is to end.
func (w *Worker) tell(r run.Run) error {
	if !r.Turn.Ending() {
		return nil
	}
	err := signal(r.Turn.Runner, syscall.SIGTERM)
	if err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("end turn %d of run %s: %w", r.Fence, r.Name, err)
	}
	return nil
}

func signal(runner session.Process, s os.Signal) error {
	p, err := os.FindProcess(runner.PID)
	if err == nil {
		err = p.Signal(s)
	}
	return err
}

// forget removes the files of a run that was removed.
func (w *Worker) forget(id string) error { return os.RemoveAll(w.dirs.RunFiles(id)) }
