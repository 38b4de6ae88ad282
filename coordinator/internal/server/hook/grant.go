package hook

import (
	"cmp"
	"path/filepath"
	"strings"

	"github.com/afar-sh/afar/coordinator/host/claude/suggestion"
	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/grant"
	"github.com/afar-sh/afar/coordinator/redact"
)

// offer returns what an allow may cover besides the call itself, nil for nothing. text is
// the call as people see it. A command with a secret in it gets no rules for the session,
// because the words of the rules could show parts of the secret.
func (s *Server) offer(n grant.Need, p payload, text string) *ask.Offer {
	o := ask.Offer{Rules: grant.Narrowest(n)}
	o.Always, o.Echo, o.Beyond = suggestion.Always(p.Tool, p.Suggestions, s.cfg.Place.Dirs.User)
	o.Kept = s.kept(p, o.Echo)
	if len(n.Commands) > 0 && strings.Contains(text, redact.Hidden) {
		o.Rules = nil
	}
	if len(o.Rules) == 0 && o.Always == "" {
		return nil
	}
	return &o
}

// kept returns the rules that Claude Code keeps if the suggestions at some places are taken.
func (s *Server) kept(p payload, places []int) (out []grant.Kept) {
	v, _ := s.cfg.Core.Session(string(p.Session))
	project := filepath.Join(cmp.Or(v.Project, p.Cwd), ".claude")
	files := map[string]string{
		"localSettings":   filepath.Join(project, "settings.local.json"),
		"projectSettings": filepath.Join(project, "settings.json"),
		"userSettings":    filepath.Join(s.cfg.Place.Dirs.HostDir(), "settings.json"),
	}
	for _, k := range suggestion.Keeps(p.Suggestions, places) {
		out = append(out, grant.Kept{Rule: k.Rule, File: files[k.In]})
	}
	return out
}
