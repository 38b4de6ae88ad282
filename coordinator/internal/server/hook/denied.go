package hook

import (
	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/server/door"
	"github.com/afar-sh/afar/coordinator/wire"
)

// retry says whether a call that auto mode refused before may now run once. The hook asks
// only for a call on which its guard has no opinion.
func (s *Server) retry(c *door.Call, p payload, in wire.RetryRequest) (out wire.AskState, err error) {
	call, err := toolInput(p)
	if err != nil {
		return out, err
	}
	a, ok, err := s.cfg.Core.TakeRetry(ask.Ask{Session: p.Session, Tool: p.Tool, Hash: call.Hash(), Kind: ask.Denied})
	if ok && err == nil {
		s.snapshotRetry(c.Ctx, in.Project, p, call, a.ID)
	}
	return wire.AskState{ID: string(a.ID), State: string(a.State), Allow: ok}, err
}
