// Package coordinator builds the daemon from its parts, takes the lock that
// makes it the only one, runs everything and stops it in order. It is the only
// place that knows every package.
package coordinator

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/afar-sh/afar/coordinator/agentcheck"
	"github.com/afar-sh/afar/coordinator/agentrun"
	"github.com/afar-sh/afar/coordinator/birthmark"
	"github.com/afar-sh/afar/coordinator/config"
	"github.com/afar-sh/afar/coordinator/consult"
	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/host/agents"
	"github.com/afar-sh/afar/coordinator/host/claude/transcript"
	"github.com/afar-sh/afar/coordinator/internal/backgroundwork"
	"github.com/afar-sh/afar/coordinator/internal/channel/hub"
	"github.com/afar-sh/afar/coordinator/internal/channel/telegram"
	"github.com/afar-sh/afar/coordinator/internal/channel/web"
	"github.com/afar-sh/afar/coordinator/internal/child"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/feature"
	"github.com/afar-sh/afar/coordinator/internal/fleet"
	"github.com/afar-sh/afar/coordinator/internal/git"
	"github.com/afar-sh/afar/coordinator/internal/issuework"
	"github.com/afar-sh/afar/coordinator/internal/memorywork"
	"github.com/afar-sh/afar/coordinator/internal/module"
	"github.com/afar-sh/afar/coordinator/internal/modulework"
	"github.com/afar-sh/afar/coordinator/internal/random"
	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/internal/runwork"
	"github.com/afar-sh/afar/coordinator/internal/server"
	"github.com/afar-sh/afar/coordinator/internal/server/door"
	"github.com/afar-sh/afar/coordinator/internal/server/hook"
	"github.com/afar-sh/afar/coordinator/internal/server/noun"
	"github.com/afar-sh/afar/coordinator/internal/sessionwatch"
	"github.com/afar-sh/afar/coordinator/internal/store"
	"github.com/afar-sh/afar/coordinator/internal/task"
	"github.com/afar-sh/afar/coordinator/internal/taskwork"
	"github.com/afar-sh/afar/coordinator/internal/toolcall"
	"github.com/afar-sh/afar/coordinator/internal/tools"
	"github.com/afar-sh/afar/coordinator/internal/trigger"
	"github.com/afar-sh/afar/coordinator/internal/triggerwork"
	"github.com/afar-sh/afar/coordinator/internal/undowork"
	"github.com/afar-sh/afar/coordinator/internal/upkeep"
	"github.com/afar-sh/afar/coordinator/internal/workplace"
	"github.com/afar-sh/afar/coordinator/logfile"
	"github.com/afar-sh/afar/coordinator/peer"
	"github.com/afar-sh/afar/coordinator/view"
	"github.com/afar-sh/afar/coordinator/wall"
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
	Now     func() time.Time // nil is time.Now
	// Abandon ends the process. It is called if a part of the coordinator does not end in time after
	// the coordinator was told to. If it is nil, Run waits without a limit.
	Abandon func()
}

// A Coordinator is the running daemon.
type Coordinator struct {
	cfg      Config
	set      setup      // as the file was at the start
	changing sync.Mutex // held while the file is changed
	life     *home.Lock // held until Close: nobody else serves this home
	store    *store.Store
	listener *net.UnixListener
	core     *feature.Core
	channels channels
	fleet    fleetPart
	telegram *telegram.Channel // one of channels
	web      *web.Channel      // one of channels, nil when it is switched off
	triggers *triggerwork.Worker
	runners  *runwork.Worker
	hooks    *triggerwork.Hooks
	modules  *modulework.Worker
	server   *server.Server
	tools    *tools.Server
	sessions *sessionwatch.Watcher
	undo     *undowork.Snapshotter
	files    *upkeep.Writer
	audit    *upkeep.Auditor
	marks    *upkeep.Taker
	asks     *backgroundwork.Queue
	tasks    taskwork.Folders
	memory   *memorywork.Worker
	papers   papers
	runs     []func(context.Context) // the work that goes on beside the server, until its context ends
	ending   context.Context         // done when the end is asked for; its cause may be a loss
	end      context.CancelCauseFunc
	leaving  *time.Timer // abandons the process; nil until the end was asked for, stopped by Close
}

