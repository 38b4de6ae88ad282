package server

import (
	"encoding/json"

	"github.com/afar-sh/afar/coordinator/guard"
	"github.com/afar-sh/afar/coordinator/internal/grant"
	"github.com/afar-sh/afar/coordinator/internal/undo"
)

// seen is a call as the guard sees it from here, from its raw input, which is
// never kept. It is understood once for all that is said of it: what its card
// tells, what a grant needs to cover it, what a snapshot keeps of it.
type seen struct {
	in       map[string]any
	call     guard.Call
	at       guard.Context
	decision guard.Decision
	need     grant.Need
	losses   []undo.Loss
}

// see understands a call. One that cannot be understood to the letter needs its
// person; of one that cannot be understood at all nothing is said and nothing
// kept.
func (s *Server) see(project string, p payload) (v seen) {
	defer func() {
		if r := recover(); r != nil {
			s.cfg.Log.Error("understand a call", "tool", p.Tool, "panic", r)
			v = seen{}
		}
	}()
	if err := json.Unmarshal(p.Input, &v.in); err != nil {
		return seen{}
	}
	call, err := guard.ReadCall(p.Tool, string(p.Input))
	if err != nil {
		return seen{}
	}
	v.call, v.at = call, s.place(project, p)
	v.decision = guard.Judge(v.call, v.at)
	v.need = needed(v)
	for _, l := range guard.Losses(v.call, v.decision.Effects, p.Cwd) {
		v.losses = append(v.losses, undo.Loss(l))
	}
	return v
}
