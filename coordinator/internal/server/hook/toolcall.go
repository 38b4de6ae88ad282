package hook

import (
	"github.com/afar-sh/afar/coordinator/callsite"
	"github.com/afar-sh/afar/coordinator/guard"
	"github.com/afar-sh/afar/coordinator/host/claude/hookinput"
	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/server/door"
	"github.com/afar-sh/afar/coordinator/internal/toolcall"
	"github.com/afar-sh/afar/coordinator/wire"
)

// toolInput reads the input of the call that a hook reports.
func toolInput(p payload) (ask.Input, error) {
	in, err := hookinput.ReadTool(p.Tool, p.Input)
	if err != nil {
		return in, door.BadRequest("%v", err)
	}
	return in, nil
}

// see returns a call of a session as the guard sees it. project is "" for the session's
// own project. A call that cannot be understood gives the zero value: a card says nothing
// more about it, and no snapshot is taken.
func (s *Server) see(project string, p payload, in ask.Input) (c toolcall.Call) {
	defer func() {
		if r := recover(); r != nil {
			s.cfg.Log.Error("understand a call", "tool", p.Tool, "panic", r)
			c = toolcall.Call{}
		}
	}()
	c, err := toolcall.Read(in, string(p.Input), s.place(project, p))
	if err != nil {
		return toolcall.Call{}
	}
	return c
}

// look returns what a card says about a call besides its input.
func (s *Server) look(c toolcall.Call) (look toolcall.Look) {
	defer func() {
		if r := recover(); r != nil {
			s.cfg.Log.Error("say on a card what a call does", "tool", c.Input.Tool, "panic", r)
			look = toolcall.Look{}
		}
	}()
	return c.Look()
}

// place returns the context of a call, as far as the coordinator knows it.
func (s *Server) place(project string, p payload) guard.Context {
	if project == "" {
		v, _ := s.cfg.Core.Session(string(p.Session)) // an unknown session has no project
		project = v.Project
	}
	ctx := callsite.Context(s.cfg.Place.Dirs, s.cfg.Place.Bin, p.Cwd, project)
	ctx.ReadOnly = wire.ReadsOnly(p.AgentType)
	ctx.Kept = callsite.Kept(s.cfg.Place.Dirs, p.Transcript)
	ctx.Git, ctx.Merged = nil, nil // a grant outlives a clean work tree
	return ctx
}
