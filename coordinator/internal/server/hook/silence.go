package hook

import (
	"strings"

	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/server/door"
	"github.com/afar-sh/afar/coordinator/redact"
	"github.com/afar-sh/afar/coordinator/text"
	"github.com/afar-sh/afar/coordinator/wire"
)

// heardOf tells the person once of a project that asks for silence, or that tries to move Afar. A
// project that no longer asks for silence is forgotten when a session of it starts.
func (s *Server) heardOf(h wire.HookCall, p payload, starts bool) error {
	project := h.Project
	if project == "" {
		project = p.Cwd
	}
	if project == "" {
		return nil
	}
	switch {
	case h.Silenced != "":
		if err := s.cfg.Core.TellSilence(door.Telegram, project, h.Silenced); err != nil {
			return err
		}
	case starts:
		if err := s.cfg.Core.Untrue(core.AboutSilence + project); err != nil {
			return err
		}
	}
	if len(h.Redirected) == 0 {
		return nil
	}
	shown := text.Fold(redact.Visible(project))
	return s.cfg.Core.TellOnce(door.Telegram, "redirected:"+project, channel.News{
		Kind: channel.Redirected, Of: shown, What: redact.Mask(text.Fold(redact.Visible(strings.Join(h.Redirected, " ")))),
	})
}
