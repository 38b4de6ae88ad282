package telegram

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/host/agents"
	"github.com/afar-sh/afar/coordinator/internal/event"
	texts "github.com/afar-sh/afar/coordinator/internal/message"
	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/internal/server/noun"
	"github.com/afar-sh/afar/coordinator/internal/session"
)

// newRunRig returns a rig whose person is paired and has worked in a directory.
func newRunRig(t *testing.T) (r *rig, dir string) {
	t.Parallel()
	r = newRig(t)
	r.pair()
	dir = r.path("shop")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	r.see("s1", dir)
	return r, dir
}

func (r *rig) see(id session.ID, dir string) session.Session {
	r.Helper()
	v, err := r.core.See(session.Sighting{ID: id, Cwd: dir, Hooked: true, Attended: true, KnowAtt: true})
	if err != nil {
		r.Fatal(err)
	}
	return v
}

// only returns the only run.
func (r *rig) only() run.Run {
	r.Helper()
	all := r.core.Runs()
	if len(all) != 1 {
		r.Fatalf("%d runs: %+v", len(all), all)
	}
	return all[0]
}

// turn has the agent of a run do something and end its turn.
func (r *rig) turn(id run.ID, end run.End, events ...run.Event) {
	r.Helper()
	now, err := r.core.RunByID(id)
	if err == nil {
		_, err = r.core.HearTurn(id, now.Fence, 1, append([]run.Event{{Kind: run.Init}}, events...))
	}
	if err == nil {
		err = r.core.EndTurn(id, now.Fence, end)
	}
	if err != nil {
		r.Fatal(err)
	}
}

// reply replies to a message of the bot.
func (r *rig) reply(to int, text string) {
	r.Helper()
	if _, err := r.ann.Reply(to, text); err != nil {
		r.Fatal(err)
	}
}

func result(text string) run.Event { return run.Event{Kind: run.Result, Text: text} }

// TestRunFromThePhone: /run starts a run where the person worked last and says so; its result
// comes as a message, and a reply to it is the next message of the run.
func TestRunFromThePhone(t *testing.T) {
	r, dir := newRunRig(t)
	r.ann.Say(r.ann.ID, "/run  fix the\n  flaky test")
	started := r.await("works in")
	made := r.only()
	if made.Dir != dir || made.Mode != "auto" || made.Turn.Prompt != "fix the\n  flaky test" || made.By != "Ann" {
		t.Errorf("started %+v", made)
	}
	t.Logf("started:\n%s\n%q", started.Text, started.Labels())
	for _, want := range []string{made.Name, "/shop · mode auto", "Reply"} {
		if !strings.Contains(started.Text, want) {
			t.Errorf("no %q in %q", want, started.Text)
		}
	}
	r.turn(made.ID, run.End{Result: true},
		run.Event{Kind: run.ToolStart, Tool: "Bash", Call: "c", Text: `{"command":"npm test"}`},
		run.Event{Kind: run.ToolResult, Call: "c", Text: "1 failed", Failed: true},
		run.Event{Kind: run.Text, Text: "It was the clock."},
		run.Event{Kind: run.Result, Text: "It was the **clock**: `now()` is called twice.", Total: run.Cost{USD: 0.42}})
	ended := r.await("is done with turn 1")
	t.Logf("ended:\n%s\n%q", ended.Text, ended.Labels())
	if !strings.Contains(ended.Text, "It was the clock: now() is called twice.") ||
		!strings.Contains(ended.Text, "$0.42") {
		t.Errorf("the end says %q", ended.Text)
	}

	r.reply(ended.ID, "commit it")
	r.await("📨 run " + made.Name + " gets it")
	if again := r.only(); again.Fence != 2 || again.Turn.Prompt != "commit it" {
		t.Errorf("after the reply: %+v", again)
	}
	r.reply(started.ID, "and push")
	r.eventually("the second text is there", func() bool { return r.core.WaitingFor(r.only()) == 1 })
	for _, m := range r.core.Messages() {
		if m.Data || m.By != "Ann" || m.Channel != Name {
			t.Errorf("a text of the person: %+v", m)
		}
	}
}

