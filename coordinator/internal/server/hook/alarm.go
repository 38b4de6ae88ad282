package hook

import (
	"strings"

	"github.com/afar-sh/afar/coordinator/host/claude"
	"github.com/afar-sh/afar/coordinator/internal/feature"
	"github.com/afar-sh/afar/coordinator/internal/server/door"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/ledger"
	"github.com/afar-sh/afar/coordinator/redact"
	"github.com/afar-sh/afar/coordinator/text"
	"github.com/afar-sh/afar/coordinator/wire"
)

// configRefused records which settings file a session refused to load, and why.
func (s *Server) configRefused(_ *door.Call, p payload, in wire.ConfigRefusedRequest) (out wire.None, err error) {
	reason := text.Fold(redact.Clean(in.File + ": " + in.Why))
	return out, s.cfg.Core.SettingsRefused(p.Session, reason)
}

// withNotices returns a notice together with the notices that wait for the session's
// terminal. These are then no longer waiting.
func (s *Server) withNotices(id session.ID, notice string) (string, error) {
	waiting, err := s.cfg.Core.TakeNotices(id)
	return strings.Trim(notice+"\n"+waiting, "\n"), err
}

// pastGuard raises an alarm for a call that ran although the guard denied it, or although
// the hooks' ledger has no entry for it. The entry of a subagent's call may be in the
// ledger of another session, so a missing entry of such a call raises no alarm.
func (s *Server) pastGuard(in wire.OutcomeRequest, p payload) error {
	denied := in.Kept == string(ledger.Denied)
	never := in.Kept == string(ledger.Never) && p.Agent == "" && claude.Guarded(p.Tool)
	if !denied && !never {
		return nil
	}
	v, err := s.cfg.Core.Session(string(p.Session))
	if err != nil {
		return err
	}
	return s.cfg.Core.Overridden(feature.Override{
		Session: v.ID, Call: p.ToolUse, Tool: text.Fold(p.Tool), Denied: denied, Mods: s.cfg.Overrules(v),
	})
}