// papers are the files of the workspace that no task owns.
type papers struct {
	suggestions *taskwork.Suggestions
	gaps, inbox *taskwork.Notebook
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
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if err := life.Sign(peer.Birth(os.Getpid())); err != nil { // Windows does not let a locked file be written
		cfg.Log.Debug("sign the life lock", "err", err)
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
	if c.set, err = loadSetup(c.cfg.Dirs.ConfigFile()); err != nil {
		return err
	}
	for _, by := range []*consult.Config{&c.set.Reviewers, &c.set.Asked} {
		by.Wall, by.Dirs = wall.Here(c.set.Walls()), c.cfg.Dirs
	}
	git.Bound(wall.Here(c.set.Walls()), c.cfg.Dirs)
	if err := c.findPrograms(); err != nil {
		return err
	}
	if err := c.buildCore(); err != nil {
		return err
	}
	if err := c.buildWorkers(); err != nil {
		return err
	}
	if err := c.buildServer(); err != nil {
		return err
	}
	if c.listener, err = door.Listen(c.cfg.Dirs.Socket()); err != nil {
		return err
	}
	watcher, err := watchPresence(c.cfg.Dirs, home.Program(c.cfg.Bin, "afar"), c.listener, c.end, c.cfg.Log)
	if err != nil {
		return err
	}
	c.runs = append(c.runs, watcher.Run)
	return nil
}

// findPrograms notes where the programs of others are that we start, for us and for the hooks.
func (c *Coordinator) findPrograms() error {
	named := slices.Concat(c.set.Consult.Programs, []string{c.set.Background.Program})
	for _, name := range c.set.Agents.Names() {
		if a, _ := c.set.Agents.Of(name); len(a.Command) > 0 {
			named = append(named, a.Command[0])
		}
	}
	if err := c.cfg.Dirs.FindPrograms(named); err != nil {
		return err
	}
	for _, p := range c.cfg.Dirs.Programs() {
		child.Use(p.Name, p.File)
	}
	return nil
}

// buildCore makes what all other parts work with: store and core.
func (c *Coordinator) buildCore() (err error) {
	if c.store, err = store.Open(c.cfg.Dirs.Database()); err != nil {
		return err
	}
	folders := taskwork.NewFolders(c.cfg.Dirs.Tasks(), c.cfg.Dirs.Confirms(), time.Local)
	c.tasks = folders.Told(func(s task.State) task.About { return c.memory.About(s) })
	c.channels.register(telegram.Name, c.newTelegram)
	if c.set.Web.Served(c.cfg.Getenv) != config.WebOff {
		c.channels.register(web.Name, c.newWeb)
	}
	if err := c.findFleet(); err != nil {
		return err
	}
	if c.fleet.self.Role == fleet.Member {
		c.channels.register(hub.Name, c.newHubChannel)
	}
	c.core, err = feature.New(core.Config{
		Store:       c.store,
		Log:         c.cfg.Log,
		Now:         c.cfg.Now,
		Secret:      random.Word,
		Channels:    c.channels.names,
		Lives:       sessionwatch.Lives,
		Trace:       c.set.Loop.Trace,
		Rules:       c.set.Rules,
		AnswersFrom: c.set.AnswersFrom.Names(),
		Rings:       func(name string) bool { return name != web.Name || c.web.Watched() },
		Pages:       c.cfg.Dirs.Sessions(),
		Home:        c.cfg.Dirs.Database(),
		Zones:       triggerwork.Zones,
	})
	return err
}

// buildWorkers makes what needs nothing but core and files.
func (c *Coordinator) buildWorkers() (err error) {
	dirs, log := c.cfg.Dirs, c.cfg.Log
	c.papers = papers{
		suggestions: taskwork.NewSuggestions(dirs.Suggestions()),
		gaps:        taskwork.NewNotebook(dirs.Gaps()),
		inbox:       taskwork.NewNotebook(dirs.Inbox()),
	}
	if c.undo, err = undowork.New(c.core, dirs.Snapshots()); err != nil {
		return err
	}
	c.files = upkeep.NewWriter(c.core, dirs, log)
	c.audit = upkeep.NewAuditor(c.core, dirs, c.cfg.Bin, log)
	c.marks = upkeep.NewTaker(c.core, dirs, log)
	c.asks = backgroundwork.New(c.core, c.set.Asked, c.active)
	c.hooks = triggerwork.NewHooks(c.core, c.triggerFolder(), log)
	c.runners = runwork.New(c.core.Core, dirs, c.cfg.Bin, sessionwatch.Lives, log)
	c.modules = modulework.New(modulework.Config{
		Core:   c.core,
		Folder: modulework.NewFolder(dirs.Modules()),
		Dirs:   dirs,
		Log:    log,
		Wall:   wall.Here(c.set.Walls()),
		Env:    func(file string) ([]string, error) { return agentrun.Env(dirs, c.cfg.Getenv, file) },
	})
	c.memory, err = memorywork.New(memorywork.Config{
		Core:     c.core,
		Log:      log,
		Dirs:     dirs,
		Opens:    func(project string) bool { return c.set.Memory.Names(project, dirs.User) },
		LastText: transcript.LastText,
	})
	if err != nil {
		return err
	}
	return c.openFleet()
}

// buildServer makes the server, and then what calls it: the tools of agents, the channels and some workers.
func (c *Coordinator) buildServer() error {
	c.server = server.New(c.serverConfig())
	if err := c.buildTools(); err != nil {
		return err
	}
	if err := c.channels.open(c.core); err != nil {
		return err
	}
	c.sessions = sessionwatch.New(c.core.Core, c.cfg.Dirs, c.cfg.Getenv, c.server.Hooks.Consulting, c.cfg.Log)
	c.buildTriggers()
	c.server.Nouns.Connect(c.callers())
	c.runs = c.work()
	return nil
}

// buildTools makes the tools of agents. Their calls are operations of the server.
func (c *Coordinator) buildTools() error {
	token, err := tools.LoadToken(c.cfg.Dirs.ToolsToken())
	if err != nil {
		return err
	}
	c.tools = tools.New(tools.Config{
		Version: c.cfg.Version,
		Token:   token,
		Caller:  peer.OfTCP,
		Made:    c.server.MadeCall,
		Call:    c.server.Tool,
	})
	return nil
}

func (c *Coordinator) newTelegram(shared *feature.Core) (channel, error) {
	c.telegram = telegram.New(telegram.Config{
		Core:       shared,
		Log:        c.cfg.Log,
		TokenFile:  c.cfg.Dirs.TokenFile(),
		ConfigFile: c.cfg.Dirs.ConfigFile(),
		Machine:    c.machine(),
		Home:       c.cfg.Dirs.User,
		Now:        c.cfg.Now,
		Code:       random.Digits,
		Link:       func(path string) (address, where string) { return c.web.Link(path) },
		RemindChat: c.set.Escalation.Chat,
		Act:        c.server.Act,
		Call:       c.server.Phone,
	})
	return c.telegram, nil
}

func (c *Coordinator) newWeb(shared *feature.Core) (channel, error) {
	c.web = web.New(web.Config{
		Core:     shared,
		Log:      c.cfg.Log,
		Now:      c.cfg.Now,
		Addr:     c.set.Web.Served(c.cfg.Getenv),
		Hosts:    c.set.Web.Hosts,
		Key:      c.cfg.Dirs.Database(),
		Machine:  c.machine(),
		Home:     c.cfg.Dirs.User,
		Call:     c.server.Page,
		Note:     c.cfg.Dirs.NotePage,
		Caller:   peer.OfTCP,
		Tools:    c.tools,
		Afar:     home.Program(c.cfg.Bin, "afar"),
		Env:      c.cfg.Dirs.Env(),
		Agents:   c.set.Agents.Names(),
		RunAgent: agents.Default,
		RunMode:  c.runMode(),
		Hooks:    c.hooks,
		Ring:     c.ring,
	})
	return c.web, nil
}

// buildTriggers makes what sends the texts of triggers.
func (c *Coordinator) buildTriggers() {
	dirs, log := c.cfg.Dirs, c.cfg.Log
	c.triggers = triggerwork.New(triggerwork.Config{
		Core:    c.core,
		Folder:  c.triggerFolder(),
		Dirs:    dirs,
		Log:     log,
		Wall:    wall.Here(c.set.Walls()),
		NewRun:  c.server.Nouns.TriggerRun,
		Resumes: c.resumes,
		Daily: func(since time.Time) (string, error) {
			r, err := c.server.Nouns.Report(since)
			return view.Morning(r), err
		},
		Judge: func(ctx context.Context, command, dir string) (j triggerwork.Judgement, err error) {
			check := toolcall.JudgeCheck(dirs, c.cfg.Bin, command, dir, dir)
			j.Risk, j.Denied = check.Risk(), check.Refused() != nil
			j.Runs, err = check.Runs(ctx)
			return j, err
		},
	})
}

// work returns what goes on beside the server.
func (c *Coordinator) work() []func(context.Context) {
	dirs, log := c.cfg.Dirs, c.cfg.Log
	keeper := upkeep.NewKeeper(c.core, c.store, dirs.Calls(), c.channels.say, log)
	sweep := taskwork.Sweep{Every: time.Duration(c.set.Sweep.Every), Ask: c.asks.PutIfInstalled, Now: c.cfg.Now}
	all := []func(context.Context){
		c.core.Run, c.channels.run, c.files.Run, c.sessions.Run, c.marks.Run, c.undo.Run,
		issuework.New(c.core, dirs, c.set.Issues, c.set.Reviewers).Run, keeper.Run, c.audit.Run,
		c.runners.Run,
		taskwork.New(c.core, c.tasks, c.server.Nouns.RunOfTask, sweep, log).Run,
		c.memory.Run, c.extractor().Run,
		taskwork.NewTriage(c.core, c.tasks, c.asks.Put, c.memory.Brief, c.cfg.Now, log).Run,
		taskwork.NewKeeper(c.core, c.papers.suggestions, c.papers.inbox, c.papers.gaps, c.server.Nouns.Decide, log).Run,
		c.triggers.Run, c.modules.Run,
	}
	if c.fleet.hub != nil {
		all = append(all, c.fleet.hub.Run)
	}
	if addr := cmp.Or(c.set.Web.HooksAddr, config.WebOff); addr != config.WebOff {
		all = append(all, func(ctx context.Context) { c.hooks.Serve(ctx, addr) })
	}
	return all
}

// serverConfig returns what the server works with.
func (c *Coordinator) serverConfig() server.Config {
	dirs, glances := c.cfg.Dirs, new(transcript.Glances)
	return server.Config{
		Core: c.core,
		Log:  c.cfg.Log,
		Place: workplace.Reader{
			Dirs: dirs, Bin: c.cfg.Bin, Usage: transcript.Usage, LastText: transcript.LastText,
			Git: workplace.Git{Tree: git.Tree, Recent: git.Recent, Top: git.Top},
		},
		Self: wire.Coordinator{
			PID:     os.Getpid(),
			Version: c.cfg.Version,
			Since:   c.cfg.Now().UnixMilli(),
			Home:    dirs.Config,
			Socket:  dirs.Socket(),
		},
		Started: c.runners.Started,
		Door:    door.Config{Marks: c.marks.Take, Do: c.fleetSettings().Do},
		Hook: hook.Config{
			Mark: func(pid int) error { return birthmark.Lower(pid, birthmark.Client) },
			Hold: time.Duration(c.set.CheckIn.Hold),
			Consult: hook.Consult{
				Programs: c.set.Consult.Programs, Timeout: time.Duration(c.set.Consult.Timeout),
			},
			Wall:               c.set.Walls(),
			Actions:            &logfile.File{Path: dirs.Actions(), Max: logfile.Usual},
			Agent:              c.agent,
			LastTextBeforeCall: transcript.LastTextBeforeCall,
			Holds:              transcript.Holds,
			LoopPage:           c.files.LoopPage,
			Overrules:          c.audit.Overrules,
			Opening:            c.memory.Opening,
			Snapshot:           c.undo.Take,
		},
		Noun: noun.Config{
			Shutdown: func() { // by the person alone, who may have installed other programs
				c.cfg.Dirs.ForgetPrograms()
				c.end(nil)
			},
			Tasks:       c.tasks,
			Suggestions: c.papers.suggestions,
			Gaps:        c.papers.gaps,
			Holds:       transcript.Holds,
			Discard:     transcript.Discard,
			Glance:      glances.Glance,
			Spent:       glances.Spent,
			Steps:       transcript.Steps,
			Guard:       c.audit.Guard,
			Config:      c.changeConfig,
			Memory:      c.memory,
			Modules:     c.moduleSettings(),
		},
	}
}

// callers returns the channels and workers that call the server.
func (c *Coordinator) callers() noun.Parts {
	agents := agentcheck.Place{Dirs: c.cfg.Dirs, Getenv: c.cfg.Getenv}
	checks := upkeep.NewChecker(c.core, c.cfg.Dirs.Database(), c.telegram.Status, c.web.State, c.set.Reviewers,
		func() []wire.Check {
			return append(c.fleetSettings().Checks(), agents.Checks(context.Background(), c.set.Agents)...)
		})
	return noun.Parts{
		Doctor:   checks.Checks,
		Telegram: c.telegram,
		Page:     c.web,
		Fleet:    c.fleetSettings(),
		Triggers: c.triggerSettings(),
		Tools:    c.tools.Answer,
		Runs:     c.runSettings(),
	}
}

func (c *Coordinator) runSettings() noun.Runs {
	return noun.Runs{
		Max:   c.set.Runs.Max,
		Mode:  c.runMode(),
		Wall:  c.set.Walls(),
		Agent: c.agent,
		Keeps: runwork.Keeps,
		Open:  c.openIn,
		End:   c.runners.End,
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

// extractor keeps what is worth knowing of the turns of tasks.
func (c *Coordinator) extractor() *memorywork.Extractor {
	set := memorywork.ExtractConfig{State: c.tasks.State, Gaps: c.papers.gaps}
	if c.set.Memory.Extract {
		set.Ask = c.asks.Put
	}
	return memorywork.NewExtractor(c.memory, set)
}

// active reports whether background questions may be asked: a task goes on or has just ended its
// last turn, a trigger is on, or a module is enabled.
func (c *Coordinator) active() bool {
	all, _ := taskwork.Active(c.core, c.tasks)
	return len(all)+len(c.core.TurnsToExtract()) > 0 || slices.ContainsFunc(c.core.Triggers(), trigger.Trigger.Live) ||
		slices.ContainsFunc(c.core.Modules(), func(m module.Module) bool { return m.On })
}

func (c *Coordinator) triggerSettings() noun.Triggers {
	return noun.Triggers{
		Folder: c.triggerFolder(),
		Zones:  triggerwork.Zones,
		Files:  triggerwork.FilesSupported,
		Test:   c.triggers.Test,
	}
}

func (c *Coordinator) moduleSettings() noun.Modules {
	folder := modulework.NewFolder(c.cfg.Dirs.Modules())
	return noun.Modules{
		Path:    folder.Path,
		List:    folder.List,
		Read:    folder.Read,
		Source:  c.modules.Status,
		File:    folder.File,
		Restart: c.modules.Restart,
		Fault:   c.modules.Fault,
		Servers: c.modules.Servers,
	}
}

// triggerFolder holds the files of the triggers.
func (c *Coordinator) triggerFolder() triggerwork.Folder {
	return triggerwork.NewFolder(c.cfg.Dirs.Triggers(), c.cfg.Dirs.HookKeys())
}

// resumes reports whether the agent of a run still knows its conversation. Only Claude Code
// says so without a turn.
func (c *Coordinator) resumes(r run.Run) bool {
	if r.Agent != agents.Default {
		return true
	}
	_, ok := c.sessions.Find(r.Conversation)
	return ok
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
func (c *Coordinator) agent(name string) (set agents.Settings, err error) {
	a, ok := c.set.Agents.Of(name)
	if !ok {
		return set, fmt.Errorf("unknown agent %.40q; want one of %q", name, c.set.Agents.Names())
	}
	return agents.Settings(a), nil
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
		if lossOf(c.ending) == nil {
			c.cfg.Dirs.NoteStopped() // before a caller is disconnected
		}
		if c.cfg.Abandon != nil {
			c.leaving = time.AfterFunc(leaveFor, c.abandon)
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
	words := lastWords(c.ending)
	c.cfg.Log.Info(words)
	return errors.Join(err, c.core.Note(event.Stopped, "", "", words), lossOf(c.ending))
}

// leaveFor is how long the parts of a coordinator may take to end.
const leaveFor = 10 * time.Second

// abandon ends the process although a part has not ended, and says in the log what each part does.
// What was committed is on the disk, and the system releases the lock.
func (c *Coordinator) abandon() {
	stacks := make([]byte, 64<<10)
	stacks = stacks[:runtime.Stack(stacks, true)]
	c.cfg.Log.Error("a part did not end; the process ends without it", "after", leaveFor, "stacks", string(stacks))
	c.cfg.Abandon()
}

// Close releases everything, the life lock last. It is safe after a failed
// Open.
func (c *Coordinator) Close() (err error) {
	if c.listener != nil {
		c.listener.Close()
	}
	if c.memory != nil {
		err = c.memory.Close()
	}
	if c.store != nil {
		err = errors.Join(err, c.store.Flush(), c.store.Close())
	}
	c.life.Release()
	if c.leaving != nil {
		c.leaving.Stop()
	}
	return err
}
