// Package coordinator builds the daemon from its parts, takes the lock that
// makes it the only one, runs everything and stops it in order. It is the only
// place that knows every package.
package coordinator

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"sync"
	"time"

	"github.com/afar-sh/afar/coordinator/agentcheck"
	"github.com/afar-sh/afar/coordinator/agentrun"
	"github.com/afar-sh/afar/coordinator/config"
	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/host/agents"
	"github.com/afar-sh/afar/coordinator/host/claude/transcript"
	"github.com/afar-sh/afar/coordinator/internal/audit"
	"github.com/afar-sh/afar/coordinator/internal/channel/telegram"
	"github.com/afar-sh/afar/coordinator/internal/channel/web"
	"github.com/afar-sh/afar/coordinator/internal/channels"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/doctor"
	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/filework"
	"github.com/afar-sh/afar/coordinator/internal/git"
	"github.com/afar-sh/afar/coordinator/internal/issuework"
	"github.com/afar-sh/afar/coordinator/internal/marks"
	"github.com/afar-sh/afar/coordinator/internal/presence"
	"github.com/afar-sh/afar/coordinator/internal/random"
	"github.com/afar-sh/afar/coordinator/internal/runwork"
	"github.com/afar-sh/afar/coordinator/internal/server"
	"github.com/afar-sh/afar/coordinator/internal/sessionwatch"
	"github.com/afar-sh/afar/coordinator/internal/settings"
	"github.com/afar-sh/afar/coordinator/internal/store"
	"github.com/afar-sh/afar/coordinator/internal/taskwork"
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
	Getenv  func(string) string
}

// A Coordinator is the running daemon.
type Coordinator struct {
	cfg      Config
	set      settings.Settings
	life     *home.Lock // held until Close: nobody else serves this home
	store    *store.Store
	listener *net.UnixListener
	core     *core.Core
	channels channels.Set
	telegram *telegram.Channel // one of channels
	web      *web.Channel      // one of channels, nil when it is switched off
	server   *server.Server
	sessions *sessionwatch.Watcher
	undo     *undowork.Snapshotter
	files    *filework.Writer
	audit    *audit.Auditor
	marks    *marks.Taker
	runs     []func(context.Context) // the work that goes on beside the server, until its context ends
	ending   context.Context         // done when the end is asked for; its cause may be a presence.Loss
	end      context.CancelCauseFunc
}

// Open takes the life lock, opens the store and listens. It returns ErrRunning when another
// coordinator holds the lock. Only the holder of the lock touches the socket.
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
	c := &Coordinator{cfg: cfg, life: life}
	c.ending, c.end = context.WithCancelCause(context.Background())
	if err := c.build(); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// build makes the parts, connects them and opens the socket.
func (c *Coordinator) build() (err error) {
	if c.set, err = settings.Load(c.cfg.Dirs.ConfigFile()); err != nil {
		return err
	}
	if err := c.buildCore(); err != nil {
		return err
	}
	if err := c.buildWorkers(); err != nil {
		return err
	}
	if c.listener, err = server.Listen(c.cfg.Dirs.Socket()); err != nil {
		return err
	}
	watcher, err := presence.New(c.cfg.Dirs, home.Program(c.cfg.Bin, "afar"), c.listener, c.end, c.cfg.Log)
	if err != nil {
		return err
	}
	c.runs = append(c.runs, watcher.Run)
	return nil
}

// buildCore makes what all other parts work with: store, core and channels.
func (c *Coordinator) buildCore() (err error) {
	if c.store, err = store.Open(c.cfg.Dirs.Database()); err != nil {
		return err
	}
	c.channels.Register(telegram.Name, c.newTelegram)
	if c.set.WebAddr(c.cfg.Getenv) != config.WebOff {
		c.channels.Register(web.Name, c.newWeb)
	}
	c.core, err = core.New(core.Config{
		Store:       c.store,
		Log:         c.cfg.Log,
		Now:         time.Now,
		Secret:      random.Word,
		Channels:    c.channels.Names(),
		Lives:       sessionwatch.Lives,
		DayBudget:   c.set.Loop.DayBudget,
		Trace:       c.set.Loop.Trace,
		Rules:       c.set.Rules,
		AnswersFrom: c.set.AnswersFrom.Names(),
		Rings:       func(name string) bool { return name != web.Name || c.web.Watched() },
		Pages:       c.cfg.Dirs.Sessions(),
		Home:        c.cfg.Dirs.Database(),
	})
	if err != nil {
		return err
	}
	c.channels.Open(c.core)
	return nil
}

