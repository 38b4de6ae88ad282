package server

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/host/claude/suggestion"
	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/grant"
	"github.com/afar-sh/afar/coordinator/redact"
	"github.com/afar-sh/afar/coordinator/wire"
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

func (s *Server) grants(*call, wire.None) (wire.GrantsReply, error) {
	return wire.GrantsReply{Grants: wire.List(s.standing(), s.wireGrant)}, nil
}

// standing returns the permissions that stand. What Claude Code keeps stands as long as its file has
// the rule.
func (s *Server) standing() []grant.Grant {
	all := s.cfg.Core.Grants()
	for _, g := range s.cfg.Core.KeptGrants() {
		if slices.ContainsFunc(g.Kept, func(k grant.Kept) bool { return suggestion.Holds(k.File, k.Rule) }) {
			all = append(all, g)
		}
	}
	return all
}

func (s *Server) revoke(c *call, in wire.Named) (out wire.Grant, err error) {
	if in.ID == "" {
		return out, badRequest("a grant needs its id")
	}
	var ids []string
	all := s.standing()
	for _, g := range all {
		ids = append(ids, string(g.ID))
	}
	id, err := resolveID(in.ID, "grant_", ids)
	if err != nil {
		return out, err
	}
	if i := slices.Index(ids, id); i >= 0 {
		for _, k := range all[i].Kept {
			if err := suggestion.Remove(k.File, k.Rule); err != nil {
				return out, badRequest("%v", err)
			}
		}
	}
	g, err := s.cfg.Core.Revoke(grant.ID(id), c.decider())
	if err != nil {
		return out, err
	}
	return s.wireGrant(g), nil
}

func (s *Server) wireGrant(g grant.Grant) wire.Grant {
	v, _ := s.cfg.Core.Session(string(g.Session)) // an unknown session has an empty token
	w := wire.Grant{
		ID:        string(g.ID),
		Session:   string(g.Session),
		Token:     v.Token,
		Project:   v.Project,
		Permits:   wire.List(g.Permits(), func(r grant.Rule) string { return r.Text }),
		Ask:       g.Ask,
		By:        g.By,
		Channel:   g.Channel,
		At:        wire.Millis(g.At),
		ExpiresAt: wire.Millis(g.ExpiresAt),
		EndedAt:   wire.Millis(g.EndedAt),
		How:       g.How,
	}
	for _, k := range g.Kept {
		w.Files = append(w.Files, k.File)
	}
	w.Files = slices.Compact(w.Files)
	return w
}