// TestLongResult: a result of more than 2 kB comes as a file, once, and a reply to the file
// reaches the run.
func TestLongResult(t *testing.T) {
	r, _ := newRunRig(t)
	r.ann.Say(r.ann.ID, "/run write it all down")
	r.await("works in")
	made, long := r.only(), strings.Repeat("A line of the report.\n", 200)
	r.turn(made.ID, run.End{Result: true}, result(long))
	ended := r.await("is done with turn 1")
	file := r.await("The whole of it")
	t.Logf("ended:\n%s\nfile %s:\n%s\n%q", ended.Text, file.Document.Name, file.Text, file.Labels())
	if string(file.Document.Data) != long || file.Document.Name != made.Name+"-1.md" || len(ended.Text) > 1000 {
		t.Errorf("the file %s has %d bytes, the message %d", file.Document.Name, len(file.Document.Data),
			len(ended.Text))
	}
	r.reply(file.ID, "shorter")
	r.await("📨 run " + made.Name)
	r.restart()
	r.settled()
	r.idle()
	if n := r.count("is done with turn 1") + r.count("The whole of it"); n != 2 {
		t.Errorf("%d messages about one end", n)
	}
}

// count returns how many messages of the bot contain a text.
func (r *rig) count(text string) (n int) {
	for _, m := range r.api.Messages(r.ann.ID) {
		if strings.Contains(m.Text, text) {
			n++
		}
	}
	return n
}

// TestRunFails: a failure comes with its reason.
func TestRunFails(t *testing.T) {
	r, _ := newRunRig(t)
	r.ann.Say(r.ann.ID, "/run x")
	r.await("works in")
	r.turn(r.only().ID, run.End{Exit: 1, Words: "no key for you"})
	failed := r.await("⚠️")
	t.Logf("failed:\n%s\n%q", failed.Text, failed.Labels())
	if !strings.Contains(failed.Text, "it fails to start: no key for you") {
		t.Errorf("the failure says %q", failed.Text)
	}
}

// TestRunPlaces: a run starts where the person says, or where they are in the chat.
func TestRunPlaces(t *testing.T) {
	r, shop := newRunRig(t)
	docs, gone := r.path("docs"), r.path("gone")
	if err := os.Mkdir(docs, 0o700); err != nil {
		t.Fatal(err)
	}
	token := r.see("s1", shop).Token
	r.later.Add(int64(time.Second))
	r.see("s2", docs)
	r.later.Add(int64(time.Second))
	r.see("s3", gone) // the newest, but it is not there any more
	for _, c := range []struct{ say, dir, prompt string }{
		{"/run a", docs, "a"},
		{"/run @" + token + " b", shop, "b"},
		{"/run @shop\nc", shop, "c"},
		{"/run@afar_test_bot @docs d", docs, "d"},
	} {
		before := len(r.core.Runs())
		r.ann.Say(r.ann.ID, strings.Replace(c.say, "afar_test_bot", r.account(), 1))
		r.eventually("a run starts", func() bool { return len(r.core.Runs()) == before+1 })
		var newest run.Run
		for _, v := range r.core.Runs() {
			if v.StartedAt.After(newest.StartedAt) || newest.ID == "" {
				newest = v
			}
		}
		prompt := newest.Turn.Prompt
		if newest.State == run.Queued {
			prompt = c.prompt
		}
		if newest.Dir != c.dir || prompt != c.prompt {
			t.Errorf("%q: %q in %s, want %s", c.say, prompt, newest.Dir, c.dir)
		}
		r.later.Add(int64(time.Second))
	}
	for say, want := range map[string]string{
		"/run": "Say what to do", "/run @shop": "Say what to do",
		"/run @nobody x": "I know no session, run or project named nobody",
	} {
		r.ann.Say(r.ann.ID, say)
		t.Logf("%s: %s", say, r.await(want).Text)
	}
}

