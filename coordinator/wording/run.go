package wording

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/text"
	"github.com/afar-sh/afar/coordinator/wire"
)

// RunState returns the words for the state of a run.
func RunState(state string) string {
	switch state {
	case "idle":
		return "done"
	case "queued":
		return "waits for its start"
	case "waiting":
		return "waits for your answer"
	case "taken":
		return "open in a terminal"
	case wire.Proposed:
		return "waits until you allow it"
	}
	return state
}

// RunOver reports whether a run in this state does nothing by itself.
func RunOver(state string) bool { return run.State(state).Settled() }

// RunLast returns what a run said last.
func RunLast(r wire.Run) string {
	switch r.State {
	case "failed":
		return cmp.Or(r.Why, r.Result, r.LastText)
	case "queued", "starting":
		return cmp.Or(r.Why, r.LastText)
	}
	if RunOver(r.State) {
		return cmp.Or(r.Result, r.LastText)
	}
	return r.LastText
}

// RunTurns says how many turns a run had, and what waits.
func RunTurns(r wire.Run) string {
	return text.Count(r.Turns, "turn") + text.Only(r.Waiting > 0, ", "+text.Count(r.Waiting, "message")+" waiting")
}

// RunUsed says what a run has used, as far as its agent reports it.
func RunUsed(r wire.Run) string {
	of := text.Only(r.BudgetUSD > 0, fmt.Sprintf(" of $%.2f", r.BudgetUSD))
	if r.CostUSD == 0 && r.Tokens == 0 {
		return "nothing reported" + of
	}
	return fmt.Sprintf("$%.2f%s, %d tokens", r.CostUSD, of, r.Tokens)
}

// RunWall says which wall the last turn of a run had, "" before its first one.
func RunWall(r wire.Run) string {
	switch r.Wall {
	case "":
		return ""
	case "on", "strict":
		stops := fmt.Sprintf("; %s that it seems to have stopped", text.Count(r.WallStops, "call"))
		return "it stood, " + r.Wall + text.Only(r.WallStops > 0, stops)
	}
	return "none: " + r.Wall
}

// RunGuard says which calls of an agent the guard judges.
func RunGuard(can wire.RunAbilities) string { return "judges " + can.Guard }

// RunCannot lists what an agent cannot do, "" for nothing.
func RunCannot(can wire.RunAbilities) string {
	var missing []string
	for _, of := range []struct {
		can  bool
		what string
	}{
		{can.Approvals, "ask you"},
		{can.Resume, "continue a conversation"},
		{can.Interrupt, "be interrupted"},
		{can.Usage != "no", "say what it uses"},
		{can.Text, "take a message during a turn"},
		{can.Survives, "go on with a turn if agent-run dies"},
		{can.Keeps, "keep a parked call for its next turn"},
		{can.Terminal, "be taken over in a terminal"},
	} {
		if !of.can {
			missing = append(missing, of.what)
		}
	}
	return strings.Join(missing, ", ")
}

// RunAbilities says in one line which calls of an agent the guard judges, and what the agent cannot do.
func RunAbilities(can wire.RunAbilities) string {
	said := "the guard " + RunGuard(can)
	if missing := RunCannot(can); missing != "" {
		said += "; it cannot " + missing
	}
	return said
}

// RunEvent returns what an event of a run is, and what it says.
func RunEvent(e wire.RunEvent) (what, said string) {
	said = strings.TrimSpace(cmp.Or(e.Said, e.Text))
	switch e.Kind {
	case "init":
		return "turn begins", said
	case "text":
		return "says", said
	case "thinking":
		return "thinks", said
	case "tool_start":
		return "calls " + e.Tool, said
	case "tool_result":
		if e.Failed {
			return "call failed", said
		}
		return "call done", said
	case "result":
		if e.Failed {
			return "turn failed", said
		}
		return "result", said
	case "raw":
		return "unknown event", said
	}
	return e.Kind, said
}
