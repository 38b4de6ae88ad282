package triggerwork

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"sync"
	"time"

	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/disk"
	"github.com/afar-sh/afar/coordinator/internal/feature"
	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/internal/trigger"
	"github.com/afar-sh/afar/coordinator/wall"
)

// Config is what a Worker needs.
type Config struct {
	Core   *feature.Core
	Folder Folder
	Dirs   home.Dirs
	Log    *slog.Logger
	// Wall bounds filters and checks.
	Wall wall.Settings
	// NewRun returns a run as a rule wants it, in a directory. The key names it.
	NewRun func(r trigger.Rule, dir, key string) (run.Run, error)
	// Resumes reports whether the agent still knows the conversation of a run.
	Resumes func(run.Run) bool
	// Daily returns the morning message about what happened since a time, "" where there is nothing to say.
	Daily func(since time.Time) (string, error)
	// Judge returns what the guard says of the check of a wake-up in a directory.
	Judge func(ctx context.Context, command, dir string) (Judgement, error)
}

// A Judgement is what the guard says of the check of a wake-up.
type Judgement struct {
	Risk   string // why the guard would ask, "" if it would not
	Denied bool
	Runs   string // digest of the files that it runs
}

// A Worker switches triggers off whose files have changed, makes rules of files fire, and sends
// what fires.
type Worker struct {
	cfg              Config
	complete, rescan time.Duration // see the constants
}

// New returns a worker.
func New(cfg Config) *Worker { return &Worker{cfg: cfg, complete: complete, rescan: rescan} }

// Run works until ctx ends.
func (w *Worker) Run(ctx context.Context) {
	w.compare()
	w.clear()
	var parts sync.WaitGroup
	defer parts.Wait()
	parts.Go(func() { w.watch(ctx) })
	parts.Go(func() { w.cfg.Core.Work(ctx, feature.LaneTriggers, w.act) })
	if FilesSupported {
		parts.Go(func() { w.watchFiles(ctx) })
	}
	w.send(ctx)
}

// settle is how long the files must rest before they are read: an editor may write in steps.
const settle = 300 * time.Millisecond

// watch compares the files with what was approved, after each change in the folder.
func (w *Worker) watch(ctx context.Context) {
	if err := disk.Settled(ctx, disk.Watch, w.cfg.Folder.dir, settle, w.compare); err != nil {
		w.cfg.Log.Error("watch the folder of the triggers", "err", err)
	}
}

// compare holds the triggers whose files are not what a person has approved.
func (w *Worker) compare() {
	for _, t := range w.cfg.Core.Triggers() {
		err := w.cfg.Core.LookedAtTrigger(t.Name, w.differs(t))
		if err != nil && !errors.Is(err, core.ErrNotFound) { // it was removed meanwhile
			w.cfg.Log.Error("compare a trigger with its file", "trigger", t.Name, "err", err)
		}
	}
}

// differs returns why the file of a trigger is not what a person has approved, "" if it is.
func (w *Worker) differs(t trigger.Trigger) string {
	text, err := w.cfg.Folder.Read(t.Name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "its file is missing"
	case err != nil:
		return "its file cannot be read: " + err.Error()
	case trigger.Hash(text) != t.Hash:
		return "its file was changed"
	}
	r, err := trigger.Parse(string(t.Name), text, Zones)
	if err != nil || r.When.Kind != trigger.File {
		return ""
	}
	if dir := linkedDir(w.inHome(r.When.Glob)); dir != "" {
		return "the folder " + dir + " is a link, and links are not followed"
	}
	return ""
}

// A rest is the time until which the firings of a trigger wait.
type rest struct {
	name  trigger.Name
	until time.Time
}

// again is the pause after an error.
const again = time.Second

