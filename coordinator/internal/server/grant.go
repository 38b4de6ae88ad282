package server

import (
	"slices"
	"strings"

	"github.com/afar-sh/afar/coordinator/callsite"
	"github.com/afar-sh/afar/coordinator/guard"
	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/grant"
	"github.com/afar-sh/afar/coordinator/redact"
	"github.com/afar-sh/afar/coordinator/wire"
)

// needed is what a call asks for; one that nothing but its person can cover
// needs nothing of a grant.
func needed(v seen) grant.Need {
	switch tool := v.call.Tool; {
	case tool == "Bash":
		return bashNeed(v.in, v.call, v.at)
	case slices.Contains([]string{"Write", "Edit", "MultiEdit", "NotebookEdit", "Read"}, tool):
		return fileNeed(v.call, v.at)
	case strings.HasPrefix(tool, "mcp__") && v.decision.Verdict == guard.None:
		return grant.Need{Tool: tool, Named: true}
	}
	return grant.Need{}
}

// plainFields are the fields of a Bash call that do not change what it may do.
var plainFields = []string{"command", "description", "timeout", "run_in_background"}

func bashNeed(in map[string]any, call guard.Call, place guard.Context) grant.Need {
	for name, v := range in {
		if !slices.Contains(plainFields, name) && v != nil && v != false {
			return grant.Need{}
		}
	}
	commands, ok := guard.Commands(call, place)
	if !ok {
		return grant.Need{}
	}
	return grant.Need{Tool: call.Tool, Commands: commands}
}

func fileNeed(call guard.Call, place guard.Context) grant.Need {
	path, ok := guard.Inside(call, place)
	if !ok {
		return grant.Need{}
	}
	return grant.Need{Tool: call.Tool, Path: path, Root: place.Resolve(place.Project)}
}

// place is what the guard of the hook knew, seen from here.
func (s *Server) place(project string, p payload) guard.Context {
	if project == "" {
		v, _ := s.cfg.Core.Session(string(p.Session)) // an unknown session has no project
		project = v.Project
	}
	ctx := callsite.Context(s.cfg.Dirs, s.cfg.Bin, p.Cwd, project)
	ctx.ReadOnly = wire.ReadsOnly(p.AgentType)
	ctx.Git, ctx.Merged = nil, nil // a grant outlives a clean work tree
	return ctx
}

// offer is what an allow of this question may cover besides its call, which
// people see as text. A command with a secret in it stands for itself alone:
// the words of its rules, apart from one another, could show what it hides.
func (s *Server) offer(n grant.Need, p payload, text string) *ask.Offer {
	o := ask.Offer{Rules: grant.Narrowest(n)}
	o.Always, o.Echo, o.Beyond = always(p.Tool, p.Suggestions, s.cfg.Dirs.User)
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

func (s *Server) revoke(_ *call, in wire.RevokeRequest) (out wire.RevokeReply, err error) {
	if in.ID == "" {
		return out, badRequest("a grant needs its id")
	}
	var ids []string
	for _, g := range s.cfg.Core.Grants() {
		ids = append(ids, string(g.ID))
	}
	id, err := meant(in.ID, "grant_", ids)
	if err != nil {
		return out, err
	}
	g, err := s.cfg.Core.Revoke(grant.ID(id), localUser())
	if err != nil {
		return out, err
	}
	return s.wireGrant(g), nil
}

func (s *Server) wireGrant(g grant.Grant) wire.Grant {
	v, _ := s.cfg.Core.Session(string(g.Session)) // an unknown session has an empty token
	w := wire.Grant{
		ID: string(g.ID), Session: string(g.Session), Token: v.Token, Project: v.Project, Permits: []string{}, Ask: g.Ask,
		By: g.By, Channel: g.Channel, At: millis(g.At), ExpiresAt: millis(g.ExpiresAt), EndedAt: millis(g.EndedAt), How: g.How,
	}
	for _, r := range g.Rules {
		w.Permits = append(w.Permits, r.Text)
	}
	return w
}
