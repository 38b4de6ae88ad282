package hook

import (
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/server/door"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/wire"
)

// awayTyped answers /afar:away with the arguments "on|off|auto [--for 2h]".
func (s *Server) awayTyped(p payload) (out wire.ExpandReply, err error) {
	words := strings.Fields(p.CommandArgs)
	if len(words) == 0 {
		now := string(s.cfg.Core.Away(p.Session))
		return blocked("Away is " + now + " for this session. /afar:away on, off or auto changes it."), nil
	}
	mode, err := session.ParseMode(words[0])
	if err != nil {
		return blocked(err.Error()), nil
	}
	if err := s.cfg.Core.Counts(door.Terminal); err != nil && mode != session.On {
		return blocked(err.Error() + "; say it on the phone"), nil
	}
	var d time.Duration
	if len(words) > 1 {
		value, ok := strings.CutPrefix(strings.Join(words[1:], " "), "--for ")
		if d, err = time.ParseDuration(value); !ok || err != nil || d <= 0 {
			return blocked("Say it like this: /afar:away on --for 2h"), nil
		}
	}
	if err := s.cfg.Core.SetAway(string(p.Session), mode, d); err != nil {
		return out, err
	}
	return blocked("Away is " + strings.Join(words, " ") + " for this session."), nil
}
