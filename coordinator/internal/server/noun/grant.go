package noun

import (
	"slices"

	"github.com/afar-sh/afar/coordinator/host/claude/suggestion"
	"github.com/afar-sh/afar/coordinator/internal/grant"
	"github.com/afar-sh/afar/coordinator/internal/server/door"
	"github.com/afar-sh/afar/coordinator/wire"
)

func (s *Server) grants(*door.Call, wire.None) (wire.GrantsReply, error) {
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

func (s *Server) revoke(c *door.Call, in wire.Named) (out wire.Grant, err error) {
	if in.ID == "" {
		return out, door.BadRequest("a grant needs its id")
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
				return out, door.BadRequest("%v", err)
			}
		}
	}
	g, err := s.cfg.Core.Revoke(grant.ID(id), c.Decider())
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
