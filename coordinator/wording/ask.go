package wording

import (
	"cmp"
	"fmt"

	"github.com/afar-sh/afar/coordinator/wire"
)

// The kinds of asks in which the host asks for words, shows a plan, or passes on what a server of tools asks, and of
// those about a call that its auto mode has refused.
const (
	Question    = "question"
	Plan        = "plan"
	Elicitation = "elicitation"
	AutoDenied  = "denied"
)

// CheckIn is the kind of an ask that is a session which stopped.
const CheckIn = "check-in"

// Terminal is the kind of an ask about a dialog that only its terminal can answer. OnlyThere says so.
const (
	Terminal  = "terminal"
	OnlyThere = "This dialog can be answered only at the session's terminal."
)

// Proposal is the kind of an ask in which a session proposes a run.
const Proposal = "proposal"

// Widen is the kind of an ask in which a run wants to write more than its wall allows.
const Widen = "widen"

// Checkpoint is the kind of an ask in which a task asks its person something.
const Checkpoint = "checkpoint"

// WakeUp is the kind of an ask in which a session wants to be woken by a check, and Missed that of
// an ask about a time of a trigger at which nothing ran.
const (
	WakeUp = "wake-up"
	Missed = "missed"
)

// NoAsks is shown where none is open.
const NoAsks = "Nothing waits for you."

// Cards groups asks by their card, in their order. Identical asks share a card and are
// answered together.
func Cards(asks []wire.Ask) (out [][]wire.Ask) {
	at := map[string]int{}
	for _, q := range asks {
		on := cmp.Or(q.Card, q.ID)
		i, known := at[on]
		if !known {
			i, out = len(out), append(out, nil)
			at[on] = i
		}
		out[i] = append(out[i], q)
	}
	return out
}

// Times returns how many asks a card has, "" for one.
func Times(card []wire.Ask) string {
	if len(card) < 2 {
		return ""
	}
	return fmt.Sprintf(" ×%d", len(card))
}

// Wants returns what a session wants.
func Wants(q wire.Ask) string {
	switch q.Kind {
	case Question, Checkpoint:
		return "asks you"
	case Plan:
		return "has a plan"
	case Elicitation:
		return line(q.Tool, 60) + " asks you"
	case AutoDenied:
		return "was refused by auto mode: " + line(q.Tool, 60)
	case CheckIn:
		return "stopped and says"
	case Terminal:
		return "waits at its terminal: " + line(q.Tool, 60)
	case Proposal:
		return "proposes a run"
	case Widen:
		return "wants to write outside of its wall"
	case WakeUp:
		return "wants to be woken as soon as this command succeeds"
	case Missed:
		return "Trigger " + line(q.Tool, 40) + " was due when nothing ran"
	case Suggestion:
		return "suggested task: " + line(q.Tool, 120)
	}
	if does, ok := toolWants[q.Tool]; ok {
		return does
	}
	return "wants " + line(q.Tool, 60)
}

// toolWants says what a session wants that calls one of the host's own tools.
var toolWants = map[string]string{
	"Bash": "wants to run a command", "Edit": "wants to change a file", "MultiEdit": "wants to change a file",
	"NotebookEdit": "wants to change a notebook", "PowerShell": "wants to run a command", "WebFetch": "wants to read a page",
	"Write": "wants to write a file",
}

// Decided returns in one word what the person did.
func Decided(q wire.Ask) string {
	switch {
	case q.Kind == CheckIn && q.Allow:
		return "let rest"
	case q.Kind == Elicitation && q.Allow && len(q.Questions) == 0:
		return "accepted"
	case q.Kind == Checkpoint, q.Kind == CheckIn, (q.Kind == Question || q.Kind == Elicitation) && q.Allow:
		return "answered"
	case q.Kind == Elicitation:
		return "declined"
	case q.Kind == Plan && q.Allow:
		return "approved"
	case q.Kind == Plan:
		return "sent back"
	case q.Kind == Suggestion && q.Allow:
		return "accepted"
	case q.Kind == Suggestion:
		return "dismissed"
	case q.Kind == Missed && q.Allow:
		return "run"
	case q.Kind == Missed:
		return "skipped"
	case q.Allow:
		return "allowed"
	}
	return "denied"
}
