// Package audit finds what got past the guard: it compares the transcripts of the
// sessions with what the hooks wrote down, and names the mods of other plugins that
// could overrule the guard.
package audit

import (
	"context"
	"github.com/afar-sh/afar/coordinator/host/claude"
	"github.com/afar-sh/afar/coordinator/host/claude/transcript"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/ledger"
)

const (
	// auditEvery is how often transcripts are looked at.
	auditEvery = 5 * time.Second
	// auditBack is how much of a transcript is read at the first look.
	auditBack = 1 << 20
	// auditPast is how long a session that ended is still looked at.
	auditPast = time.Minute
	// maxMade bounds the calls of a session that have no result yet.
	maxMade = 1000
)

// An Auditor compares transcripts with what the hooks wrote down: a mod that answers
// a call itself leaves no other trace.
type Auditor struct {
	core  *core.Core
	dirs  home.Dirs
	bin   string // directory of our binaries
	log   *slog.Logger
	reads map[session.ID]*reading // owned by Run
}

// New returns an auditor of a coordinator's sessions.
func New(c *core.Core, dirs home.Dirs, bin string, log *slog.Logger) *Auditor {
	return &Auditor{core: c, dirs: dirs, bin: bin, log: log, reads: map[session.ID]*reading{}}
}

// A reading is how far one transcript was read.
type reading struct {
	path string
	next int64
	made map[string]string // tools of the calls without a result, by call
}

// Run looks at the transcripts of the sessions until ctx ends.
func (a *Auditor) Run(ctx context.Context) {
	tick := time.NewTicker(auditEvery)
	defer tick.Stop()
	for {
		a.look()
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

func (a *Auditor) look() {
	for _, v := range a.core.Sessions() {
		if v.State == session.Ended && time.Since(v.Since) > auditPast || !filepath.IsAbs(v.Transcript) {
			delete(a.reads, v.ID)
			continue
		}
		if err := a.session(v); err != nil {
			a.log.Error("hold a transcript against the hooks' record", "session", v.ID, "err", err)
		}
	}
}

// session reads what is new in one transcript.
func (a *Auditor) session(v session.Session) error {
	r := a.reads[v.ID]
	if r == nil || r.path != v.Transcript {
		r = &reading{path: v.Transcript, next: -auditBack, made: map[string]string{}}
		a.reads[v.ID] = r
	}
	calls, next := transcript.Calls(r.path, r.next)
	r.next = next
	if len(calls) == 0 {
		return nil
	}
	kept := ledger.Read(a.dirs.Calls(), string(v.ID))
	for _, call := range calls {
		tool, ran := r.take(call)
		verdict := kept.Of(call.ID)
		denied, never := verdict == ledger.Denied, verdict == ledger.Never && claude.Guarded(tool)
		ours := call.Session == string(v.ID) && call.At.After(kept.Began)
		if !ran || !ours || !denied && !never {
			continue
		}
		err := a.core.Overridden(core.Override{
			Session: v.ID,
			Call:    call.ID,
			Tool:    tool,
			Denied:  denied,
			Mods:    a.Overrules(v),
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// take returns the tool of a call that ran. A result whose call was not read
// says nothing.
func (r *reading) take(call transcript.Call) (tool string, ran bool) {
	if call.Tool != "" {
		if len(r.made) >= maxMade {
			clear(r.made)
		}
		r.made[call.ID] = call.Tool
		return "", false
	}
	tool, made := r.made[call.ID]
	delete(r.made, call.ID)
	return tool, made && call.Ran
}