func (c *Coordinator) newTelegram(shared *core.Core) channels.Channel {
	c.telegram = telegram.New(telegram.Config{
		Core:       shared,
		Log:        c.cfg.Log,
		TokenFile:  c.cfg.Dirs.TokenFile(),
		ConfigFile: c.cfg.Dirs.ConfigFile(),
		Machine:    home.Machine(),
		Home:       c.cfg.Dirs.User,
		Now:        time.Now,
		Code:       random.Digits,
		Link:       func(path string) (address, where string) { return c.web.Link(path) },
		RemindChat: c.set.Escalation.Chat,
		RunAgent:   agents.Default,
		RunMode:    c.runMode(),
	})
	return c.telegram
}

func (c *Coordinator) newWeb(shared *core.Core) channels.Channel {
	c.web = web.New(web.Config{
		Core:    shared,
		Log:     c.cfg.Log,
		Now:     time.Now,
		Addr:    c.set.WebAddr(c.cfg.Getenv),
		Hosts:   c.set.Web.Hosts,
		Key:     c.cfg.Dirs.Database(),
		Machine: home.Machine(),
		Home:    c.cfg.Dirs.User,
		Call: func(ctx context.Context, line []peer.Process, op string, in any) (any, error) {
			return c.server.Page(ctx, line, op, in)
		},
		Note:   c.cfg.Dirs.NotePage,
		Caller: new(peer.Finder).OfTCP,
		Afar:   home.Program(c.cfg.Bin, "afar"),
		Env:    c.cfg.Dirs.Env(),
	})
	return c.web
}

// buildWorkers makes the server and what works beside it.
func (c *Coordinator) buildWorkers() (err error) {
	dirs, log := c.cfg.Dirs, c.cfg.Log
	if c.undo, err = undowork.New(c.core, dirs.Snapshots()); err != nil {
		return err
	}
	c.files = filework.New(c.core, dirs, log)
	c.audit = audit.New(c.core, dirs, c.cfg.Bin, log)
	c.marks = marks.New(c.core, dirs, log)
	consulting := func(pid int) bool { return c.server.Consulting(pid) }
	c.sessions = sessionwatch.New(c.core, dirs, c.cfg.Getenv, consulting, log)
	c.server = server.New(c.serverConfig())
	keeper := upkeep.New(c.core, c.store, dirs.Calls(), c.channels.Say, log)
	c.runs = []func(context.Context){
		c.core.Run, c.channels.Run, c.files.Run, c.sessions.Run, c.marks.Run, c.undo.Run,
		issuework.New(c.core, c.set.Issues, c.set.Reviewers).Run, keeper.Run, c.audit.Run,
		runwork.New(c.core, dirs, c.cfg.Bin, sessionwatch.Lives, log).Run,
		taskwork.New(c.core, c.tasks(), time.Duration(c.set.Sweep.Every), log).Run,
	}
	return nil
}

