package server

import (
	"strings"

	"github.com/afar-sh/afar/coordinator/internal/secret"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/wire"
)

// configRefused takes in which settings file a session does not take over, and
// why.
func (s *Server) configRefused(c *call) (any, error) {
	h, p, err := s.hookCall(c, "")
	if err != nil {
		return nil, err
	}
	text := oneLine(secret.Visible(secret.Mask(h.Part + ": " + h.Why)))
	return wire.HookReply{}, s.cfg.Core.SettingsRefused(p.Session, text)
}

// withNotices adds to a reply what waits for the session's terminal.
func (s *Server) withNotices(id session.ID, r wire.HookReply) (wire.HookReply, error) {
	waiting, err := s.cfg.Core.TakeNotices(id)
	r.Notice = strings.Trim(r.Notice+"\n"+waiting, "\n")
	return r, err
}
