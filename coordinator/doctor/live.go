package doctor

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/host/claude"
	"github.com/afar-sh/afar/coordinator/host/claude/probe"
	"github.com/afar-sh/afar/coordinator/wire"
)

// live tries the plugin on each installed client. It also looks at the running sessions,
// but sends nothing to them.
func (x Exam) live(ctx context.Context) ([]wire.Check, error) {
	if x.InSession {
		return nil,
			errors.New("--live starts sessions of its own: type it in a terminal of yours, not inside a session")
	}
	if file := Managing(); file != "" {
		return append(x.running(ctx), off("live", "nothing was tried: "+file+" loads Afar into every session, "+
			"so a trial would reach your own coordinator",
			"sudo afar unlock, afar doctor --live, then sudo afar lock")), nil
	}
	var found []wire.Check
	for _, c := range Clients(x.Dirs, x.Getenv("PATH")) {
		x.Trying(c.name())
		tried, err := x.try(ctx, c)
		if err != nil {
			return nil, err
		}
		found = append(found, tried...)
	}
	found = append(found, x.running(ctx)...)
	return append(found, off("not proved", "that a card reaches your phone, that a dialog opens at a terminal, "+
		"and what your own settings do: the trials had settings of their own", ""),
		off("not closed", "hooks in the frontmatter of skills, commands and agents run without Afar: the guard reads "+
			"their files when they are used, but not those of --agent and --plugin-dir, and not what a file held "+
			"before it changed in a running session", "")), nil
}

// Managing returns the settings file of an administrator that names Afar's plugin, "" for none.
func Managing() string {
	return managing([]string{"/etc/claude-code", "/Library/Application Support/ClaudeCode"})
}

func managing(dirs []string) string {
	for _, dir := range dirs {
		parts, _ := filepath.Glob(filepath.Join(dir, "managed-settings.d", "*.json")) // the pattern is sound
		for _, path := range append(parts, filepath.Join(dir, "managed-settings.json")) {
			if raw, err := os.ReadFile(path); err == nil && bytes.Contains(raw, []byte(pluginID)) {
				return path
			}
		}
	}
	return ""
}

// name returns the client's version, or its path if the version is unknown.
func (c Client) name() string {
	if c.Version == "" {
		return c.Path
	}
	return c.Version
}

// try runs the trials on one client. An error means that the person ended it.
func (x Exam) try(ctx context.Context, c Client) ([]wire.Check, error) {
	id := "live " + c.name()
	found, err := probe.Trial{Client: c.Path, Plugin: filepath.Dir(x.Bin), Path: x.Getenv("PATH")}.Run(ctx)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return []wire.Check{bad(id, "the trial did not come to an end: "+err.Error(),
			installFix+", then afar doctor --live")}, nil
	}
	var checks []wire.Check
	for _, f := range []probe.Finding{found.Guard, found.Ask, found.Stop, found.Skill} {
		checks = append(checks, proof(id, f))
	}
	checks = append(checks, failClosed(id, c.Version, found.FailsClosed))
	if !slices.ContainsFunc(checks, func(c wire.Check) bool { return c.State == "bad" }) {
		x.noteProved(c.Version)
	}
	if claude.Before(c.Version, claude.PutsSkills) {
		checks = append(checks, off(id, "the guard reads the file of a skill when it is used; if the file changed "+
			"after the session began, the client may still run its old text", "claude update: from "+
			claude.PutsSkills+" on it puts each command to the guard"))
	}
	return checks, nil
}

// noteProved remembers that all proofs hold on a version of the client. Without the note the
// next doctor only advises to prove it again.
func (x Exam) noteProved(version string) {
	line := version + " " + x.Now().Format(time.DateOnly) + "\n"
	raw, _ := os.ReadFile(x.Dirs.Proved()) // there is none before the first proof
	for old := range strings.Lines(string(raw)) {
		if v, _, _ := strings.Cut(old, " "); v != version && strings.HasSuffix(old, "\n") {
			line += old
		}
	}
	_ = home.LeaveMark(x.Dirs.Proved(), line)
}

// proved returns the day on which all proofs held on a version of the client, "" for never.
func (x Exam) proved(version string) string {
	raw, _ := os.ReadFile(x.Dirs.Proved())
	for line := range strings.Lines(string(raw)) {
		v, day, _ := strings.Cut(strings.TrimSpace(line), " ")
		if _, err := time.Parse(time.DateOnly, day); err == nil && v == version {
			return day
		}
	}
	return ""
}

func proof(id string, f probe.Finding) wire.Check {
	if f.Proved {
		return ok(id, "proved: %s", f.Text)
	}
	return bad(id, "not proved: "+f.Text, installFix+", then afar doctor --live")
}

