package web_test

import (
	"net/http"
	"net/url"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/message"
	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/internal/task"
)

// runs starts a run whose agent has begun its first turn.
func (s *subject) runs(t testing.TB, name string, events ...run.Event) run.Run {
	t.Helper()
	id := run.ID("run_" + name)
	_, err := s.core.StartRun(run.Run{
		ID: id, Name: name, Agent: "claude", Mode: "auto", Dir: "/home/ann/shop", Conversation: "s-" + name, By: "Ann",
	}, message.Message{Key: name, Text: "count them", By: "Ann", Channel: "terminal"})
	for begun := time.Now().UnixMilli(); time.Now().UnixMilli() <= begun; {
		runtime.Gosched() // a text of the same millisecond as the events belongs to each stretch of them
	}
	if err == nil {
		_, err = s.core.HearTurn(id, 1, 1, append([]run.Event{{Kind: run.Init}}, events...))
	}
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.core.RunByID(id)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// post sends a form, and returns what the page says then.
func (s *subject) post(t testing.TB, path string, form url.Values) string {
	t.Helper()
	form.Set("back", "/runs")
	resp, err := s.browser.PostForm(s.ch.URL()+path, form)
	if err != nil {
		t.Fatal(err)
	}
	found := said.FindStringSubmatch(body(t, resp, http.StatusOK))
	if found == nil {
		return ""
	}
	return strings.TrimSpace(plain(found[1]))
}

// contains checks that a page shows some texts and not others, which begin with "!".
func contains(t testing.TB, what, doc string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if rest, not := strings.CutPrefix(text, "!"); strings.Contains(plain(doc), rest) == not {
			t.Errorf("%s: %q is there: %t", what, rest, not)
		}
	}
}

// TestRunPages: a run is on the list, on the first page while it works, and on a page of its
// own with what it did, what it was told, and the whole of a long output.
func TestRunPages(t *testing.T) {
	s := served(t)
	contains(t, "an empty list", s.get(t, "/runs"), "No runs.")
	long := strings.Repeat("a line of output\n", 400)
	s.runs(t, "fix",
		run.Event{Kind: run.ToolStart, Tool: "Bash", Call: "c", Text: `{"command":"npm test"}`},
		run.Event{Kind: run.ToolResult, Call: "c", Text: long},
		run.Event{Kind: run.Text, Text: "It was the **clock**."},
		run.Event{Kind: run.ToolStart, Tool: "Read", Call: "d", Text: `{"file_path":"clock.go"}`},
		run.Event{Kind: "result", Text: "It was the **clock**.", Total: run.Cost{USD: 1.5}})
	for _, path := range []string{"/", "/runs"} {
		contains(t, path, s.get(t, path), "fix", "working")
	}
	contains(t, "the run", s.get(t, "/run/fix"), "npm test", "Output, 400 lines", "All of the output",
		"It was the clock.", "count them", "turn 1 begins", "turn 1 is over", "Stop", "!Remove this run", "$1.50")
	contains(t, "the output", s.get(t, "/run/fix/event/3"), long, "Back to fix")
	for path, want := range map[string]int{
		"/run/none": 404, "/run/fix/event/99": 404, "/run/fix/event/0": 404, "/run/fix/event/x": 404,
		"/run/fix?before=x": 500,
	} {
		resp, err := s.browser.Get(s.ch.URL() + path)
		if err != nil {
			t.Fatal(err)
		}
		body(t, resp, want)
	}
}

// TestRunEarlier: the events of a long run are shown a stretch at a time, none twice.
func TestRunEarlier(t *testing.T) {
	s := served(t)
	var events []run.Event
	for range 299 {
		events = append(events, run.Event{Kind: run.Text, Text: "said"})
	}
	s.runs(t, "fix", events...)
	shown := 0
	for path := "/run/fix"; path != ""; {
		doc := s.get(t, path)
		shown += strings.Count(doc, `class=" d-`)
		contains(t, path, doc,
			map[bool]string{true: "count them", false: "!count them"}[!strings.Contains(doc, ">Earlier<")])
		path = ""
		if _, rest, ok := strings.Cut(doc, `<p class="rest"><a href="/run/fix?before=`); ok {
			n, _, _ := strings.Cut(rest, `"`)
			path = "/run/fix?before=" + n
		}
	}
	if shown != 300 { // the first text has another colour
		t.Errorf("%d events were shown, want 300", shown)
	}
}

