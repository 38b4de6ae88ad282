// Package server puts together what answers calls: the door, which takes them, and the packages whose operations it
// carries out, one for what hooks ask and one for what people and agents ask. It answers nothing itself.
package server

import (
	"log/slog"

	"github.com/afar-sh/afar/coordinator/internal/callers"
	"github.com/afar-sh/afar/coordinator/internal/feature"
	"github.com/afar-sh/afar/coordinator/internal/server/door"
	"github.com/afar-sh/afar/coordinator/internal/server/hook"
	"github.com/afar-sh/afar/coordinator/internal/server/noun"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/workplace"
	"github.com/afar-sh/afar/coordinator/wire"
)

// Config is what a Server needs.
type Config struct {
	Core  *feature.Core
	Log   *slog.Logger
	Place workplace.Reader
	Self  wire.Coordinator
	// Started reports whether this coordinator started a runner; nil: it started none.
	Started func(session.Process) bool
	Door    door.Config // New fills in what is above, and what one part has of another
	Hook    hook.Config // and here
	Noun    noun.Config // and here, but for its Parts: see noun.Server.Connect
}

// A Server answers calls.
type Server struct {
	*door.Door
	Hooks *hook.Server
	Nouns *noun.Server
}

// New returns a server; Serve starts it.
func New(cfg Config) *Server {
	asking := &callers.Register{Known: cfg.Core, Bin: cfg.Place.Bin, Self: cfg.Self.PID, Started: cfg.Started}
	cfg.Hook.Core, cfg.Hook.Log, cfg.Hook.Place, cfg.Hook.Callers = cfg.Core, cfg.Log, cfg.Place, asking
	cfg.Noun.Core, cfg.Noun.Place, cfg.Noun.Self = cfg.Core, cfg.Place, cfg.Self
	s := &Server{Hooks: hook.New(cfg.Hook, cfg.Self.PID), Nouns: noun.New(cfg.Noun)}
	cfg.Door.Core, cfg.Door.Log, cfg.Door.Dirs, cfg.Door.Bin = cfg.Core, cfg.Log, cfg.Place.Dirs, cfg.Place.Bin
	cfg.Door.Self, cfg.Door.Callers, cfg.Door.Operations = cfg.Self, asking, s.operations
	s.Door = door.New(cfg.Door)
	return s
}

// operations is the whole surface of the socket, with its permissions. Only operations on nouns are part of an act.
func (s *Server) operations(c *feature.Core) door.Table {
	return door.TableOf(door.Rows(), s.Hooks.Rows(), s.Nouns.Within(c).Rows())
}
