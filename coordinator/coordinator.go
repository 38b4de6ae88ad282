// Package coordinator builds the daemon from its parts, takes the lock that
// makes it the only one, runs everything and stops it in order. It is the only
// place that knows every package.
package coordinator

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/afar-sh/afar/coordinator/config"
	"github.com/afar-sh/afar/coordinator/consult"
	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/internal/channel/telegram"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/disk"
	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/git"
	"github.com/afar-sh/afar/coordinator/internal/server"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/store"
	"github.com/afar-sh/afar/coordinator/peer"
)

// ErrRunning says that another coordinator serves this home.
var ErrRunning = errors.New("a coordinator is already running")

// Config is what a coordinator needs to know.
type Config struct {
	Dirs    home.Dirs
	Bin     string // directory of our binaries; hooks from elsewhere are refused
	Version string
	Log     *slog.Logger
	// Getenv is read once, for AFAR_TELEGRAM_API, AFAR_TELEGRAM_TOKEN and
	// AFAR_TELEGRAM_TOKEN_FILE.
	Getenv func(string) string
}

// A Coordinator is the running daemon.
type Coordinator struct {
	cfg      Config
	life     *home.Lock // held until Close: nobody else serves this home
	store    *store.Store
	listener *net.UnixListener
	core     *core.Core
	telegram *telegram.Channel
	undo     *snapshotter
	issues   *issueHands
	server   *server.Server
	consult  consult.Config // whom reviews ask
	since    time.Time
	shutdown chan struct{}
	once     sync.Once              // closes shutdown
	holds    []possession           // what must stay its own
	left     atomic.Pointer[string] // what it lost, once it ends for that
	marks    sync.Mutex             // held by takeMarks; guards noMarks
	noMarks  time.Time              // of their directory, when it was found empty
}

// Open takes the life lock, opens the store and listens. It returns ErrRunning
// when another coordinator holds the lock. The socket is touched by the holder
// of the lock alone.
func Open(cfg Config) (*Coordinator, error) {
	if err := cfg.Dirs.Make(); err != nil {
		return nil, err
	}
	life, err := home.TryLock(cfg.Dirs.LifeLock())
	if err != nil {
		return nil, err
	}
	if life == nil {
		return nil, ErrRunning
	}
	c := &Coordinator{cfg: cfg, life: life, since: time.Now(), shutdown: make(chan struct{})}
	if err := c.build(); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

func (c *Coordinator) build() (err error) {
	settings, err := config.Load(c.cfg.Dirs.ConfigFile())
	if err != nil {
		return err
	}
	if c.consult, err = consulting(settings); err != nil {
		return err
	}
	rules, err := rules(settings)
	if err != nil {
		return err
	}
	if c.store, err = store.Open(c.cfg.Dirs.Database()); err != nil {
		return err
	}
	if c.core, err = core.New(core.Config{
		Store: c.store, Log: c.cfg.Log, Now: time.Now, Secret: word, Code: digits,
		Lives:     func(p session.Process) bool { return peer.Lives(p.PID, p.Born) },
		DayBudget: settings.Loop.DayBudget, Trace: settings.Loop.Trace, Rules: rules, AnswersFrom: settings.AnswersFrom.Names(),
	}); err != nil {
		return err
	}
	c.telegram = telegram.New(telegram.Config{
		Core: c.core, Log: c.cfg.Log, TokenFile: c.cfg.Dirs.TokenFile(), ConfigFile: c.cfg.Dirs.ConfigFile(), Machine: machine(), Home: c.cfg.Dirs.User, Now: time.Now,
	})
	if c.undo, err = newSnapshotter(c.core, c.cfg.Dirs.Snapshots(), c.cfg.Log); err != nil {
		return err
	}
	if c.issues, err = newIssueHands(c.core, settings); err != nil {
		return err
	}
	c.server = server.New(server.Config{
		Dirs: c.cfg.Dirs, Core: c.core, Log: c.cfg.Log, Bin: c.cfg.Bin, Hold: time.Duration(settings.CheckIn.Hold), Self: c.self, Doctor: c.doctor, Shutdown: c.end, Marks: c.takeMarks, Overrules: c.overrules, Guard: c.guard, Page: c.loopPage,
		Connect: c.connect, Disconnect: c.telegram.Disconnect, Telegram: c.wireTelegram,
		Git: server.Git{Tree: git.Tree, Recent: git.Recent, Top: git.Top}, Usage: disk.Usage, Glance: disk.Glance, Said: disk.Said, SaidBeforeCall: disk.SaidBeforeCall, Snapshot: c.undo.take,
		Consult: server.Consult{Programs: settings.Consult.Programs, Timeout: time.Duration(settings.Consult.Timeout)},
	})
	if c.listener, err = listen(c.cfg.Dirs.Socket()); err != nil {
		return err
	}
	return c.possess()
}

// listen replaces a stale socket; the life lock proves that it is stale. The
// directory is closed to others, so there is no moment at which they could
// connect.
func listen(path string) (*net.UnixListener, error) {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("remove stale socket: %w", err)
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		l.Close()
		return nil, fmt.Errorf("listen: %w", err)
	}
	return l, nil
}

// Run serves until ctx ends or somebody asks for the end, then finishes what it
// holds: requests in hand get their reply, state is committed.
func (c *Coordinator) Run(outer context.Context) error {
	ctx, cancel := context.WithCancel(context.WithoutCancel(outer))
	defer cancel()
	var parts sync.WaitGroup
	defer parts.Wait()
	defer cancel()
	c.cfg.Dirs.ForgetStopped()
	parts.Go(func() {
		select {
		case <-c.shutdown:
		case <-outer.Done():
		case <-ctx.Done():
			return
		}
		c.noteStopped() // before anybody is sent away
		cancel()
	})
	c.firstStart(ctx)
	for _, part := range []func(context.Context){
		c.core.Run, c.telegram.Run, c.write, c.watch, c.watchClients, c.watchMarks, c.forget, c.undo.run, c.issues.run,
		c.stayPresent, c.watchDisk, c.audit,
	} {
		parts.Go(func() { part(ctx) })
	}
	c.cfg.Log.Info("serving", "socket", c.cfg.Dirs.Socket(), "version", c.cfg.Version)
	err := c.server.Serve(ctx, c.listener)
	err = errors.Join(err, c.core.Note(event.Stopped, "", "", c.lastWords()))
	c.cfg.Log.Info(c.lastWords())
	if c.left.Load() != nil {
		err = errors.Join(err, errors.New(c.lastWords()))
	}
	return err
}

// lastWords is the journal's last entry of this coordinator.
func (c *Coordinator) lastWords() string {
	if why := c.left.Load(); why != nil {
		return "the coordinator ended: " + *why
	}
	return "the coordinator stopped"
}

// noteStopped has sessions that wait leave it at that, unless the coordinator
// lost its home.
func (c *Coordinator) noteStopped() {
	if c.left.Load() == nil {
		c.cfg.Dirs.NoteStopped()
	}
}

// Close releases everything, the life lock last. It is safe after a failed
// Open.
func (c *Coordinator) Close() error {
	var err error
	if c.listener != nil {
		c.listener.Close()
	}
	if c.store != nil {
		err = c.store.Close()
	}
	c.life.Release()
	return err
}

func (c *Coordinator) end() { c.once.Do(func() { close(c.shutdown) }) }