// send sends what fires until ctx ends. The firings of one trigger are sent one after the
// other, those of several at the same time.
func (w *Worker) send(ctx context.Context) {
	sub := w.cfg.Core.Subscribe(feature.Firings)
	defer sub.Close()
	var parts sync.WaitGroup
	defer parts.Wait()
	over := make(chan rest)
	busy, rests := map[trigger.Name]bool{}, map[trigger.Name]time.Time{}
	for {
		next := time.Duration(0)
		for name := range w.due() {
			wait := time.Until(rests[name])
			switch {
			case busy[name]:
			case wait > 0 && (next == 0 || wait < next):
				next = wait
			case wait <= 0:
				busy[name] = true
				parts.Go(func() { report(ctx, over, rest{name, w.sendOf(ctx, name)}) })
			}
		}
		timer := make(<-chan time.Time)
		if next > 0 {
			timer = time.After(next)
		}
		select {
		case r := <-over:
			delete(busy, r.name)
			rests[r.name] = r.until
		case <-sub.C:
		case <-timer:
		case <-ctx.Done():
			return
		}
	}
}

func report(ctx context.Context, over chan<- rest, r rest) {
	select {
	case over <- r:
	case <-ctx.Done():
	}
}

// due returns the triggers that have firings to send.
func (w *Worker) due() map[trigger.Name]bool {
	names := map[trigger.Name]bool{}
	for _, f := range w.cfg.Core.DueFirings() {
		names[f.Trigger] = true
	}
	return names
}

// sendOf sends the firings of a trigger. It returns until when those wait that are left, the
// zero time if none is.
func (w *Worker) sendOf(ctx context.Context, name trigger.Name) (until time.Time) {
	for _, f := range w.cfg.Core.DueFirings() {
		if f.Trigger != name {
			continue
		}
		wait, err := w.fire(ctx, f)
		switch {
		case ctx.Err() != nil:
			return until
		case err != nil:
			w.cfg.Log.Error("send what a trigger fires", "trigger", name, "err", err)
			return time.Now().Add(again)
		case wait > 0:
			return time.Now().Add(wait)
		}
	}
	return until
}

// fire sends one firing, or ends it. wait is not 0 for one beyond the limit of its trigger.
func (w *Worker) fire(ctx context.Context, f trigger.Firing) (wait time.Duration, err error) {
	t, ok := w.cfg.Core.Trigger(f.Trigger)
	if !ok {
		return 0, w.cfg.Core.EndFiring(f.ID, trigger.Dropped, "the trigger was removed")
	}
	if t.Name == trigger.Daily {
		return w.daily(t, f)
	}
	if why := w.differs(t); why != "" {
		return 0, errors.Join(w.cfg.Core.LookedAtTrigger(t.Name, why), w.cfg.Core.EndFiring(f.ID, trigger.Dropped, why))
	}
	r, err := trigger.Parse(string(t.Name), t.Text, Zones)
	if err != nil {
		return 0, w.cfg.Core.EndFiring(f.ID, trigger.Failed, err.Error())
	}
	if r.Filter != "" {
		state, why := w.filter(ctx, r, f.Payload)
		switch {
		case ctx.Err() != nil:
			return 0, ctx.Err() // it begins again at the next start
		case why != "":
			return 0, w.cfg.Core.EndFiring(f.ID, state, why)
		}
	}
	s, err := w.sending(t, r, f)
	if err != nil {
		return 0, w.cfg.Core.EndFiring(f.ID, trigger.Failed, err.Error())
	}
	if r.Check != "" {
		return w.afterCheck(ctx, t, r, f, s)
	}
	wait, err = w.cfg.Core.SendFiring(s)
	w.clear()
	return wait, err
}

// Test returns what a firing of a rule would send and where, and why it would send nothing.
func (w *Worker) Test(ctx context.Context, r trigger.Rule, p trigger.Payload) (to, text, why string) {
	if r.Filter != "" {
		_, why = w.filter(ctx, r, p)
	}
	to = r.To.Text
	if r.To.Keyed {
		to = fmt.Sprintf("run:%s", r.RunName(p))
	}
	return to, w.text(r, p), why
}