// TestRunWhereThePersonWorked checks that a run starts where the person typed, and not where something else worked
// since.
func TestRunWhereThePersonWorked(t *testing.T) {
	r, shop := newRunRig(t)
	scratch := r.path("night")
	if err := os.Mkdir(scratch, 0o700); err != nil {
		t.Fatal(err)
	}
	r.see("s1", shop)
	if err := r.core.Typed("s1", "fix it"); err != nil {
		t.Fatal(err)
	}
	r.later.Add(int64(time.Second))
	r.see("s2", scratch) // nobody typed there
	r.later.Add(int64(time.Second))
	r.ann.Say(r.ann.ID, "/run look around")
	r.eventually("a run starts", func() bool { return len(r.core.Runs()) == 1 })
	if got := r.core.Runs()[0].Dir; got != shop {
		t.Errorf("it works in %s, want %s", got, shop)
	}
}

func (r *rig) account() string { return r.core.Account(Name).Speaker }

// TestRunWhereNothingWasDone: without a known directory, nothing starts.
func TestRunWhereNothingWasDone(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.pair()
	r.ann.Say(r.ann.ID, "/run x")
	t.Log(r.await("I do not know yet where you work").Text)
	if len(r.core.Runs()) > 0 {
		t.Error("a run was started")
	}
}

// TestRunChecked: a run from the phone is checked as one from a terminal is, the reply says what is wrong, and
// a refusal is journalled.
func TestRunChecked(t *testing.T) {
	r, _ := newRunRig(t)
	gone := runsIn("auto")
	gone.Agent = func(string) (agents.Settings, error) { return agents.Settings{}, errors.New("no such agent") }
	r.serve(noun.Config{Parts: noun.Parts{Runs: gone}})
	r.ann.Say(r.ann.ID, "/run x")
	r.await("Nothing was started: no such agent.")
	r.serve(noun.Config{Parts: noun.Parts{Runs: runsIn("")}})
	r.ann.Say(r.ann.ID, "/run x")
	r.await("Nothing was started: runs are not supported on Windows.")
	r.answers = []string{"terminal"}
	r.restart()
	r.ann.Say(r.ann.ID, "/run x")
	t.Log(r.await("do it at a terminal").Text)
	told, err := r.core.Journal(r.ctx, 0, 100, "", false)
	if err != nil || !slices.ContainsFunc(told, func(e event.Event) bool { return e.Kind == event.Refused }) {
		t.Errorf("the journal says %+v, %v", told, err)
	}
	if len(r.core.Runs()) > 0 {
		t.Error("a run was started")
	}
}

