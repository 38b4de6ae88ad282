package view

import (
	"errors"
	"slices"
	"strings"
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

// TestMorning: the morning message has ten lines at most, what waits first, and is not sent for nothing.
func TestMorning(t *testing.T) {
	waiting := wire.ReportedAsk{Ask: wire.Ask{State: "open", Token: "api-1a2b", Request: "npm publish\n--access public"}}
	answered := wire.ReportedAsk{Ask: wire.Ask{State: "answered", By: "Ann", Allow: true, Request: "npm test"}}
	failed := wire.Run{Name: "night", State: "failed", About: "Back up", Why: "it fails to start"}
	idle := wire.Run{Name: "deps", State: "idle", About: "Update the dependencies", Result: strings.Repeat("long ", 99)}
	stuck := wire.Loop{ID: "shop-1a2b", Verdict: "stuck", Stack: []wire.Frame{{Goal: "Make it green"}}}
	proven := wire.Loop{ID: "docs-1a2b", Verdict: "done", Evidence: "proven", Stack: []wire.Frame{{Goal: "Mend the links"}}}
	landed := wire.Entry{Kind: "issue.landed", Subject: "12", Text: "issue 12 landed"}
	spent := []wire.Spent{{USD: 1.25}, {USD: 2}}
	for _, c := range []struct {
		name string
		in   wire.ReportReply
		want string
	}{
		{"nothing", wire.ReportReply{Spent: spent, Asks: []wire.ReportedAsk{answered}, Counts: map[string]int{"session.started": 3}}, ""},
		{
			"each", wire.ReportReply{
				Asks: []wire.ReportedAsk{answered, waiting}, Runs: []wire.Run{idle, failed, {Name: "x", State: "stopped"}},
				Ended: []wire.Loop{stuck, proven, {Verdict: "cancelled"}}, Issues: []wire.Entry{landed}, Spent: spent,
			},
			"1 to answer · 2 failed · 3 done · $3.25 at list prices\n" +
				"❓ api-1a2b: npm publish --access public\n" +
				"⚠️ night: Back up · it fails to start\n" +
				"⚠️ shop-1a2b: Make it green · stuck\n" +
				"✅ deps: Update the dependencies · long long long long long long long long long long long long long lo…\n" +
				"✅ docs-1a2b: Mend the links · done (proven)\n" +
				"✅ 12: issue 12 landed",
		},
	} {
		if got := Morning(c.in); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
	many := wire.ReportReply{Runs: slices.Repeat([]wire.Run{failed}, 30)}
	if lines := strings.Split(Morning(many), "\n"); len(lines) != mostMorning || lines[9] != "… 22 more: afar report" {
		t.Errorf("%d lines: %q", len(lines), lines)
	}
}

func TestLoopState(t *testing.T) {
	for _, tt := range []struct {
		loop wire.Loop
		want string
	}{
		{wire.Loop{Active: true, Verdict: "done"}, "active"},
		{wire.Loop{Verdict: "done", Proven: true, Evidence: "proven"}, "done (proven)"},
		{wire.Loop{Verdict: "done", Evidence: "claimed"}, "done (claimed)"},
		{wire.Loop{Verdict: "stuck", Evidence: "nothing landed"}, "stuck (nothing landed)"},
		{wire.Loop{Verdict: "stuck"}, "stuck"},
		{wire.Loop{}, "ended"},
	} {
		if got := Loop(tt.loop).State; got != tt.want {
			t.Errorf("%+v: %q, want %q", tt.loop, got, tt.want)
		}
	}
}