// serverConfig gives the server all that it calls.
func (c *Coordinator) serverConfig() server.Config {
	dirs, glances := c.cfg.Dirs, new(transcript.Glances)
	agents := agentcheck.Place{Dirs: dirs, Getenv: c.cfg.Getenv}
	checks := doctor.New(c.core, dirs.Database(), c.telegram.Status, c.web.State, c.set.Reviewers,
		func() []wire.Check { return agents.Checks(context.Background(), c.set.Agents) })
	self := wire.Coordinator{
		PID:     os.Getpid(),
		Version: c.cfg.Version,
		Since:   time.Now().UnixMilli(),
		Home:    dirs.Config,
		Socket:  dirs.Socket(),
	}
	return server.Config{
		Core:               c.core,
		Log:                c.cfg.Log,
		Bin:                c.cfg.Bin,
		Dirs:               dirs,
		Hold:               time.Duration(c.set.CheckIn.Hold),
		Self:               self,
		Doctor:             checks.Checks,
		Shutdown:           func() { c.end(nil) },
		LoopPage:           c.files.LoopPage,
		Overrules:          c.audit.Overrules,
		Guard:              c.audit.Guard,
		Marks:              c.marks.Take,
		Telegram:           c.telegram,
		Page:               c.web,
		Git:                server.Git{Tree: git.Tree, Recent: git.Recent, Top: git.Top},
		Consult:            server.Consult{Programs: c.set.Consult.Programs, Timeout: time.Duration(c.set.Consult.Timeout)},
		Tasks:              c.tasks(),
		Runs:               c.runSettings(),
		Usage:              transcript.Usage,
		LastText:           transcript.LastText,
		LastTextBeforeCall: transcript.LastTextBeforeCall,
		Glance:             glances.Glance,
		Spent:              glances.Spent,
		Steps:              transcript.Steps,
		Snapshot:           c.undo.Take,
	}
}

func (c *Coordinator) runSettings() server.Runs {
	return server.Runs{
		Max:   c.set.Runs.Max,
		Mode:  c.runMode(),
		Agent: c.agent,
		Keeps: runwork.Keeps,
		Open:  c.openIn,
		Find:  c.sessions.Find,
	}
}

// runMode returns the permission mode of a run that names none, "" where runs are not supported.
func (c *Coordinator) runMode() string {
	if !runwork.Supported {
		return ""
	}
	return c.set.Runs.Mode
}

// tasks are the folders of the tasks.
func (c *Coordinator) tasks() taskwork.Folders {
	return taskwork.NewFolders(c.cfg.Dirs.Tasks(), time.Local)
}

// openIn returns which process has a conversation open, in words, "" for none.
func (c *Coordinator) openIn(conversation string) string {
	if where := c.sessions.Open(conversation); where != "" {
		return where
	}
	if pid, held := agentrun.Holder(c.cfg.Dirs.ConversationLock(conversation)); held {
		return fmt.Sprintf("process %d", pid)
	}
	return ""
}

// agent returns the settings of an agent.
func (c *Coordinator) agent(name string) (set server.AgentSettings, err error) {
	a, ok := c.set.Agents.Of(name)
	if !ok {
		return set, fmt.Errorf("unknown agent %.40q; want one of %q", name, c.set.Agents.Names())
	}
	return server.AgentSettings(a), nil
}

// Run serves until ctx ends or somebody asks for the end, then finishes what it
// holds: requests in hand get their reply, state is committed.
func (c *Coordinator) Run(outer context.Context) error {
	ctx, cancel := context.WithCancel(context.WithoutCancel(outer))
	var parts sync.WaitGroup
	defer parts.Wait()
	defer cancel()
	c.cfg.Dirs.ForgetStopped()
	parts.Go(func() {
		select {
		case <-c.ending.Done():
		case <-outer.Done():
		case <-ctx.Done():
			return
		}
		if presence.LossOf(c.ending) == nil {
			c.cfg.Dirs.NoteStopped() // before a caller is disconnected
		}
		cancel()
	})
	c.telegram.ConnectFirst(ctx, c.cfg.Getenv)
	if err := c.web.Pair(); err != nil {
		c.cfg.Log.Error("pair the page", "err", err)
	}
	for _, run := range c.runs {
		parts.Go(func() { run(ctx) })
	}
	c.cfg.Log.Info("serving", "socket", c.cfg.Dirs.Socket(), "version", c.cfg.Version)
	err := c.server.Serve(ctx, c.listener)
	words := presence.LastWords(c.ending)
	c.cfg.Log.Info(words)
	return errors.Join(err, c.core.Note(event.Stopped, "", "", words), presence.LossOf(c.ending))
}

// Close releases everything, the life lock last. It is safe after a failed
// Open.
func (c *Coordinator) Close() (err error) {
	if c.listener != nil {
		c.listener.Close()
	}
	if c.store != nil {
		err = c.store.Close()
	}
	c.life.Release()
	return err
}
