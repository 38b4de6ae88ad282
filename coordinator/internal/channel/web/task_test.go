package web_test

import (
	"html"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/internal/session"
)

// TestTaskPages: a task is created on the page, is on the board and on a page of its own, and
// the buttons say the verbs of the command line.
func TestTaskPages(t *testing.T) {
	s := served(t)
	contains(t, "an empty board", s.get(t, "/tasks"), "No tasks yet", "Say above what shall be reached",
		"Create the task", "afar task new")
	contains(t, "an empty archive", s.get(t, "/tasks/archived"), "No task is archived")
	form := url.Values{"title": {"Send the invoices"}, "objective": {"All of them are sent."}}
	if got := s.post(t, "/tasks/new", form); got != "Task send-the-invoices is created." {
		t.Errorf("created: %q", got)
	}
	contains(t, "the board", s.get(t, "/tasks"), "In progress", "Send the invoices", "!Proposed", "!No tasks yet")
	const path = "/task/send-the-invoices"
	got := s.post(t, path+"/send", url.Values{"text": {"in English"}})
	if !strings.Contains(got, "task:send-the-invoices gets it") {
		t.Errorf("sent: %q", got)
	}
	if last := s.core.Messages()[0]; last.Text != "in English" || last.Data || last.Channel != "web" {
		t.Errorf("the text is %+v", last)
	}
	contains(t, "the task", s.get(t, path), "All of them are sent.", "in progress", "Start", "Done", "Archive",
		"No files yet", "!Stop")
	for verb, want := range map[string]string{
		"stop": "nothing but you starts it again", "none": "does not know that button", "": "does not know that button",
	} {
		if got := s.post(t, path+"/do", url.Values{"do": {verb}}); !strings.Contains(got, want) {
			t.Errorf("%q: %q, want %q", verb, got, want)
		}
	}
	contains(t, "the stopped task", s.get(t, path), "stopped")
	if got := s.post(t, path+"/do", url.Values{"do": {"archive"}}); got != "Task send-the-invoices: archived." {
		t.Errorf("archived: %q", got)
	}
	contains(t, "the board", s.get(t, "/tasks"), "No tasks yet", "Ask me before each act")
	contains(t, "the archive", s.get(t, "/tasks/archived"), "Send the invoices")
	const asked = "you are asked before each act that reaches others"
	contains(t, "the unmarked task", s.get(t, path), "!"+asked)
	s.post(t, "/tasks/new", url.Values{"title": {"Publish"}, "confirm": {"on"}})
	contains(t, "the confirmed task", s.get(t, "/task/publish"), asked)
	for _, path := range []string{"/task/none", "/task/none/edit"} {
		resp, err := s.browser.Get(s.ch.URL() + path)
		if err != nil {
			t.Fatal(err)
		}
		body(t, resp, http.StatusNotFound)
	}
}

var (
	base     = regexp.MustCompile(`name="base" value="([^"]+)"`)
	textarea = regexp.MustCompile(`(?s)<textarea id="edit-text"[^>]*>\n(.*?)</textarea>`)
)