// TestRunForms: a text, a stop and a removal from the page.
func TestRunForms(t *testing.T) {
	s := served(t)
	s.runs(t, "fix")
	got := s.post(t, "/run/fix/send", url.Values{"text": {"and the tests"}})
	if !strings.Contains(got, "run:fix gets it") {
		t.Errorf("sent: %q", got)
	}
	last := s.core.Messages()[1]
	if last.Text != "and the tests" || last.Data || last.Channel != "web" {
		t.Errorf("the text is %+v", last)
	}
	contains(t, "the run", s.get(t, "/run/fix"), "and the tests", "waits for its next turn")
	if got := s.post(t, "/run/fix/remove", url.Values{}); !strings.Contains(got, "Remove a run that is working") {
		t.Errorf("removed while it works: %q", got)
	}
	s.post(t, "/run/fix/stop", url.Values{})
	if r, _ := s.core.RunByID("run_fix"); r.Turn.Stop == "" {
		t.Errorf("after the stop: %+v", r)
	}
	if err := s.core.EndTurn("run_fix", 1, run.End{Exit: -1}); err != nil {
		t.Fatal(err)
	}
	contains(t, "the run", s.get(t, "/run/fix"), "stopped", "Remove this run")
	if got := s.post(t, "/run/fix/remove", url.Values{}); !strings.Contains(got, "fix is removed. claude keeps") {
		t.Errorf("removed: %q", got)
	}
	contains(t, "the list", s.get(t, "/runs"), "No runs.")
}

// TestStartRunForm: the form on the list starts a run as its fields say, once.
func TestStartRunForm(t *testing.T) {
	s := served(t)
	s.runs(t, "old")
	doc := s.get(t, "/runs")
	contains(t, "the form", doc, "New run", "Directory", "codex", "usual: auto")
	_, rest, _ := strings.Cut(doc, `name="key" value="`)
	key, _, _ := strings.Cut(rest, `"`)
	if !strings.Contains(doc, `value="/home/ann/shop"`) || key == "" {
		t.Errorf("the form proposes no directory, or has no key (%q)", key)
	}
	form := func(changes ...string) url.Values {
		v := url.Values{"prompt": {"count them"}, "dir": {"~"}, "agent": {"claude"}, "budget": {"2.5"}, "for": {"2h"},
			"key": {key}}
		for i := 0; i < len(changes); i += 2 {
			v.Set(changes[i], changes[i+1])
		}
		return v
	}
	for range 2 { // a button that is pressed twice
		if got := s.post(t, "/runs/start", form()); !strings.HasSuffix(got, "is started.") {
			t.Errorf("started: %q", got)
		}
	}
	if n := len(s.core.Runs()); n != 2 {
		t.Fatalf("%d runs, want the old one and one more", n)
	}
	r := s.core.Runs()[1]
	if r.Dir != s.dir || r.BudgetUSD != 2.5 || r.Until.IsZero() || r.Mode != run.Auto || r.Worktree {
		t.Errorf("started %+v", r)
	}
	if first := s.core.Messages()[1]; first.Text != "count them" || first.Data || first.Channel != "web" {
		t.Errorf("its first message is %+v", first)
	}
	if doc := s.get(t, "/runs"); strings.Contains(doc, key) {
		t.Error("the form has the same key after a start")
	}
	for field, bad := range map[string]string{
		"prompt": " ", "dir": "/none", "agent": "nobody", "budget": "much", "for": "soon", "mode": "bypassPermissions",
		"name": "No Name",
	} {
		got := s.post(t, "/runs/start", form(field, bad))
		if strings.Contains(got, "is started") || len(s.core.Runs()) != 2 {
			t.Errorf("%s %q: %q, %d runs", field, bad, got, len(s.core.Runs()))
		}
	}
}

