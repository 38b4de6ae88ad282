package noun

import (
	"github.com/afar-sh/afar/coordinator/host/claude"
	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/wall"
)

// wallPlace returns the place of a run, as its runner sees it.
func (s *Server) wallPlace(r run.Run) wall.Place {
	return wall.Place{
		Dirs: s.cfg.Place.Dirs, Dir: r.Dir, Session: r.Conversation, Getenv: claude.Env(func(string) string { return "" }),
	}
}
