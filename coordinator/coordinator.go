// Package coordinator builds the daemon from its parts, takes the lock that
// makes it the only one, runs everything and stops it in order. It is the only
// place that knows every package.
package coordinator

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/afar-sh/afar/coordinator/config"
	"github.com/afar-sh/afar/coordinator/consult"
	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/host/claude"
	"github.com/afar-sh/afar/coordinator/host/claude/transcript"
	"github.com/afar-sh/afar/coordinator/internal/audit"
	"github.com/afar-sh/afar/coordinator/internal/channel/telegram"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/doctor"
	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/filework"
	"github.com/afar-sh/afar/coordinator/internal/git"
	"github.com/afar-sh/afar/coordinator/internal/issuework"
	"github.com/afar-sh/afar/coordinator/internal/marks"
	"github.com/afar-sh/afar/coordinator/internal/presence"
	"github.com/afar-sh/afar/coordinator/internal/random"
	"github.com/afar-sh/afar/coordinator/internal/server"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/sessionwatch"
	"github.com/afar-sh/afar/coordinator/internal/settings"
	"github.com/afar-sh/afar/coordinator/internal/store"
	"github.com/afar-sh/afar/coordinator/internal/undowork"
	"github.com/afar-sh/afar/coordinator/internal/upkeep"
	"github.com/afar-sh/afar/coordinator/peer"
	"github.com/afar-sh/afar/coordinator/wire"
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
	channels []channel // telegram among them
	server   *server.Server
	undo     *undowork.Snapshotter
	files    *filework.Writer
	audit    *audit.Auditor
	marks    *marks.Taker
	reviews  consult.Config          // whom reviews ask
	runs     []func(context.Context) // the work that goes on beside the server, until its context ends
	holds    presence.Possessions    // what must not be taken from it
	since    time.Time
	shutdown chan struct{}
	once     sync.Once              // closes shutdown
	left     atomic.Pointer[string] // what it lost, once it ends for that
}

