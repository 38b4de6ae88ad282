// Package toolcall understands a tool call of a session: what it would do, what a grant
// needs to cover it, and what a snapshot keeps before it runs.
package toolcall

import (
	"encoding/json"
	"fmt"

	"github.com/afar-sh/afar/coordinator/guard"
	"github.com/afar-sh/afar/coordinator/internal/grant"
	"github.com/afar-sh/afar/coordinator/internal/undo"
)

// A Call is a tool call as the guard sees it in the coordinator. Read reads its raw input
// once, for all that is said about the call.
type Call struct {
	Tool   string
	Need   grant.Need  // what a grant needs to cover it; the zero value if only the person can allow it
	Losses []undo.Loss // what it may destroy and a snapshot can keep

	in       map[string]any
	call     guard.Call
	at       guard.Context
	decision guard.Decision
}

// Read returns the call of a tool with the given raw input. It returns an error for an
// input that it cannot understand at all. A call that it understands only in part has no
// Need.
func Read(tool, input string, at guard.Context) (c Call, err error) {
	if err := json.Unmarshal([]byte(input), &c.in); err != nil {
		return Call{}, fmt.Errorf("understand a call of %s: %w", tool, err)
	}
	c.call, err = guard.ReadCall(tool, input)
	if err != nil {
		return Call{}, fmt.Errorf("understand a call of %s: %w", tool, err)
	}
	c.Tool, c.at = tool, at
	c.decision = guard.Judge(c.call, at)
	c.Need = c.need()
	for _, l := range guard.Losses(c.call, c.decision.Effects, at.Cwd) {
		c.Losses = append(c.Losses, undo.Loss(l))
	}
	return c, nil
}

// Verdict returns the guard's verdict on the call.
func (c Call) Verdict() guard.Verdict { return c.decision.Verdict }
