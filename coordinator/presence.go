package coordinator

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"time"

	"github.com/afar-sh/afar/coordinator/home"
)

// presentEvery is how often a coordinator checks that its home is still there.
// Two checks in a row must agree before it ends.
const presentEvery = 20 * time.Second

// A possession is a file that this coordinator made or opened. It ends when the
// file is gone, or when another file has taken its place.
type possession struct {
	what, path string
	info       fs.FileInfo // nil if any file at path is accepted
}

// A loss says what a coordinator has lost, so that it must end: nobody can reach it, and a
// successor may serve the same bot.
type loss struct{ what string }

func (l *loss) Error() string { return "the coordinator ended: " + l.what }

// lossOf returns the loss for which ctx ended, nil if there is none.
func lossOf(ctx context.Context) error {
	var lost *loss
	if errors.As(context.Cause(ctx), &lost) {
		return lost
	}
	return nil
}

// lastWords returns the text of the last journal entry of a coordinator that ended for ctx.
func lastWords(ctx context.Context) string {
	if lost := lossOf(ctx); lost != nil {
		return lost.Error()
	}
	return "the coordinator stopped"
}

// A presenceWatcher notices that its coordinator has lost its home.
type presenceWatcher struct {
	possessions []possession
	listener    *net.UnixListener
	end         context.CancelCauseFunc
	log         *slog.Logger
}

// watchPresence returns a watcher of the files in a home, which must all exist. program is the path
// of the binary, which is watched only if it exists. If a file is lost, the watcher calls
// end with a loss.
func watchPresence(
	dirs home.Dirs, program string, socket *net.UnixListener, end context.CancelCauseFunc, log *slog.Logger,
) (*presenceWatcher, error) {
	all := []possession{
		{what: "lock file", path: dirs.LifeLock()},
		{what: "socket", path: dirs.Socket()},
		{what: "database", path: dirs.Database()},
	}
	for i, p := range all {
		info, err := os.Lstat(p.path)
		if err != nil {
			return nil, fmt.Errorf("look at the %s: %w", p.what, err)
		}
		all[i].info = info
	}
	if exists(program) {
		all = append(all, possession{what: "program", path: program})
	}
	return &presenceWatcher{possessions: all, listener: socket, end: end, log: log}, nil
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// lost returns why p is lost, "" if it is not. A file that exists but cannot be read is not
// lost.
func (p possession) lost() string {
	now, err := os.Lstat(p.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Sprintf("its %s is gone: %s", p.what, p.path)
	case err != nil, p.info == nil, os.SameFile(p.info, now):
		return ""
	}
	return fmt.Sprintf("another file has taken the place of its %s: %s", p.what, p.path)
}

// lost returns why the first lost possession is lost, "" if none is.
func (w *presenceWatcher) lost() string {
	for _, p := range w.possessions {
		if why := p.lost(); why != "" {
			return why
		}
	}
	return ""
}

// Run watches until something is lost or ctx ends.
func (w *presenceWatcher) Run(ctx context.Context) {
	tick := time.NewTicker(presentEvery)
	defer tick.Stop()
	missed := 0
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		why := w.lost()
		if why == "" {
			missed = 0
			continue
		}
		if missed++; missed > 1 {
			w.lose(&loss{why})
			return
		}
	}
}

// lose ends the coordinator. It does not remove the socket, which may be that of a
// successor.
func (w *presenceWatcher) lose(lost *loss) {
	w.log.Warn("this coordinator ends: "+lost.what, "pid", os.Getpid())
	w.listener.SetUnlinkOnClose(false)
	w.end(lost)
}
