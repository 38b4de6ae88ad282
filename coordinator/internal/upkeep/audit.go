package upkeep

import (
	"context"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/host/claude"
	"github.com/afar-sh/afar/coordinator/host/claude/transcript"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/disk"
	"github.com/afar-sh/afar/coordinator/internal/feature"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/ledger"
)

const (
	// auditEvery is the time between two reads of the transcripts without any sign of a change: a
	// network drive gives none.
	auditEvery = time.Minute
	// gather is how long changes of transcripts are gathered.
	gather = 2 * time.Second
	// auditBack is how much of the end of a transcript is read at first.
	auditBack = 1 << 20
	// auditPast is how long the transcript of an ended session is still read.
	auditPast = time.Minute
	// maxMade bounds the calls of a session that have no result yet.
	maxMade = 1000
)

// An Auditor finds the calls that the guard did not control. It compares the transcripts of the
// sessions with the ledger of the hooks, since a mod that answers a call itself leaves no other trace,
// and names the mods of other plugins that could overrule the guard.
type Auditor struct {
	core  *feature.Core
	dirs  home.Dirs
	bin   string // directory of our binaries
	log   *slog.Logger
	reads map[session.ID]reading // owned by Run
}

// NewAuditor returns an auditor of a coordinator's sessions.
func NewAuditor(c *feature.Core, dirs home.Dirs, bin string, log *slog.Logger) *Auditor {
	return &Auditor{core: c, dirs: dirs, bin: bin, log: log, reads: map[session.ID]reading{}}
}

// A reading is how far one transcript was read.
type reading struct {
	path string
	next int64
	made map[string]string // tools of the calls without a result, by call
}

// Run reads the transcripts of the sessions when they change, until ctx ends.
func (a *Auditor) Run(ctx context.Context) {
	watcher, err := disk.NewWatcher()
	if err != nil {
		a.log.Error("watch transcripts", "err", err)
		return
	}
	defer watcher.Close()
	sub := a.core.Subscribe(core.Transcripts, core.Stops)
	defer sub.Close()
	for {
		watcher.WatchThese(a.readAll())
		select {
		case <-watcher.Events:
		case <-watcher.Errors: // the kernel's queue ran over: any transcript may have changed
		case <-sub.C:
		case <-time.After(auditEvery):
		case <-ctx.Done():
			return
		}
		if !watcher.Drain(ctx, gather) {
			return
		}
	}
}

// readAll reads what is new in the transcripts, and returns their directories.
func (a *Auditor) readAll() (dirs []string) {
	read := map[session.ID]reading{}
	for _, v := range a.core.SessionsSince(time.Now().Add(-auditPast)) {
		if !filepath.IsAbs(v.Transcript) {
			continue
		}
		if err := a.session(v); err != nil {
			a.log.Error("compare a transcript with the ledger", "session", v.ID, "err", err)
		}
		read[v.ID] = a.reads[v.ID]
		dirs = append(dirs, filepath.Dir(v.Transcript))
	}
	a.reads = read
	return dirs
}

// session reads what is new in one transcript. It reports the calls that ran although a
// hook denied them, or although no hook saw them.
func (a *Auditor) session(v session.Session) error {
	r := a.reads[v.ID]
	if r.path != v.Transcript {
		r = reading{path: v.Transcript, next: -auditBack, made: map[string]string{}}
	}
	calls, next := transcript.Calls(r.path, r.next)
	r.next = next
	a.reads[v.ID] = r
	if len(calls) == 0 {
		return nil
	}
	kept := ledger.Read(a.dirs.Calls(), string(v.ID))
	for _, call := range calls {
		tool := r.take(call)
		if tool == "" || call.Session != string(v.ID) || !call.At.After(kept.Began) {
			continue
		}
		verdict := kept.Of(call.ID)
		switch verdict {
		case ledger.Denied:
		case ledger.Never:
			if !claude.Guarded(tool) {
				continue
			}
		default:
			continue
		}
		err := a.core.Overridden(feature.Override{
			Session: v.ID,
			Call:    call.ID,
			Tool:    tool,
			Denied:  verdict == ledger.Denied,
			Mods:    a.Overrules(v),
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// take returns the tool of a call that ran, "" for any other entry. A result whose call
// was not read is ignored.
func (r *reading) take(call transcript.Call) string {
	if call.Tool != "" {
		if len(r.made) >= maxMade {
			clear(r.made)
		}
		r.made[call.ID] = call.Tool
		return ""
	}
	tool := r.made[call.ID]
	delete(r.made, call.ID)
	if !call.Ran {
		return ""
	}
	return tool
}
