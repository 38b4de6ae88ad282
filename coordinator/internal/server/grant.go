package server

import (
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
	o.Always, o.Echo, o.Beyond = suggestion.Always(p.Tool, p.Suggestions, s.cfg.Dirs.User)
	if len(n.Commands) > 0 && strings.Contains(text, redact.Hidden) {
		o.Rules = nil
	}
	if len(o.Rules) == 0 && o.Always == "" {
		return nil
	}
	return &o
}

func (s *Server) grants(*call, wire.GrantsRequest) (wire.GrantsReply, error) {
	out := wire.GrantsReply{Grants: []wire.Grant{}}
	for _, g := range s.cfg.Core.Grants() {
		out.Grants = append(out.Grants, s.wireGrant(g))
	}
	return out, nil
}

func (s *Server) revoke(c *call, in wire.RevokeRequest) (out wire.RevokeReply, err error) {
	if in.ID == "" {
		return out, badRequest("a grant needs its id")
	}
	var ids []string
	for _, g := range s.cfg.Core.Grants() {
		ids = append(ids, string(g.ID))
	}
	id, err := resolveID(in.ID, "grant_", ids)
	if err != nil {
		return out, err
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
		Permits:   []string{},
		Ask:       g.Ask,
		By:        g.By,
		Channel:   g.Channel,
		At:        millis(g.At),
		ExpiresAt: millis(g.ExpiresAt),
		EndedAt:   millis(g.EndedAt),
		How:       g.How,
	}
	for _, r := range g.Rules {
		w.Permits = append(w.Permits, r.Text)
	}
	return w
}