// TestTaskEdit: the form shows state.md as it is. A save changes only what the person changed;
// against a newer file both texts are kept.
func TestTaskEdit(t *testing.T) {
	s := served(t)
	s.post(t, "/tasks/new", url.Values{"title": {"Wiki"}})
	dir := filepath.Join(s.dir, "workspace", "tasks", "wiki")
	file := func(name string) string {
		raw, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	write := func(text string) {
		if err := os.WriteFile(filepath.Join(dir, "state.md"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const before = "\r\n# Wiki\r\n\r\n## Objective\r\n<b>Move\u200b</b> it &amp; more\r\n## Current State\r\n" +
		"STATUS: WAITING\r\n## Mine\n\tmixed \xff\n"
	write(before)
	doc := s.get(t, "/task/wiki/edit")
	shown := html.UnescapeString(textarea.FindStringSubmatch(doc)[1])
	form := url.Values{"base": {base.FindStringSubmatch(doc)[1]}}
	browser := func(text string) []string {
		return []string{strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\n", "\r\n")}
	}

	form["text"] = browser(shown)
	got := s.post(t, "/task/wiki/edit", form)
	if !strings.HasPrefix(got, "state.md is saved.") || file("state.md") != before {
		t.Errorf("nothing was changed: %q, %q", got, file("state.md"))
	}
	form["text"] = browser(strings.Replace(shown, "WAITING", "IN PROGRESS\nnew line", 1))
	s.post(t, "/task/wiki/edit", form)
	if want := strings.Replace(before, "WAITING", "IN PROGRESS\r\nnew line", 1); file("state.md") != want {
		t.Errorf("have %q\nwant %q", file("state.md"), want)
	}
	write("# Wiki\n\nchanged by the agent\n")
	for range 2 {
		got := s.post(t, "/task/wiki/edit", form)
		if !strings.Contains(got, "has changed while you wrote") || !strings.Contains(got, "state-yours.md") {
			t.Errorf("a save over a newer file: %q", got)
		}
	}
	if file("state.md") != "# Wiki\n\nchanged by the agent\n" || !strings.Contains(file("state-yours.md"), "new line") {
		t.Errorf("state.md %q, beside it %q", file("state.md"), file("state-yours.md"))
	}
	contains(t, "the task", s.get(t, "/task/wiki"), "state-yours.md", "your text, kept beside state.md",
		"changed by the agent")
	if _, err := os.Stat(filepath.Join(dir, "state-yours-2.md")); err == nil {
		t.Error("the same text is kept twice")
	}
	write(strings.Repeat("long ", 20_000))
	contains(t, "a long file", s.get(t, "/task/wiki/edit"), "cannot be edited here", "!Save")
}

// TestTaskFile: a file of a task is opened from its page. Nothing that it holds is carried out in
// the name of the page, and no other file can be reached.
func TestTaskFile(t *testing.T) {
	s := served(t)
	s.post(t, "/tasks/new", url.Values{"title": {"Wiki"}})
	dir := filepath.Join(s.dir, "workspace", "tasks", "wiki", "artifacts")
	for name, data := range map[string]string{
		"a b#1?.txt": "made", "x.html": "<script>alert(1)</script>", "x.svg": "<svg onload='alert(1)'/>",
		"x.png": "<script>",
		"x.pdf": "%PDF-\x00", "\"ü\n.bin": "\xff",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(s.dir, "workspace"), filepath.Join(dir, "up")); err != nil {
		t.Fatal(err)
	}
	const at = "/task/wiki/file/artifacts/"
	shown := s.get(t, "/task/wiki")
	for _, c := range []struct{ path, kind, how string }{
		{"a%20b%231%3F.txt", "text/plain; charset=utf-8", `inline; filename="a b#1?.txt"`},
		{"x.html", "text/plain; charset=utf-8", "inline; filename=x.html"},
		{"x.svg", "text/plain; charset=utf-8", "inline; filename=x.svg"},
		{"x.png", "image/png", "inline; filename=x.png"},
		{"x.pdf", "application/octet-stream", "attachment; filename=x.pdf"},
		{"%22%C3%BC%0A.bin", "application/octet-stream", "attachment; filename*=utf-8''%22%C3%BC%0A.bin"},
	} {
		r, err := s.browser.Get(s.ch.URL() + at + c.path)
		if err != nil {
			t.Fatal(err)
		}
		r.Body.Close()
		h := r.Header
		if !strings.Contains(shown, `href="`+at+c.path+`"`) {
			t.Errorf("the page has no link to %s", c.path)
		}
		if r.StatusCode != http.StatusOK || h.Get("Content-Type") != c.kind || h.Get("Content-Disposition") != c.how {
			t.Errorf("%s: %s, %q, %q", c.path, r.Status, h.Get("Content-Type"), h.Get("Content-Disposition"))
		}
		policy := h.Get("Content-Security-Policy")
		if !strings.HasSuffix(policy, "; sandbox") || strings.Contains(policy, "script-src") ||
			h.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %q", c.path, h)
		}
	}
	for _, path := range []string{
		at + "none", at + "up/identity.md", at + "..%2fstate.md", at + "%2e%2e/%2e%2e/%2e%2e/identity.md",
		"/task/wiki/file/CLAUDE.md", "/task/wiki/file/", "/task/wiki/file//etc/passwd",
		"/task/..%2f..%2fx/file/artifacts/x",
	} {
		if r, err := s.browser.Get(s.ch.URL() + path); err != nil || r.StatusCode < 400 {
			t.Errorf("%s: %v, %v", path, r.Status, err)
		}
	}
	if r, err := http.Get(s.ch.URL() + at + "x.png"); err != nil || r.StatusCode == http.StatusOK {
		t.Errorf("without a sign-in: %v, %v", r.Status, err)
	}
}

// TestCheckpoint: the checkpoint of a task is answered on its page.
func TestCheckpoint(t *testing.T) {
	s := served(t)
	s.post(t, "/tasks/new", url.Values{"title": {"Wiki"}, "start": {"on"}})
	works := s.core.Runs()[0]
	_, err := s.core.HearTurn(works.ID, 1, 1, []run.Event{{Kind: run.Init}, {Kind: run.Result}})
	if err == nil {
		err = s.core.EndTurn(works.ID, 1, run.End{Result: true})
	}
	if err != nil {
		t.Fatal(err)
	}
	q := ask.Question{
		Text: "Send which?", Options: []ask.Option{{Label: "Send both", Description: "by mail"}, {Label: "Wait"}},
	}
	a, err := ask.NewCheckpoint("wiki", session.ID(works.Conversation), works.Dir, "file", "I wrote two letters.", q)
	if err == nil {
		err = s.core.ShowCheckpoint("wiki", a)
	}
	if err != nil {
		t.Fatal(err)
	}
	contains(t, "the board", s.get(t, "/tasks"), "Send which?")
	doc := s.get(t, "/task/wiki")
	contains(t, "the task", doc, "waits for your answer", "I wrote two letters.", "Send which?", "Send both by mail",
		"Your own words")
	form := url.Values{"do": {"submit"}, "option": {"1"}, "nonce": {nonce.FindStringSubmatch(doc)[1]}}
	if got := s.post(t, "/ask/"+action.FindStringSubmatch(doc)[1], form); got != "Answered." {
		t.Errorf("answered: %q", got)
	}
	contains(t, "the task", s.get(t, "/task/wiki"), "!Send which?")
}

// TestTaskStream: a hand edit is on the open page within 2 seconds.
func TestTaskStream(t *testing.T) {
	s := served(t)
	s.post(t, "/tasks/new", url.Values{"title": {"Wiki"}})
	events, end := s.streamOf(t, "/task/wiki", "")
	defer end()
	awaitEvent(t, events, "STATUS: IN PROGRESS")
	path := filepath.Join(s.dir, "workspace", "tasks", "wiki", "state.md")
	raw, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, append(raw, "\n## Mine\nby hand\n"...), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	awaitEvent(t, events, "by hand")
}

// TestClosedTask: a page that does not count has no buttons for a task, and its forms are refused.
func TestClosedTask(t *testing.T) {
	s := newSubject(t)
	s.answersFrom = []string{"telegram"}
	s.serve(t)
	contains(t, "the board", s.get(t, "/tasks"), "Nothing can be decided here", "!Create the task")
	if got := s.post(t, "/tasks/new", url.Values{"title": {"x"}}); !strings.Contains(got, "do not count") {
		t.Errorf("created: %q", got)
	}
	if resp, err := s.browser.Get(s.ch.URL() + "/task/x"); err != nil || resp.StatusCode != http.StatusNotFound {
		t.Errorf("the task: %v %v", resp, err)
	}
}
