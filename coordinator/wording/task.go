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
	case t.Stopped && !taskOver(t):
		return "stopped"
	case t.Ask != "":
		return "waits for your answer"
	case !t.Known && t.Status == "":
		return "without a status"
	case !t.Known:
		return t.Status + " (unknown)"
	}
	if t.Status == "COMPLETED" {
		return "done"
	}
	return strings.ToLower(t.Status)
}

// taskOver reports whether nothing is left to do for a task.
func taskOver(t wire.Task) bool { return t.Status == "COMPLETED" || t.Status == "ARCHIVED" }

// TaskBusy reports whether a run works on a task now, or waits for the person.
func TaskBusy(t wire.Task) bool { return t.RunState != "" && !RunOver(t.RunState) }

// TaskVerbs returns what a person can do with a task now, as verbs of the command line. The
// likeliest comes first.
func TaskVerbs(t wire.Task) []string {
	switch {
	case TaskBusy(t):
		return []string{"stop"}
	case t.Status == "ARCHIVED":
		return []string{"reopen"}
	case t.Proposed:
		return []string{"start", "archive"}
	case t.Status == "COMPLETED":
		return []string{"reopen", "archive"}
	case t.Stopped, t.Run == "":
		return []string{"start", "done", "archive"}
	}
	return []string{"start", "stop", "done", "archive"}
}

// TaskMade says what was made of a suggestion.
func TaskMade(t wire.Task) string {
	said := "Task " + t.ID + " is created."
	if t.Run == "" {
		return said
	}
	return said + " " + TaskDid("start", t)
}

// TaskDid says what a verb of the command line has made of a task.
func TaskDid(verb string, t wire.Task) string {
	switch verb {
	case "start":
		return "Run " + t.Run + " works on it."
	case "stop":
		return "Task " + t.ID + " is stopped: nothing but you starts it again."
	}
	return "Task " + t.ID + ": " + TaskStatus(t) + "."
}
