package noun

import (
	"strings"

	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/server/door"
	"github.com/afar-sh/afar/coordinator/wire"
)

func (s *Server) configSet(c *door.Call, in wire.ConfigSetRequest) (out wire.ConfigSetReply, err error) {
	written, err := s.cfg.Config(in.Values)
	if err != nil {
		return out, door.BadRequest("%v", err)
	}
	out.Written = append([]string{}, written...)
	if len(written) == 0 {
		return out, nil
	}
	text := c.Decider() + " changed config.toml: " + strings.Join(written, ", ")
	return out, s.cfg.Core.Note(event.SettingsSet, "", "", text)
}
