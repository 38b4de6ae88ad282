package hook

import (
	"github.com/afar-sh/afar/coordinator/internal/server/door"
	"github.com/afar-sh/afar/coordinator/wire"
)

// checkInOver records that a Stop hook no longer holds its session.
func (s *Server) checkInOver(c *door.Call, in wire.CheckInOverRequest) (out wire.AskState, err error) {
	id, err := s.ownAsk(c, in.Ask)
	if err != nil {
		return out, err
	}
	a, err := s.cfg.Core.Release(id)
	return askState(a), err
}
