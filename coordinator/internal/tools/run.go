package tools

import (
	"crypto/sha256"
	"encoding/base32"
	"fmt"
	"time"

	"github.com/afar-sh/afar/coordinator/wire"
)

type proposeArgs struct {
	Prompt   string  `json:"prompt" jsonschema:"the whole task, for an agent that has not seen this conversation"`
	Name     string  `json:"name,omitempty" jsonschema:"a short name for the run: letters a-z, digits, dashes"`
	Dir      string  `json:"dir,omitempty" jsonschema:"the absolute path of the directory it works in; yours if it is left out"`
	Worktree bool    `json:"worktree,omitempty" jsonschema:"true gives it a git worktree and a branch of its own"`
	Agent    string  `json:"agent,omitempty" jsonschema:"the program that works, such as claude or codex"`
	Mode     string  `json:"mode,omitempty" jsonschema:"the permission mode: auto, acceptEdits, manual or plan"`
	Model    string  `json:"model,omitempty" jsonschema:"the agent's model"`
	Budget   float64 `json:"budget_usd,omitempty" jsonschema:"what it may cost at most, in US dollars"`
	For      string  `json:"for,omitempty" jsonschema:"how long it may work at most, such as 90m or 2h"`
}

const aboutPropose = "Delegate a task to another agent that works in the background, in parallel to you; the " +
	"person is asked first. Use it for work that needs no conversation, such as a long test run, a review or a " +
	"second change in a worktree of its own. The result comes to you by itself, as a message, when the run is over. " +
	"Do not wait for it and do not propose it twice."

func (s *Server) offerRuns() {
	offer(s, wire.ToolProposeRun, aboutPropose, proposeRun)
}

// decideFor is how long a call waits for the person's answer.
const decideFor = 25 * time.Second

func proposeRun(c call, in proposeArgs) (string, error) {
	length, err := lengthOf(in.For)
	if err != nil {
		return "", err
	}
	r, err := ask(c, wire.OpRunStart, wire.RunStartRequest{
		ID:        runID(c.id),
		Agent:     in.Agent,
		Name:      in.Name,
		Dir:       in.Dir,
		Mode:      in.Mode,
		Model:     in.Model,
		Worktree:  in.Worktree,
		Prompt:    in.Prompt,
		BudgetUSD: in.Budget,
		ForMS:     length.Milliseconds(),
		WaitMS:    decideFor.Milliseconds(),
	})
	switch {
	case err != nil:
		return "", err
	case r.State == wire.Proposed:
		return fmt.Sprintf("Nobody has answered yet. If the person allows run %s, it starts, and its result comes "+
			"to you as a message. Do not propose it again; go on with something else, or stop.", r.Name), nil
	}
	return fmt.Sprintf("The person allowed run %s: it works in %s. Its result comes to you as a message; do not wait "+
		"for it.", r.Name, r.Dir), nil
}

// lengthOf reads how long a run may work, 0 for no limit.
func lengthOf(text string) (time.Duration, error) {
	if text == "" {
		return 0, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return 0, fmt.Errorf("for is %.40q; want a length of time such as 90m or 2h", text)
	}
	return d, nil
}

// runID returns the id of the run that a call proposes.
func runID(call string) string {
	sum := sha256.Sum256([]byte(call))
	return base32.StdEncoding.EncodeToString(sum[:])[:26]
}