// A channel is a way to the person: it shows them what core has for it, and tells core
// what they do.
type channel interface {
	Run(ctx context.Context)
	// Say tells the person something at once, without the database.
	Say(ctx context.Context, text string) error
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

// build makes the parts, connects them and opens the socket.
func (c *Coordinator) build() error {
	file, err := config.Load(c.cfg.Dirs.ConfigFile())
	if err != nil {
		return err
	}
	if err := c.buildCore(file); err != nil {
		return err
	}
	if err := c.buildWorkers(file); err != nil {
		return err
	}
	if c.listener, err = server.Listen(c.cfg.Dirs.Socket()); err != nil {
		return err
	}
	c.holds, err = presence.Hold(c.cfg.Dirs, home.Program(c.cfg.Bin, "afar"))
	return err
}

// buildCore makes what all other parts work with: store, core and channel.
func (c *Coordinator) buildCore(file config.Config) error {
	rules, err := settings.Rules(file)
	if err != nil {
		return err
	}
	if c.store, err = store.Open(c.cfg.Dirs.Database()); err != nil {
		return err
	}
	c.core, err = core.New(core.Config{
		Store:       c.store,
		Log:         c.cfg.Log,
		Now:         time.Now,
		Secret:      random.Word,
		Channels:    []string{telegram.Name},
		Lives:       func(p session.Process) bool { return peer.Lives(p.PID, p.Born) },
		DayBudget:   file.Loop.DayBudget,
		Trace:       file.Loop.Trace,
		Rules:       rules,
		AnswersFrom: file.AnswersFrom.Names(),
	})
	if err != nil {
		return err
	}
	c.telegram = telegram.New(telegram.Config{
		Core:       c.core,
		Log:        c.cfg.Log,
		TokenFile:  c.cfg.Dirs.TokenFile(),
		ConfigFile: c.cfg.Dirs.ConfigFile(),
		Machine:    machine(),
		Home:       c.cfg.Dirs.User,
		Now:        time.Now,
		Code:       random.Digits,
		RemindChat: file.Escalation.Chat,
	})
	c.channels = []channel{c.telegram}
	return nil
}

// buildWorkers makes the server and what works beside it.
func (c *Coordinator) buildWorkers(file config.Config) (err error) {
	dirs, log := c.cfg.Dirs, c.cfg.Log
	if c.reviews, err = settings.Reviewers(file.Consult); err != nil {
		return err
	}
	if c.undo, err = undowork.New(c.core, dirs.Snapshots(), log); err != nil {
		return err
	}
	c.files = filework.New(c.core, dirs, log)
	c.audit = audit.New(c.core, dirs, c.cfg.Bin, log)
	c.marks = marks.New(c.core, dirs, log)
	c.server = server.New(c.serverConfig(file))
	hostDirs := []string{dirs.HostDir(), claude.Env(c.cfg.Getenv).ConfigDir()}
	sessions := sessionwatch.New(c.core, hostDirs, c.server.Consulting, log)
	keeper := upkeep.Keeper{
		Core:    c.core,
		Store:   c.store,
		Calls:   dirs.Calls(),
		Machine: machine(),
		Log:     log,
		Say:     c.say,
	}
	c.runs = []func(context.Context){
		c.core.Run, c.files.Run, sessions.Run, c.marks.Run, c.undo.Run,
		issuework.New(c.core, file.Issues, c.reviews).Run, keeper.Run, c.audit.Run, c.stayPresent,
	}
	for _, ch := range c.channels {
		c.runs = append(c.runs, ch.Run)
	}
	return nil
}

// serverConfig gives the server all that it calls.
func (c *Coordinator) serverConfig(file config.Config) server.Config {
	checks := doctor.Doctor{
		Core: c.core, Database: c.cfg.Dirs.Database(), Telegram: c.wireTelegram, Consult: c.reviews,
	}
	return server.Config{
		Core:           c.core,
		Log:            c.cfg.Log,
		Bin:            c.cfg.Bin,
		Dirs:           c.cfg.Dirs,
		Hold:           time.Duration(file.CheckIn.Hold),
		Self:           c.self,
		Doctor:         checks.Checks,
		Shutdown:       c.end,
		Page:           c.files.LoopPage,
		Overrules:      c.audit.Overrules,
		Guard:          c.audit.Guard,
		Marks:          c.marks.Take,
		Connect:        c.connect,
		Disconnect:     c.telegram.Disconnect,
		Pair:           c.telegram.StartPairing,
		Telegram:       c.wireTelegram,
		Git:            server.Git{Tree: git.Tree, Recent: git.Recent, Top: git.Top},
		Consult:        server.Consult{Programs: file.Consult.Programs, Timeout: time.Duration(file.Consult.Timeout)},
		Usage:          transcript.Usage,
		Said:           transcript.Said,
		SaidBeforeCall: transcript.SaidBeforeCall,
		Glance:         transcript.Glance,
		Snapshot:       c.undo.Take,
	}
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
		c.noteStopped() // before a caller is disconnected
		cancel()
	})
	c.telegram.ConnectFirst(ctx, c.cfg.Getenv)
	for _, run := range c.runs {
		parts.Go(func() { run(ctx) })
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

// lastWords returns the text of this coordinator's last journal entry.
func (c *Coordinator) lastWords() string {
	if why := c.left.Load(); why != nil {
		return "the coordinator ended: " + *why
	}
	return "the coordinator stopped"
}

// stayPresent ends the coordinator for good when it loses what it holds. The socket
// stays where it is: by then it may be a successor's.
func (c *Coordinator) stayPresent(ctx context.Context) {
	why := c.holds.AwaitLoss(ctx)
	if why == "" {
		return
	}
	c.cfg.Log.Warn("this coordinator ends: "+why, "pid", os.Getpid(), "home", c.cfg.Dirs.State)
	c.left.Store(&why)
	c.listener.SetUnlinkOnClose(false)
	c.end()
}

// noteStopped tells waiting sessions that the stop is intended, unless the coordinator
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

// say tells the person something at once, on each channel.
func (c *Coordinator) say(ctx context.Context, text string) (err error) {
	for _, ch := range c.channels {
		err = errors.Join(err, ch.Say(ctx, text))
	}
	return err
}

func (c *Coordinator) connect(ctx context.Context, token, api string) error {
	_, err := c.telegram.Connect(ctx, token, api)
	return err
}

func (c *Coordinator) wireTelegram() wire.TelegramReply {
	t := c.telegram.Status()
	w := wire.TelegramReply{Connected: t.Connected, Bot: t.Bot, API: t.API, Failing: t.Failing, Pairing: t.Pairing}
	if p := t.Person; p != nil {
		w.Paired, w.User, w.Chat = true, p.Name, string(p.Address)
	}
	return w
}

func (c *Coordinator) self() wire.Coordinator {
	return wire.Coordinator{
		PID: os.Getpid(), Version: c.cfg.Version, Since: c.since.UnixMilli(),
		Home: c.cfg.Dirs.Config, Socket: c.cfg.Dirs.Socket(),
	}
}
