package wording

import (
	"strings"

	"github.com/afar-sh/afar/coordinator/wire"
)

// TaskStatus returns the words for how far a task is.
func TaskStatus(t wire.Task) string {
	switch {
	case t.Proposed:
		return "proposed: no person has started it"
	case t.RunState != "" && !RunOver(t.RunState):
		return RunState(t.RunState)
	case t.Stopped:
		return "stopped"
	case !t.Known && t.Status == "":
		return "without a status"
	case !t.Known:
		return t.Status + " (unknown)"
	}
	return strings.ToLower(t.Status)
}

// TaskNext says what a task waits for, "" for nothing.
func TaskNext(t wire.Task) string {
	if t.WaitingFor == "" {
		return ""
	}
	return "waits for: " + t.WaitingFor
}
