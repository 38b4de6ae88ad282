package hook

import (
	"slices"

	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/wall"
)

// mayWall reports whether what works while nobody looks is behind a wall.
func (s *Server) mayWall() bool {
	return slices.Contains([]string{wall.On, wall.Strict}, wall.Words(s.cfg.Wall))
}

// wallTold returns what the agent of a turn is told about its wall, "" if it has none.
func (s *Server) wallTold(id session.ID) string {
	r, ok := s.cfg.Core.RunOf(id)
	if !ok || !r.Walled() {
		return ""
	}
	return "This turn works behind a wall of the kernel. It and all that it starts can write " + r.Dir +
		", temporary files and the caches of tools, and nothing else; keys and sign-ins in the home, such as ~/.ssh, " +
		"cannot be read. A call that needs more fails with \"Permission denied\". Do not look for a way around: " +
		askWider
}

// askWider says how an agent asks for more.
const askWider = "`afar run widen PATH` asks your person to open a path, for your next turn. Say in your result " +
	"why you need it."

// wallStopped is what the agent of a turn is told when a result says that the kernel refused something.
const wallStopped = "If one of these calls failed because its permission was denied, the wall of this turn stopped " +
	"it, and another way around will not help. " + askWider
