package web_test

import (
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/afar-sh/afar/coordinator/internal/task"
	"github.com/afar-sh/afar/coordinator/internal/taskwork"
	"github.com/afar-sh/afar/coordinator/wire"
)

// suggests writes a suggestion.
func (s *subject) suggests(t testing.TB, title string) {
	t.Helper()
	all := taskwork.NewSuggestions(filepath.Join(s.dir, "workspace", "suggestions"))
	if _, _, err := all.Add(task.Suggestion{
		Title: title, Source: "session shop-1a2b", Summary: "It is **late**.", Context: "From: Anna",
	}); err != nil {
		t.Fatal(err)
	}
}

// TestSuggestionPage: a suggestion is accepted or dismissed on the page.
func TestSuggestionPage(t *testing.T) {
	s := served(t)
	contains(t, "an empty page", s.get(t, "/suggestions"), "No suggestions.", "afar send triage")
	for _, title := range []string{"Write an offer", "Rotate the keys"} {
		s.suggests(t, title)
	}
	contains(t, "the page", s.get(t, "/suggestions"), "Write an offer", "Rotate the keys", "It is late.",
		"session shop-1a2b", "Accept", "Dismiss")
	contains(t, "the board", s.get(t, "/tasks"), "Suggestions 2", "No tasks yet")
	form := url.Values{"do": {"accept"}, "text": {"in English"}}
	got := s.post(t, "/suggestion/write-an-offer/do", form)
	if got != "Task write-an-offer is created. Run write-an-offer works on it." {
		t.Errorf("accepted: %q", got)
	}
	contains(t, "the task", s.get(t, "/task/write-an-offer"), "in English", "Stop")
	if got := s.post(t, "/suggestion/rotate-keys/do", url.Values{"do": {"dismiss"}}); !strings.Contains(got, "not found") {
		t.Errorf("an unknown one: %q", got)
	}
	got = s.post(t, "/suggestion/rotate-the-keys/do", url.Values{"do": {"dismiss"}})
	if got != "Suggestion rotate-the-keys is dismissed. It does not come back." {
		t.Errorf("dismissed: %q", got)
	}
	got = s.post(t, "/suggestion/rotate-the-keys/do", url.Values{"do": {"accept"}})
	if !strings.Contains(got, "Too late") {
		t.Errorf("accepted late: %q", got)
	}
	contains(t, "the page", s.get(t, "/suggestions"), "No suggestions.")
}

// TestSuggestionTwice: a suggestion that is accepted on the page and on the phone at once makes one
// task with one run.
func TestSuggestionTwice(t *testing.T) {
	s := served(t)
	const rounds = 8
	for i := range rounds {
		s.suggests(t, fmt.Sprintf("Offer %d", i))
		name, both := fmt.Sprintf("offer-%d", i), sync.WaitGroup{}
		both.Go(func() { s.post(t, "/suggestion/"+name+"/do", url.Values{"do": {"accept"}}) })
		both.Go(func() {
			in := wire.SuggestionAcceptRequest{ID: name}
			_, err := s.server.Phone(t.Context(), "Ann", string(wire.OpSuggestionAccept), in)
			if err != nil && !strings.Contains(err.Error(), "settled") {
				t.Error(err)
			}
		})
		both.Wait()
	}
	if tasks, runs := len(s.core.Tasks()), len(s.core.Runs()); tasks != rounds || runs != rounds {
		t.Errorf("%d tasks and %d runs, want %d", tasks, runs, rounds)
	}
}

// TestGapPage: a gap is resolved, ignored and opened again on the page, unless the file has
// another one in its place by then.
func TestGapPage(t *testing.T) {
	s := served(t)
	contains(t, "an empty page", s.get(t, "/gaps"), "No gaps.")
	file := taskwork.NewNotebook(filepath.Join(s.dir, "workspace", "gaps.md"))
	if err := file.Edit(func(text string) string {
		text, _, _ = task.AddGap(text, task.Gap{
			Date: "2026-11-23", Title: "No printer", Problem: "Letters must be printed.",
		})
		return text
	}); err != nil {
		t.Fatal(err)
	}
	contains(t, "the page", s.get(t, "/gaps"), "No printer", "Letters must be printed.", "Resolve", "Ignore")
	for _, c := range []struct{ do, title, want string }{
		{"resolved", "Another", "gap 1 is another one now"}, {"resolved", "No printer", "Gap 1 is resolved."},
		{"open", "No printer", "Gap 1 is open."}, {"none", "No printer", "does not know that button"},
	} {
		got := s.post(t, "/gap/1/do", url.Values{"do": {c.do}, "seen": {c.title}})
		if !strings.Contains(strings.ToLower(got), strings.ToLower(c.want)) {
			t.Errorf("%s: %q, want %q", c.do, got, c.want)
		}
	}
}