// TestRunStream: each event of an agent is on the open page of its run.
func TestRunStream(t *testing.T) {
	s := served(t)
	s.runs(t, "fix")
	events, end := s.streamOf(t, "/run/fix", "")
	defer end()
	awaitEvent(t, events, "turn 1 begins")
	_, err := s.core.HearTurn("run_fix", 1, 2, []run.Event{{Kind: run.Text, Text: "half of them"}})
	if err != nil {
		t.Fatal(err)
	}
	if e := awaitEvent(t, events, "half of them"); !strings.Contains(e.data, `hx-target="#log"`) {
		t.Errorf("the change is %s", e.data)
	}
}

// TestClosedRun: a page that does not count has no buttons for a run, and its forms are refused.
func TestClosedRun(t *testing.T) {
	s := newSubject(t)
	s.answersFrom = []string{"telegram"}
	s.serve(t)
	s.runs(t, "fix")
	contains(t, "the run", s.get(t, "/run/fix"), "Nothing can be decided here", "!Send it a text", "!Stop")
	contains(t, "the list", s.get(t, "/runs"), "No run can be started here", "!New run")
	s.post(t, "/runs/start", url.Values{"prompt": {"count"}, "dir": {"~"}})
	if n := len(s.core.Runs()); n != 1 {
		t.Errorf("%d runs after a start that does not count", n)
	}
	s.post(t, "/run/fix/stop", url.Values{})
	s.post(t, "/run/fix/remove", url.Values{})
	if r, _ := s.core.RunByID("run_fix"); r.Turn.Stop != "" {
		t.Errorf("it was stopped: %+v", r)
	}
}

// TestInboxSearch: the page finds a text by its words, its sender, its address and what came of it, however old
// it is.
func TestInboxSearch(t *testing.T) {
	s := served(t, past(150))
	sent := message.Message{Key: "send:x", To: message.ToTriage, Text: "the invoice of May", By: "the program curl"}
	if _, _, err := s.core.Send(sent, ""); err != nil {
		t.Fatal(err)
	}
	event := task.Event{ID: string(message.IDOf("send:x"))}
	if err := s.core.FileEvents([]task.Verdict{{Event: event, Ignored: "not <urgent>"}}); err != nil {
		t.Fatal(err)
	}
	for _, words := range []string{"MAY+invoice", "urgent+curl", "triage+done", "ignored:+not"} {
		got := s.get(t, "/inbox?find="+words)
		contains(t, words, got, "the invoice of May", "ignored: not <urgent>", "Show all texts", "!text 0")
	}
	contains(t, "an old text", s.get(t, "/inbox?find=007+text"), "text 007 was sent", "was read",
		"!text 008", "!Earlier")
	many := s.get(t, "/inbox?find=was+sent")
	contains(t, "many texts", many, "text 149", "text 050", "!text 049", "Earlier")
	if link := `<a href="/inbox?before=msg_3b6&amp;find=was&#43;sent">`; !strings.Contains(many, link) {
		t.Errorf("no %s in %s", link, many[strings.Index(many, "text 050"):])
	}
	contains(t, "no such text", s.get(t, "/inbox?find=invoice+elsewhere"), "No text has all of these words")
}

// TestInbox: the page lists what was sent with what became of it, and sends a text to an address.
func TestInbox(t *testing.T) {
	s := served(t)
	contains(t, "an empty inbox", s.get(t, "/inbox"), "No texts.", "No session and no run")
	s.runs(t, "fix", run.Event{Kind: run.Text, Text: "I count"})
	contains(t, "the inbox", s.get(t, "/inbox"), "to run:fix · from Ann on terminal", "count them")
	got := s.post(t, "/send", url.Values{"to": {"run:fix"}, "text": {"hurry"}})
	if !strings.Contains(got, "run:fix gets it") {
		t.Errorf("sent: %q", got)
	}
	contains(t, "the inbox", s.get(t, "/inbox"), "hurry pending", "to run:fix · from ", "hurry", "at the page",
		"comes right after its next tool call", "was read in turn 1 of run fix")
	for to, want := range map[string]string{
		"run:none": "not found", "task:x": "not found", "team:x": "Unknown address", "": "Unknown address",
		"person": "sent with tell",
	} {
		if got := s.post(t, "/send", url.Values{"to": {to}, "text": {"x"}}); !strings.Contains(got, want) {
			t.Errorf("to %q: %q, want %q", to, got, want)
		}
	}
}
