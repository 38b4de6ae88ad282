package coordinator

import (
	"context"
	"path/filepath"
	"time"

	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/host/claude/mods"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/disk"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/ledger"
	"github.com/afar-sh/afar/coordinator/wire"
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

// An auditor holds the transcripts against what the hooks wrote down: a mod that
// answers a call itself leaves no other trace.
type auditor struct {
	c     *Coordinator
	reads map[session.ID]*reading
}

// A reading is how far one transcript was read.
type reading struct {
	path string
	next int64
	made map[string]string // tools of the calls without a result, by call
}

// audit looks at the transcripts of the sessions until ctx ends.
func (c *Coordinator) audit(ctx context.Context) {
	a := &auditor{c, map[session.ID]*reading{}}
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

func (a *auditor) look() {
	for _, v := range a.c.core.Sessions() {
		if v.State == session.Ended && time.Since(v.Since) > auditPast || !filepath.IsAbs(v.Transcript) {
			delete(a.reads, v.ID)
			continue
		}
		if err := a.session(v); err != nil {
			a.c.cfg.Log.Error("hold a transcript against the hooks' record", "session", v.ID, "err", err)
		}
	}
}

// session reads what is new in one transcript.
func (a *auditor) session(v session.Session) error {
	r := a.reads[v.ID]
	if r == nil || r.path != v.Transcript {
		r = &reading{path: v.Transcript, next: -auditBack, made: map[string]string{}}
		a.reads[v.ID] = r
	}
	calls, next := disk.Calls(r.path, r.next)
	r.next = next
	if len(calls) == 0 {
		return nil
	}
	kept := ledger.Read(a.c.cfg.Dirs.Calls(), string(v.ID))
	for _, call := range calls {
		tool, ran := r.take(call)
		verdict := kept.Of(call.ID)
		denied, never := verdict == ledger.Denied, verdict == ledger.Never && ledger.Sees(tool)
		ours := call.Session == string(v.ID) && call.At.After(kept.Began)
		if !ran || !ours || !denied && !never {
			continue
		}
		err := a.c.core.Overridden(core.Override{Session: v.ID, Call: call.ID, Tool: tool, Denied: denied, Mods: a.c.overrules(v)})
		if err != nil {
			return err
		}
	}
	return nil
}

// take returns the tool of a call that ran. A result whose call was not read
// says nothing.
func (r *reading) take(call disk.Call) (tool string, ran bool) {
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

// overrules names the mods that could overrule the guard in a session.
func (c *Coordinator) overrules(v session.Session) (ids []string) {
	for _, m := range mods.Find(c.hostDir(v), v.Project, home.PluginID) {
		ids = append(ids, m.ID)
	}
	return ids
}

// hostDir is the host's configuration directory of a session.
func (c *Coordinator) hostDir(v session.Session) string {
	if projects := filepath.Dir(filepath.Dir(v.Transcript)); filepath.IsAbs(projects) && filepath.Base(projects) == "projects" {
		return filepath.Dir(projects)
	}
	return c.cfg.Dirs.HostDir()
}

// guard says how hard it is to get past the guard, in the person's sessions and
// in those that run now.
func (c *Coordinator) guard() wire.Guard {
	hostDir := c.cfg.Dirs.HostDir()
	grade, why := mods.Standing(hostDir, filepath.Dir(c.cfg.Bin), home.PluginID)
	out := wire.Guard{Grade: string(grade), Why: why, Mods: []wire.Mod{}}
	found := mods.Find(hostDir, "", home.PluginID)
	for _, v := range c.core.Sessions() {
		if v.State != session.Ended {
			found = append(found, mods.Find(c.hostDir(v), v.Project, home.PluginID)...)
		}
	}
	seen := map[string]bool{}
	for _, m := range found {
		if key := m.ID + "\n" + m.Dir; !seen[key] {
			seen[key] = true
			out.Mods = append(out.Mods, wire.Mod(m))
		}
	}
	return out
}
