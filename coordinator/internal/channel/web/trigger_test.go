package web_test

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTriggerPages: a rule that somebody wrote is proposed, and the page approves it, tries it,
// lets it fire and switches it off.
func TestTriggerPages(t *testing.T) {
	s := served(t)
	contains(t, "an empty list", s.get(t, "/triggers"), "No triggers.", "afar trigger new", "!Ledger")
	dir := filepath.Join(s.dir, "workspace", "triggers")
	ran := filepath.Join(s.dir, "ran")
	rule := "# Look\n\n- on: manual\n- to: person\n- filter: touch " + ran + "\n\nSomething came: {{payload.title}}\n"
	err := os.MkdirAll(dir, 0o700)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "look.md"), []byte(rule), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	contains(t, "the list", s.get(t, "/triggers"), "Look", "proposed: nobody has approved it",
		"Read, then approve", "!>Off<")
	contains(t, "the proposed rule", s.get(t, "/trigger/look"), "Something came: {{payload.title}}",
		"Approve and switch on", "!Try it")
	got := s.post(t, "/trigger/look/do", url.Values{"do": {"test"}})
	if !strings.Contains(got, "its filter was not run") {
		t.Errorf("the test of a proposed rule: %q", got)
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("the filter of a rule without approval was run")
	}
	for _, c := range []struct{ do, payload, want string }{
		{"on", "", "Trigger look is on."}, {"test", `{"title": "a storm"}`, "It would send to person: "},
		{"fire", "", "Trigger look fires."},
		{"off", "", "Trigger look is off."}, {"test", "{}", "It would send nothing: the trigger is off"},
		{"none", "", "does not know that button"},
	} {
		form := url.Values{"do": {c.do}, "text": {c.payload}}
		if got := s.post(t, "/trigger/look/do", form); !strings.HasPrefix(got, c.want) &&
			!strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.do, got, c.want)
		}
	}
	if _, err := os.Stat(ran); err != nil {
		t.Errorf("the filter of the approved rule was not run: %v", err)
	}
	contains(t, "the rule", s.get(t, "/trigger/look"), "off", "On", "Try it", "Ledger", "due", "!Approve")
}

// TestClosedTrigger: a page that does not count changes no trigger.
func TestClosedTrigger(t *testing.T) {
	s := newSubject(t)
	s.answersFrom = []string{"telegram"}
	s.serve(t)
	for _, do := range []string{"on", "off", "fire", "test"} {
		if got := s.post(t, "/trigger/look/do", url.Values{"do": {do}}); !strings.Contains(got, "do not count") {
			t.Errorf("%s: %q", do, got)
		}
	}
}
