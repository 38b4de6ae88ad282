// Package doctor checks an installation from outside: its programs and settings, the host, and
// whether a coordinator answers, which then checks itself. It starts nothing that stays, and
// changes nothing.
package doctor

import (
	"context"
	"fmt"
	"time"

	"github.com/afar-sh/afar/coordinator/config"
	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/peer"
	"github.com/afar-sh/afar/coordinator/redact"
	"github.com/afar-sh/afar/coordinator/text"
	"github.com/afar-sh/afar/coordinator/wire"
)

// An Exam is one run of afar doctor, with what its checks look at.
type Exam struct {
	Dirs         home.Dirs
	Bin          string // the directory of Afar's programs
	Version      string // of this command
	Cwd, Project string // where a session in this directory would run
	Getenv       func(string) string
	Now          func() time.Time
	InSession    bool                // whether a session started this command
	Trying       func(client string) // is told before each trial of a client

	// These call a coordinator that already runs.
	Status func(context.Context) (wire.StatusReply, error)
	Inner  func(context.Context) (wire.DoctorReply, error) // its own checks
	Tools  func(context.Context) (wire.ToolsReply, error)

	set   config.Config // what config.toml says now
	unset error         // why it says nothing, nil if it does
}

// Checks runs every check, each one after those that it depends on. The check of a client says
// what the trials of live proved, and these are shown last.
func (x Exam) Checks(ctx context.Context, live bool) ([]wire.Check, error) {
	x.set, x.unset = config.Load(x.Dirs.ConfigFile())
	found := []wire.Check{x.binaries(), x.pin(), x.directories(), x.disk(), x.config()}
	found = append(found, x.coordinator(ctx)...)
	found = append(found, x.login(), x.path(), x.loopAlias(), x.tools(ctx))
	found = append(found, x.policies()...)
	found = append(found, birthmarks(peer.Bearers())...)
	found = append(found, x.programs()...)
	found = append(found, x.guardChecks()...)
	found = append(found, x.agentGuards()...)
	found = append(found, x.wall())
	if !live {
		return append(found, x.host(ctx)...), nil
	}
	tried, err := x.live(ctx)
	if err != nil {
		return found, err
	}
	return append(append(found, x.host(ctx)...), tried...), nil
}

func ok(id, format string, args ...any) wire.Check {
	return wire.Check{ID: id, State: "ok", Text: fmt.Sprintf(format, args...)}
}

func off(id, text, fix string) wire.Check {
	return wire.Check{ID: id, State: "off", Text: text, Fix: fix}
}

func bad(id, text, fix string) wire.Check {
	return wire.Check{ID: id, State: "bad", Text: text, Fix: fix}
}

// line returns a text in one visible line of at most n characters.
func line(s string, n int) string { return text.Clip(redact.Visible(text.Fold(s)), n) }
