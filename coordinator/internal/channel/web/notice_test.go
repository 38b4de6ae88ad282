package web_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/standin/browser"
)

// TestNotices: a browser notifies of questions, ends and failures, of each once, of no step,
// and of nothing that happened before it came.
func TestNotices(t *testing.T) {
	tab := browser.Start(t).Tab(t)
	s := served(t)
	code, _, err := s.core.NewLink()
	if err != nil {
		t.Fatal(err)
	}
	tab.Notices()
	s.asks(t, "ask_0", "make before")
	tab.Open(s.ch.URL() + "/signin/" + code)
	tab.Wait(`document.querySelector("#link").innerText === "live"`)
	tab.Wait(`navigator.locks.query().then((all) => all.held.length === 1)`) // it is the tab that notifies
	var want []string
	for _, entry := range []struct {
		kind   event.Kind
		text   string
		notice bool
	}{
		{event.AskRan, "make before ran", false},
		{event.LoopStepped, "step 3 of 10", false},
		{event.LoopEnded, "the loop is done", false}, // its notice says so
		{event.Told, "Loop done", true},
		{event.GuardDenied, "rm -rf / was denied", false},
		{event.GuardOverridden, "a denied call ran", false},
		{event.SessionUnprotected, "no hooks run", false},
		{event.IssuePaused, "issue 7 is paused", false},
	} {
		if err := s.core.Note(entry.kind, "s1", "x", entry.text); err != nil {
			t.Fatal(err)
		}
		if entry.notice {
			want = append(want, entry.text)
			tab.Wait(`window.noticed.some((n) => n.endsWith("` + entry.text + `"))`)
		}
	}
	s.asks(t, "ask_1", "make after")
	tab.Wait(`window.noticed.some((n) => n.includes("make after"))`)
	want = append(want, "make after")
	all := tab.Noticed()
	if !slices.EqualFunc(all, want, strings.HasSuffix) {
		t.Errorf("it notifies of %q, want %q", all, want)
	}
	tab.Open(s.ch.URL() + "/questions") // another document of the same browser notifies of nothing again
	tab.Wait(`document.querySelector("#link").innerText === "live"`)
	if again := tab.Noticed(); len(again) > 0 {
		t.Errorf("it notifies again: %q", again)
	}
}
