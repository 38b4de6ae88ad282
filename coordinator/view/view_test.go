package view

import (
	"errors"
	"testing"

	"github.com/afar-sh/afar/coordinator/wire"
)

// TestDeeds: whatever a thing offers in any state can be done, a look that it asks for comes with the words for
// every surface, and its state has a sign.
func TestDeeds(t *testing.T) {
	things := map[string][]Thing{}
	for _, state := range []string{wire.TriggerOn, wire.TriggerOff, wire.TriggerProposed, wire.TriggerBroken} {
		things["trigger"] = append(things["trigger"], Trigger(wire.Trigger{ID: "a", State: state}))
	}
	for _, state := range []string{wire.ModuleEnabled, wire.ModuleDisabled, wire.ModuleProposed, wire.ModuleBroken} {
		things["module"] = append(things["module"],
			Module(wire.Module{ID: "a", State: state, Hash: "1", Source: &wire.ModuleSource{}}))
	}
	for _, status := range []string{"open", "accepted", "dismissed", "resolved", "ignored"} {
		things["suggestion"] = append(things["suggestion"], Suggestion(wire.Suggestion{ID: "a", Status: status}))
		things["gap"] = append(things["gap"], Gap(wire.Gap{ID: 1, Status: status}))
	}
	for _, status := range []string{"IN PROGRESS", "WAITING", "BLOCKED", "COMPLETED", "ARCHIVED", "ODD"} {
		for _, run := range []string{"", "working", "waiting", "idle"} {
			things["task"] = append(things["task"], Task(wire.Task{ID: "a", Status: status, RunState: run}))
		}
	}
	for _, state := range []string{"queued", "starting", "working", "waiting", "idle", "taken", "done", "failed", "stopped"} {
		r := wire.Run{Name: "deps", State: state, About: "Bring the dependencies up to date", Result: "Done."}
		things["run"] = append(things["run"], Run(r))
		if last := things["run"][len(things["run"])-1]; last.Title != r.About {
			t.Errorf("the title of a run is %q, want what it is to do", last.Title)
		}
	}
	for _, noun := range []Noun{Triggers, Modules, Suggestions, Gaps, Tasks, Runs} {
		offered := map[string]bool{}
		for _, thing := range things[noun.Name] {
			if thing.Mark.Sign == "" {
				t.Errorf("%s %q has no sign", noun.Name, thing.State)
			}
			for _, d := range thing.Deeds {
				offered[d.Key] = true
				if noun.Does[d.Key] == nil || d.Label == "" {
					t.Errorf("%s %q: the deed %q, %q cannot be done", noun.Name, thing.State, d.Key, d.Label)
				}
				if d.Look != "" && (d.Command == "" || d.First == "") {
					t.Errorf("%s %q: the look for %q has no words", noun.Name, thing.State, d.Key)
				}
			}
		}
		for key := range noun.Does {
			if !offered[key] && key != "test" { // a form of its own offers to test a trigger
				t.Errorf("%s: no state offers %q", noun.Name, key)
			}
		}
	}
}

// TestSeen: a module is enabled as the person has seen it, and not without.
func TestSeen(t *testing.T) {
	var asked any
	caller := func(_ string, in any) (any, error) {
		asked = in
		return wire.Module{}, errors.New("not now")
	}
	if _, err := Modules.Does["enable"](caller, "mail", Input{}); err == nil || asked != nil {
		t.Errorf("enabled unseen: %v, %v", asked, err)
	}
	_, err := Modules.Does["enable"](caller, "mail", Input{Seen: "1"})
	if want := (wire.ModuleEnableRequest{ID: "mail", Hash: "1"}); asked != want || err == nil {
		t.Errorf("asked %v, want %v; %v", asked, want, err)
	}
}

// TestJoin: spans stand apart, and punctuation follows its span.
func TestJoin(t *testing.T) {
	if got := Join([]string{"at", "07:00", "; why", ", with", "x"}); got != "at 07:00; why, with x" {
		t.Errorf("%q", got)
	}
}
