// Package toolcall understands a tool call of a session: what it would do, what a grant
// needs to cover it, and what a snapshot keeps before it runs.
package toolcall

import (
	"fmt"

	"github.com/afar-sh/afar/coordinator/guard"
	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/grant"
	"github.com/afar-sh/afar/coordinator/internal/undo"
)

// A Call is a tool call as the guard sees it in the coordinator.
type Call struct {
	Input    ask.Input
	Decision guard.Decision // the guard's opinion on it
	Need     grant.Need     // what a grant needs to cover it; the zero value if only the person can allow it
	Losses   []undo.Loss    // what it may destroy and a snapshot can keep
	Outward  []string       // the programs and the tool through which it reaches others

	call guard.Call
	at   guard.Context
}

// Read returns the call with this input; raw is how the host wrote it. It returns an
// error for an input that it cannot understand at all. A call that it understands only in
// part has no Need.
func Read(in ask.Input, raw string, at guard.Context) (c Call, err error) {
	c.call, err = guard.ReadCall(in.Tool, raw)
	if err != nil {
		return Call{}, fmt.Errorf("understand a call of %s: %w", in.Tool, err)
	}
	at.Steps = true // so that the call is understood once
	c.Input, c.at = in, at
	c.Decision = guard.Judge(c.call, at)
	c.Need, c.Outward = c.need(), guard.OutwardOf(c.call, c.Decision)
	for _, l := range guard.Losses(c.call, c.Decision.Effects, at.Cwd) {
		c.Losses = append(c.Losses, undo.Loss(l))
	}
	return c, nil
}
