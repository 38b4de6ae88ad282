package page

import (
	"slices"

	"github.com/afar-sh/afar/coordinator/wire"
)

// Triggers shows the rules that send texts, and what came of them.
type Triggers struct {
	List
	Firings []wire.Firing // the oldest first
}

// Trigger shows one rule.
type Trigger struct {
	Alone
	Firings []wire.Firing // the oldest first
}

// Tries reports whether the page can say what the rule would send.
func (t Trigger) Tries() bool {
	return t.Closed == "" && len(t.Thing.Deeds) > 0 && t.Thing.Deed("on").First == ""
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
		name: "trigger", title: t.Thing.Title, path: t.Row().Path(), entry: triggersPath, home: t.Home,
		parts: []string{"head", "test", "ledger"},
	}
}

// newest returns the ledger, the newest line first.
func newest(ledger []wire.Firing) []wire.Firing {
	out := slices.Clone(ledger)
	slices.Reverse(out)
	return out
}
