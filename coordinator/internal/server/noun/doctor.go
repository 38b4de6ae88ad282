package noun

import (
	"time"

	"github.com/afar-sh/afar/coordinator/internal/server/door"
	"github.com/afar-sh/afar/coordinator/wire"
)

func (s *Server) doctor(*door.Call, wire.None) (wire.DoctorReply, error) {
	checks := append(s.cfg.Doctor(), s.moduleChecks()...)
	for _, v := range s.cfg.Core.Sessions() {
		if v.Unprotected(time.Now()) {
			checks = append(checks, wire.Check{
				ID:    "session " + v.Token,
				State: "bad",
				Text:  "runs in " + v.Project + " without Afar's hooks",
				Fix: "end it and start it again; if it stays, look at disableAllHooks and enabledPlugins " +
					"in that project's .claude/settings.json",
			})
		}
	}
	return wire.DoctorReply{Checks: checks}, nil
}
