package server

import (
	"strings"

	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/ledger"
	"github.com/afar-sh/afar/coordinator/redact"
	"github.com/afar-sh/afar/coordinator/wire"
)

// configRefused takes in which settings file a session does not take over, and
// why.
func (s *Server) configRefused(c *call) (any, error) {
	h, p, err := s.hookCall(c, "")
	if err != nil {
		return nil, err
	}
	text := oneLine(redact.Visible(redact.Mask(h.Part + ": " + h.Why)))
	return wire.HookReply{}, s.cfg.Core.SettingsRefused(p.Session, text)
}

// withNotices adds to a reply what waits for the session's terminal.
func (s *Server) withNotices(id session.ID, r wire.HookReply) (wire.HookReply, error) {
	waiting, err := s.cfg.Core.TakeNotices(id)
	r.Notice = strings.Trim(r.Notice+"\n"+waiting, "\n")
	return r, err
}

// pastGuard raises an alarm for a call that ran although the hooks wrote down
// that the guard denied it, or did not write it down at all. A subagent's call
// may have been written down under another session: of those only the denied
// ones count.
func (s *Server) pastGuard(h wire.HookCall, p payload) error {
	denied := h.Kept == string(ledger.Denied)
	never := h.Kept == string(ledger.Never) && p.Agent == "" && ledger.Sees(p.Tool)
	if !denied && !never {
		return nil
	}
	v, err := s.cfg.Core.Session(string(p.Session))
	if err != nil {
		return err
	}
	return s.cfg.Core.Overridden(core.Override{
		Session: v.ID, Call: p.ToolUse, Tool: oneLine(p.Tool), Denied: denied, Mods: s.cfg.Overrules(v),
	})
}
