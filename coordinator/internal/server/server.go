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
	"github.com/afar-sh/afar/coordinator/internal/workplace"
	"github.com/afar-sh/afar/coordinator/wire"
)

// Config is what a Server needs.
type Config struct {
	Core  *feature.Core
	Log   *slog.Logger
	Place workplace.Reader
	Self  wire.Coordinator
	Hook  hook.Config // New fills in what is above
	Noun  noun.Config // and here
}

// Parts are what works beside the server: channels, and workers that may call it. They are made after it.
type Parts struct {
	Door door.Parts
	Hook hook.Parts
	Noun noun.Parts
}

// A Server answers calls.
type Server struct {
	*door.Door
	Hooks *hook.Server
	Nouns *noun.Server
}

// New returns a server; Serve starts it.
func New(cfg Config) *Server {
	asking := &callers.Register{Known: cfg.Core, Bin: cfg.Place.Bin, Self: cfg.Self.PID}
	cfg.Hook.Core, cfg.Hook.Log, cfg.Hook.Place, cfg.Hook.Callers = cfg.Core, cfg.Log, cfg.Place, asking
	cfg.Noun.Core, cfg.Noun.Place, cfg.Noun.Self = cfg.Core, cfg.Place, cfg.Self
	s := &Server{Hooks: hook.New(cfg.Hook, cfg.Self.PID), Nouns: noun.New(cfg.Noun)}
	s.Door = door.New(door.Config{
		Core: cfg.Core, Log: cfg.Log, Dirs: cfg.Place.Dirs, Bin: cfg.Place.Bin, Self: cfg.Self, Callers: asking,
		Operations: s.operations,
	})
	return s
}

// Connect gives the server the parts that work beside it, before Serve.
func (s *Server) Connect(p Parts) {
	s.Door.Connect(p.Door)
	s.Hooks.Connect(p.Hook)
	s.Nouns.Connect(p.Noun)
}

// operations is the whole surface of the socket, with its permissions. Only operations on nouns are part of an act.
func (s *Server) operations(c *feature.Core) door.Table {
	return door.TableOf(door.Rows(), s.Hooks.Rows(), s.Nouns.Within(c).Rows())
}
