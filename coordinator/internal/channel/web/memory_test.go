package web_test

import (
	"html"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// memoryFile returns the path of a file of memory.
func (s *subject) memoryFile(name string) string {
	return filepath.Join(s.dir, "workspace", "memory", name)
}

func (s *subject) readFile(t *testing.T, path string) string {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func (s *subject) writeFile(t *testing.T, path, text string) {
	t.Helper()
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	if err == nil {
		err = os.WriteFile(path, []byte(text), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestMemoryPages: a fact is added on the page, is listed and found, has a page of its own, and is
// forgotten for good.
func TestMemoryPages(t *testing.T) {
	s := served(t)
	contains(t, "an empty memory", s.get(t, "/memory"), "No facts yet", "Add the fact", "/remember")
	contains(t, "an empty archive", s.get(t, "/memory/archive"), "Nothing is in the archive", "!Add the fact")
	contains(t, "an empty journal", s.get(t, "/journal"), "No entries yet")
	form := url.Values{"title": {"Deploys go through staging"}, "text": {"Ann decided it <b>after</b> the outage."}}
	for _, want := range []string{"Added.", "Known already."} {
		if got := s.post(t, "/memory/add", form); got != want {
			t.Errorf("added: %q, want %q", got, want)
		}
	}
	if got := s.post(t, "/memory/add", url.Values{"title": {" "}}); got != "A fact needs a title" {
		t.Errorf("added without a title: %q", got)
	}
	file := s.readFile(t, s.memoryFile("deploys-go-through-staging.md"))
	if !strings.Contains(file, "at the page\n") {
		t.Errorf("the fact does not name its source: %q", file)
	}
	s.post(t, "/memory/add", url.Values{"title": {"Deploys go through staging"}, "text": {"Only on weekdays."}})
	contains(t, "the list", s.get(t, "/memory"), "Deploys go through staging", "Only on weekdays.", "since 20",
		"changed", "!No facts yet")
	contains(t, "a search", s.get(t, "/memory?find=which+weekday+is+for+deploying"), "Only on weekdays.",
		"Show all facts")
	contains(t, "a vain search", s.get(t, "/memory?find=zebra"), "Nothing found")
	const path = "/fact/deploys-go-through-staging"
	contains(t, "the fact", s.get(t, path), "Only on weekdays.", "What it said before", "<b>after</b>", "Edit",
		"Delete for good")

	s.writeFile(t, s.memoryFile("broken.md"), "# Broken\n\n- colour: red\n- type: x\n")
	contains(t, "the list", s.get(t, "/memory"), "broken.md", "line 3: unknown field")
	contains(t, "the broken file", s.get(t, "/fact/broken"), "cannot be read as a fact", "- colour: red")
	s.writeFile(t, s.memoryFile("archive/old-way.md"), "# The old way\n\nIt was by hand.\n")
	contains(t, "the archive", s.get(t, "/memory/archive"), "The old way", "!Deploys go")
	contains(t, "an archived fact", s.get(t, "/fact/old-way"), "An agent has put this fact away", "!Edit")

	for _, name := range []string{"deploys-go-through-staging", "broken", "old-way"} {
		if got := s.post(t, "/fact/"+name+"/forget", url.Values{}); got != name+" is deleted." {
			t.Errorf("forgotten: %q", got)
		}
	}
	contains(t, "the list", s.get(t, "/memory"), "No facts yet")
	contains(t, "the archive", s.get(t, "/memory/archive"), "Nothing is in the archive")
	for path, want := range map[string]int{
		path: http.StatusNotFound, path + "/edit": http.StatusNotFound,
		"/fact/..%2f..%2fconfig": http.StatusInternalServerError,
		"/memory?from=x":         http.StatusInternalServerError,
		"/journal?until=monday":  http.StatusInternalServerError,
	} {
		resp, err := s.browser.Get(s.ch.URL() + path)
		if err != nil {
			t.Fatal(err)
		}
		body(t, resp, want)
	}
}

// TestFactEdit: the form shows the file as it is. A save changes only what the person changed;
// against a newer file both texts are kept, and the list marks that they contradict each other.
func TestFactEdit(t *testing.T) {
	s := served(t)
	path := s.memoryFile("printer.md")
	const before = "# The printer\r\n\r\n- type: device\r\n\r\nIt jams\u200b on <b>thick</b> paper.\r\n\tmixed \n"
	s.writeFile(t, path, before)
	doc := s.get(t, "/fact/printer/edit")
	shown := html.UnescapeString(textarea.FindStringSubmatch(doc)[1])
	form := url.Values{"base": {base.FindStringSubmatch(doc)[1]}, "text": {strings.ReplaceAll(shown, "\n", "\r\n")}}
	if got := s.post(t, "/fact/printer/edit", form); got != "printer.md is saved." || s.readFile(t, path) != before {
		t.Errorf("nothing was changed: %q, %q", got, s.readFile(t, path))
	}
	form.Set("text", strings.ReplaceAll(strings.Replace(shown, "- type: device", "- type: office", 1), "\n", "\r\n"))
	s.post(t, "/fact/printer/edit", form)
	if want := strings.Replace(before, "device", "office", 1); s.readFile(t, path) != want {
		t.Errorf("have %q\nwant %q", s.readFile(t, path), want)
	}
	s.writeFile(t, path, "# The printer\n\nIt is new.\n")
	for range 2 {
		got := s.post(t, "/fact/printer/edit", form)
		if !strings.Contains(got, "has changed while you wrote") || !strings.Contains(got, "in printer-yours.md") {
			t.Errorf("a save over a newer file: %q", got)
		}
	}
	mine := s.readFile(t, s.memoryFile("printer-yours.md"))
	if s.readFile(t, path) != "# The printer\n\nIt is new.\n" || !strings.Contains(mine, "- type: office") {
		t.Errorf("the file %q, beside it %q", s.readFile(t, path), mine)
	}
	if _, err := os.Stat(s.memoryFile("printer-yours-2.md")); err == nil {
		t.Error("the same text is kept twice")
	}
	contains(t, "the list", s.get(t, "/memory"), "contradicted by")

	doc = s.get(t, "/fact/printer/edit")
	form = url.Values{"base": {base.FindStringSubmatch(doc)[1]}, "text": {"# The printer\r\n\r\n- from: yesterday\r\n"}}
	got := s.post(t, "/fact/printer/edit", form)
	if !strings.Contains(got, "is saved. It cannot be read as a fact: line 3") {
		t.Errorf("a text that cannot be read as a fact: %q", got)
	}
	s.writeFile(t, path, "# Long\n\n"+strings.Repeat("long ", 20_000))
	contains(t, "a long file", s.get(t, "/fact/printer/edit"), "cannot be edited here", "!Save")
}

// TestJournalPages: the newest days come first, and lead to earlier ones.
func TestJournalPages(t *testing.T) {
	s := served(t)
	day := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range 10 {
		date := day.AddDate(0, 0, 2*i).Format(time.DateOnly)
		s.writeFile(t, s.memoryFile("journal/"+date+".md"),
			"# "+date+"\n\n## 09:05 Began\n\n## 16:40 Finished "+date+"\n\nAll.\n\nSource: run:x\n")
	}
	doc := s.get(t, "/journal")
	contains(t, "the newest days", doc, "Finished 2026-01-19", "Finished 2026-01-07", "!2026-01-05", "Earlier", "run:x",
		"!Show the newest")
	if strings.Index(doc, "2026-01-19") > strings.Index(doc, "2026-01-17") ||
		strings.Index(doc, "Finished") > strings.Index(doc, "Began") {
		t.Error("the newest does not come first")
	}
	if !strings.Contains(doc, `href="/journal?until=2026-01-05"`) {
		t.Error("nothing leads to the earlier days")
	}
	contains(t, "earlier days", s.get(t, "/journal?until=2026-01-05"), "Finished 2026-01-05", "Finished 2026-01-01",
		"Show the newest", "!Finished 2026-01-07", "!Earlier")
}

// TestMemoryStream: a fact that is edited by hand is on the open page within 2 seconds.
func TestMemoryStream(t *testing.T) {
	s := served(t)
	s.writeFile(t, s.memoryFile("printer.md"), "# The printer\n\nIt jams.\n")
	events, end := s.streamOf(t, "/memory", "")
	defer end()
	awaitEvent(t, events, "It jams.")
	s.writeFile(t, s.memoryFile("printer.md"), "# The printer\n\nIt works again.\n")
	awaitEvent(t, events, "It works again.")
}

// TestClosedMemory: a page that does not count has no buttons for memory, and its forms are refused.
func TestClosedMemory(t *testing.T) {
	s := newSubject(t)
	s.answersFrom = []string{"telegram"}
	s.serve(t)
	s.writeFile(t, s.memoryFile("printer.md"), "# The printer\n\nIt jams.\n")
	contains(t, "the list", s.get(t, "/memory"), "The printer", "Nothing can be changed here", "!Add the fact")
	contains(t, "the fact", s.get(t, "/fact/printer"), "It jams.", "!Delete for good", "!Edit")
	contains(t, "the form", s.get(t, "/fact/printer/edit"), "Nothing can be changed here", "!Save")
	for path, form := range map[string]url.Values{
		"/memory/add": {"title": {"x"}}, "/fact/printer/forget": {}, "/fact/printer/edit": {"text": {"# Other"}},
	} {
		if got := s.post(t, path, form); !strings.Contains(got, "do not count") {
			t.Errorf("%s: %q", path, got)
		}
	}
	if got := s.readFile(t, s.memoryFile("printer.md")); got != "# The printer\n\nIt jams.\n" {
		t.Errorf("the file is %q", got)
	}
}