// TestRuns: /runs lists what needs the person first, and its buttons work.
func TestRuns(t *testing.T) {
	r, dir := newRunRig(t)
	r.ann.Say(r.ann.ID, "/runs")
	t.Log(r.await("No runs.").Text)
	for _, name := range []string{"idle", "failed", "busy"} {
		_, err := r.core.StartRun(run.Run{
			ID: run.ID("run_" + name), Name: name, Dir: dir, Conversation: "c-" + name, Agent: "claude", Mode: "auto",
		},
			texts.Message{Key: name, Text: "go", By: "Ann", Channel: Name})
		if err != nil {
			t.Fatal(err)
		}
	}
	r.turn("run_idle", run.End{Result: true}, result("412 files"))
	r.turn("run_failed", run.End{Exit: 1})
	if _, err := r.core.HearTurn("run_busy", 1, 1, []run.Event{
		{Kind: run.Init}, {Kind: run.Text, Text: "I count them."},
		{Kind: run.ToolStart, Tool: "Bash", Call: "c", Text: `{"command":"find . | wc -l"}`},
	}); err != nil {
		t.Fatal(err)
	}
	r.ann.Say(r.ann.ID, "/runs")
	list := r.await("find . | wc -l")
	t.Logf("%s\n%q", list.Text, list.Labels())
	order := []int{strings.Index(list.Text, "failed"), strings.Index(list.Text, "busy"),
		strings.Index(list.Text, "idle")}
	if order[0] < 0 || order[0] > order[1] || order[1] > order[2] {
		t.Errorf("the order is %v:\n%s", order, list.Text)
	}
	if got := r.awaitAnswer(r.tap(r.ann, list.ID, "What it did busy")); got != "busy: working." {
		t.Errorf("the tap says %q", got)
	}
	log := r.await("I count them.")
	t.Logf("%s\n%q", log.Text, log.Labels())
	if got := r.awaitAnswer(r.tap(r.ann, log.ID, "Stop ⏹")); got != "⏹ Stopping busy." {
		t.Errorf("the tap says %q", got)
	}
	if v, _ := r.core.RunByID("run_busy"); v.Turn.Stop != "Ann" {
		t.Errorf("after the tap: %+v", v.Turn)
	}
	bob := r.api.User(22, "Bob")
	r.tap(bob, log.ID, "Stop ⏹")
	r.settled()
	r.turn("run_busy", run.End{Exit: -1})
	t.Log(r.await("has stopped").Text)
	if got := r.awaitAnswer(r.tap(r.ann, log.ID, "Stop ⏹")); !strings.Contains(got, "nothing to stop") {
		t.Errorf("a late tap says %q", got)
	}
	if _, err := r.core.RemoveRun("run_busy", "Ann"); err != nil {
		t.Fatal(err)
	}
	if got := r.awaitAnswer(r.tap(r.ann, log.ID, "What it did")); !strings.Contains(got, "was removed") {
		t.Errorf("a tap about a removed run says %q", got)
	}
	r.reply(log.ID, "hello?")
	r.await("This run was removed. Nothing was sent.")
	// A reply to the list is for no run in particular.
	r.reply(list.ID, "hello")
	r.await("Questions of your sessions come here")
}

// TestStopRunByCommand: /stop as a reply to a message of a run ends its turn.
func TestStopRunByCommand(t *testing.T) {
	r, _ := newRunRig(t)
	r.ann.Say(r.ann.ID, "/run x")
	started := r.await("works in")
	r.reply(started.ID, "/stop")
	r.await("⏹ Stopping " + r.only().Name)
	if v := r.only(); v.Turn.Stop != "Ann" {
		t.Errorf("after /stop: %+v", v.Turn)
	}
}

// TestSend: /send writes to a session or a run by its address.
func TestSend(t *testing.T) {
	r, dir := newRunRig(t)
	token := r.see("s1", dir).Token
	if _, err := r.core.StartRun(run.Run{ID: "run_1", Name: "deps", Dir: dir, Conversation: "c1"},
		texts.Message{Key: "first", Text: "go", By: "Ann"}); err != nil {
		t.Fatal(err)
	}
	for say, want := range map[string]string{
		"/send " + token + " go on\nwith it": "📨 " + token + " gets it",
		"/send run:deps leave react alone":   "📨 run deps gets it",
		"/send":                              "Say to whom",
		"/send x":                            "Say to whom",
		"/send run:none x":                   `Nothing was sent: run "none": not found.`,
		"/send task:taxes x":                 `Nothing was sent: task "taxes": not found.`,
		"/send person x":                     "Nothing was sent: person is you.",
	} {
		r.ann.Say(r.ann.ID, say)
		t.Logf("%q: %s", say, r.await(want).Text)
	}
	var got []string
	for _, m := range r.core.Messages() {
		got = append(got, m.Text)
	}
	all := strings.Join(got, "|")
	if !strings.Contains(all, "go on\nwith it") || !strings.Contains(all, "leave react alone") || len(got) != 3 {
		t.Errorf("the texts are %q", got)
	}
}

// TestRunCardNames: the question of a run is asked under its name.
func TestRunCardNames(t *testing.T) {
	r, dir := newRunRig(t)
	if _, err := r.core.StartRun(run.Run{ID: "run_1", Name: "deps", Dir: dir, Conversation: "s1-of-run"},
		texts.Message{Key: "first", Text: "go", By: "Ann"}); err != nil {
		t.Fatal(err)
	}
	if v := r.see("s1-of-run", dir); v.Token != "deps" {
		t.Errorf("the session of the run is called %s", v.Token)
	}
}
