package page

import (
	"slices"

	"github.com/afar-sh/afar/coordinator/wire"
	"github.com/afar-sh/afar/coordinator/wording"
)

// Triggers shows the rules that send texts, and what came of them.
type Triggers struct {
	List    []wire.Trigger
	Firings []wire.Firing // the oldest first
	Closed  string        // why this page cannot decide about them, "" if it can
	Home    string
}

// Trigger shows one rule.
type Trigger struct {
	Trigger wire.Trigger
	Firings []wire.Firing // the oldest first
	Closed  string        // why this page cannot decide about it, "" if it can
	Home    string
}

const triggersPath = "/triggers"

func (t Triggers) shape() shape {
	return shape{
		name: "triggers", title: "Triggers", path: triggersPath, entry: triggersPath, home: t.Home,
		parts: []string{"tabs", "list", "ledger"},
	}
}

func (t Trigger) shape() shape {
	return shape{
		name: "trigger", title: t.Trigger.Title, path: triggerPath(t.Trigger.ID), entry: triggersPath, home: t.Home,
		parts: []string{"head", "test", "ledger"},
	}
}

func triggerPath(name string) string { return "/trigger/" + url(name) }

// Newest returns the ledger, the newest line first.
func (t Triggers) Newest() []firing { return newest(t.Firings) }

// Newest returns the ledger, the newest line first.
func (t Trigger) Newest() []firing { return newest(t.Firings) }

func newest(ledger []wire.Firing) (out []firing) {
	for _, f := range ledger {
		out = append(out, firing{f})
	}
	slices.Reverse(out)
	return out
}

// A firing is a line of the ledger as the page shows it.
type firing struct{ wire.Firing }

// Said says what came of it.
func (f firing) Said() string { return wording.Firing(f.Firing) }

// Mood is the colour of what came of it.
func (f firing) Mood() string {
	switch f.State {
	case "fired":
		return "ok"
	case "failed":
		return "bad"
	case "due", "missed":
		return "ask"
	}
	return ""
}

// triggerMood is the colour of a trigger's state.
func triggerMood(t wire.Trigger) string {
	switch t.State {
	case wire.TriggerOn:
		return "ok"
	case wire.TriggerBroken:
		return "bad"
	case wire.TriggerProposed:
		return "ask"
	}
	return ""
}