// failClosed tells a client that never stops such a call from one that should.
func failClosed(id, version string, f probe.Finding) wire.Check {
	if f.Proved || claude.Stops(version) {
		return proof(id, f)
	}
	return off(id, f.Text+", as on every client before "+claude.FailClosed, "claude update")
}

// A sessionFile is the file that the host keeps for a running session.
type sessionFile struct {
	PID     int    `json:"pid"`
	Session string `json:"sessionId"`
	Cwd     string `json:"cwd"`
	Version string `json:"version"`
}

// running returns a check with the evidence for each running session.
func (x Exam) running(ctx context.Context) (found []wire.Check) {
	s, unreachable := x.Status(ctx)
	for _, f := range x.sessionFiles() {
		at := slices.IndexFunc(s.Sessions, func(known wire.Session) bool { return known.ID == f.Session })
		switch {
		case unreachable != nil:
			found = append(found,
				off(f.id(), x.evidence(f)+"; whether its hooks ran is unknown: the coordinator does not answer",
					"afar start"))
		case at < 0 || !s.Sessions[at].Protected:
			found = append(found, bad(f.id(), x.evidence(f)+"; none of Afar's hooks ran in it",
				"restart it; if that does not help, look into its project's .claude/settings.json"))
		case x.hooksOff(f) != "":
			found = append(found, bad("session "+s.Sessions[at].Token, x.evidence(f),
				"take that out of the file, then restart the session"))
		default:
			known := s.Sessions[at]
			found = append(found, ok("session "+known.Token, "%s; its hooks ran, it is %s", x.evidence(f), known.State))
		}
	}
	return found
}

func (f sessionFile) id() string { return "session " + line(f.Session, 8) }

// evidence returns what can be seen of a session without a call to it.
func (x Exam) evidence(f sessionFile) string {
	text := fmt.Sprintf("pid %d, Claude Code %s", f.PID, f.Version)
	if f.Version != "" && !claude.Stops(f.Version) {
		text += ", which lets a call run whose guard fails"
	}
	if why := x.hooksOff(f); why != "" {
		text += "; " + why
	} else {
		text += "; no settings file switches hooks off"
	}
	if mods := x.modsOf(f); len(mods) > 0 {
		text += "; mods written in this session: " + strings.Join(mods, ", ")
	}
	return text
}

// sessionFiles returns the host's files of the running sessions.
func (x Exam) sessionFiles() (running []sessionFile) {
	paths, _ := filepath.Glob(filepath.Join(x.hostDir(), "sessions", "*.json")) // the pattern is sound
	for _, path := range paths {
		var f sessionFile
		raw, _ := os.ReadFile(path)
		if json.Unmarshal(raw, &f) == nil && f.Session != "" && runs(f.PID) {
			running = append(running, f)
		}
	}
	return running
}

// hostDir returns the host's configuration directory.
func (x Exam) hostDir() string {
	return cmp.Or(claude.Env(x.Getenv).ConfigDir(), x.Dirs.HostDir())
}

// runs reports whether a process runs.
func runs(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil || pid <= 0 {
		return false
	}
	defer func() { _ = p.Release() }()
	err = p.Signal(syscall.Signal(0))
	return err == nil || errors.Is(err, os.ErrPermission)
}

// hooksOff returns the settings file that switches Afar's hooks off for a session, "" for
// none.
func (x Exam) hooksOff(f sessionFile) string {
	for _, path := range []string{
		filepath.Join(x.hostDir(), "settings.json"),
		filepath.Join(f.Cwd, ".claude", "settings.json"), filepath.Join(f.Cwd, ".claude", "settings.local.json"),
	} {
		var settings struct {
			DisableAllHooks bool           `json:"disableAllHooks"`
			EnabledPlugins  map[string]any `json:"enabledPlugins"`
		}
		raw, err := os.ReadFile(path)
		if err != nil || json.Unmarshal(raw, &settings) != nil {
			continue
		}
		switch {
		case settings.DisableAllHooks:
			return path + " switches all hooks off"
		case settings.EnabledPlugins[pluginID] == false:
			return path + " switches " + pluginID + " off"
		}
	}
	return ""
}

// modsOf returns the names of the mods that a session wrote for itself.
func (x Exam) modsOf(f sessionFile) (names []string) {
	entries, _ := os.ReadDir(filepath.Join(x.hostDir(), "dev-mods", f.Session)) // most sessions have none
	for _, e := range entries {
		names = append(names, line(e.Name(), 40))
	}
	return names
}
