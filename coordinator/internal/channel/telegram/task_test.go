package telegram

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/memorywork"
	"github.com/afar-sh/afar/coordinator/internal/modulework"
	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/internal/server/noun"
	"github.com/afar-sh/afar/coordinator/internal/task"
	"github.com/afar-sh/afar/coordinator/internal/taskwork"
	"github.com/afar-sh/afar/coordinator/internal/triggerwork"
	"github.com/afar-sh/afar/coordinator/internal/workplace"
)

// withTasks puts a real server behind the bot, with a workspace of its own.
func (r *rig) withTasks() {
	r.Helper()
	dirs, err := home.FromEnv(func(name string) string {
		return map[string]string{"AFAR_HOME": r.dir, "HOME": r.dir}[name]
	})
	if err == nil {
		err = dirs.Make()
	}
	if err != nil {
		r.Fatal(err)
	}
	facts, err := memorywork.New(memorywork.Config{Core: r.core, Log: slog.New(slog.DiscardHandler), Dirs: dirs})
	if err != nil {
		r.Fatal(err)
	}
	r.Cleanup(func() { facts.Close() })
	r.ch.cfg.Home = r.dir
	r.serve(noun.Config{
		Place:       workplace.Reader{Dirs: dirs},
		Tasks:       taskwork.NewFolders(dirs.Tasks(), dirs.Confirms(), time.UTC),
		Suggestions: taskwork.NewSuggestions(dirs.Suggestions()),
		Memory:      facts,
		Modules:     modulesIn(modulework.NewFolder(dirs.Modules())),
		Parts: noun.Parts{
			Triggers: noun.Triggers{
				Folder: triggerwork.NewFolder(dirs.Triggers(), dirs.HookKeys()), Zones: triggerwork.Zones,
			},
			Runs: runsIn("auto"),
		},
	})
}

// newTaskRig returns a rig whose person is paired and has a workspace.
func newTaskRig(t *testing.T) *rig {
	t.Parallel()
	r := newRig(t)
	r.withTasks()
	r.pair()
	return r
}

func encoded(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// inTask returns the path of a file in the folder of a task.
func (r *rig) inTask(slug, name string) string { return r.path("workspace/tasks/" + slug + "/" + name) }

func (r *rig) file(path string) string {
	r.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		r.Fatal(err)
	}
	return string(raw)
}

// TestTaskFromThePhone: /task creates a task and starts it, and the answer says where it is.
// The same update handled again creates no second one.
func TestTaskFromThePhone(t *testing.T) {
	r := newTaskRig(t)
	r.ann.Say(r.ann.ID, "/task")
	t.Log(r.await("Say what shall be reached").Text)
	r.ann.Say(r.ann.ID, "/tasks")
	t.Log(r.await("No tasks.").Text)
	r.ann.Say(r.ann.ID, "/task Send the invoices of 2025 to all clients and have each of them confirm it\n"+
		"Not before Monday.")
	started := r.await("an agent works on it")
	t.Logf("%s\n%q", started.Text, started.Labels())
	const slug = "send-the-invoices-of-2025-to-all-cli"
	works, made := r.only(), r.file(r.inTask(slug, "state.md"))
	if !strings.Contains(made, "have each of them confirm it\nNot before Monday.") ||
		!strings.HasPrefix(made, "# Send the invoices of 2025 to all clients and have each of…\n") {
		t.Errorf("state.md is %q", made)
	}
	if works.By != "Ann" || works.Dir != filepath.Dir(r.inTask(slug, "x")) ||
		!strings.Contains(started.Text, "~/workspace/tasks/"+slug) {
		t.Errorf("the run is %+v", works)
	}
	r.ann.Say(r.ann.ID, "/tasks")
	list := r.await("starting")
	t.Logf("%s\n%q", list.Text, list.Labels())
	r.turn(works.ID, run.End{Result: true}, result("All sent."))
	ended := r.await("is done with turn 1")
	t.Logf("%s\n%q", ended.Text, ended.Labels())
	if err := r.core.SeeTask(slug, 1, "✅ Task done: Send the invoices"); err != nil {
		t.Fatal(err)
	}
	t.Logf("%q", r.await("Task done").Labels())
	if got := r.awaitAnswer(r.tap(r.ann, ended.ID, "Task 📋")); !strings.Contains(got, "in progress") {
		t.Errorf("the tap says %q", got)
	}
	card := r.await("Not before Monday")
	t.Logf("%s\n%q", card.Text, card.Labels())
	for _, to := range []int{started.ID, ended.ID, card.ID} { // a task at rest gets its texts with its next start
		r.reply(to, "in English")
	}
	r.settled()
	t.Log(r.await("📨").Text)
	if all := r.core.Messages(); len(all) != 4 || all[3].Task != slug || all[3].Data || all[3].By != "Ann" {
		t.Errorf("the texts are %+v", all)
	}
	for _, c := range []struct{ button, want string }{
		{"Start", "Run " + works.Name + " works on it."}, {"Start", "works on task " + slug + " already"},
		{"Stop", "nothing but you starts it again"},
	} {
		if got := r.awaitAnswer(r.tap(r.ann, card.ID, c.button)); !strings.Contains(got, c.want) {
			t.Errorf("%s says %q, want %q", c.button, got, c.want)
		}
	}
	if v, _ := r.core.Task(slug); !v.Stopped {
		t.Errorf("after the stop %+v", v)
	}
	bob := r.api.User(22, "Bob")
	r.tap(bob, card.ID, "Archive")
	r.settled()
	if strings.Contains(r.file(r.inTask(slug, "state.md")), "ARCHIVED") {
		t.Error("a stranger archived the task")
	}
}

// TestSuggestions: /suggestions lists what is open; a button makes a task of one, or dismisses it.
func TestSuggestions(t *testing.T) {
	r := newTaskRig(t)
	r.ann.Say(r.ann.ID, "/suggestions")
	t.Log(r.await("No suggestions.").Text)
	all := taskwork.NewSuggestions(r.path("workspace/suggestions"))
	for _, s := range []task.Suggestion{
		{Title: "Write an offer for ACME & sons", Urgency: task.Urgent, Summary: "They wait since <Monday>."},
		{Title: "Rotate the keys"},
	} {
		if _, _, err := all.Add(s); err != nil {
			t.Fatal(err)
		}
	}
	r.ann.Say(r.ann.ID, "/suggestions")
	list := r.await("Rotate the keys")
	t.Logf("%s\n%q", list.Text, list.Labels())
	for _, c := range []struct{ button, want string }{
		{"Accept ✅ Write", "Task write-an-offer-for-acme-sons is created. Run"},
		{"Dismiss ✖️ Rotate", "It does not come back"},
		{"Accept ✅ Rotate", "already settled"},
	} {
		if got := r.awaitAnswer(r.tap(r.ann, list.ID, c.button)); !strings.Contains(got, c.want) {
			t.Errorf("%s says %q, want %q", c.button, got, c.want)
		}
	}
	r.await("an agent works on it")
	if tasks := r.core.Tasks(); len(tasks) != 1 || tasks[0].By != "Ann" {
		t.Errorf("the tasks are %+v", tasks)
	}
}

// TestTaskKeys: an update that is handled twice, as after a crash, creates and starts one task.
func TestTaskKeys(t *testing.T) {
	r := newTaskRig(t)
	l, _ := r.ch.current()
	m := message{Chat: chat{ID: r.ann.ID, Type: "private"}, From: &user{ID: r.ann.ID, First: "Ann"}, Text: "/task Wiki"}
	for range 2 {
		if err := l.newTask(4711, m, nil); err != nil {
			t.Fatal(err)
		}
	}
	r.idle()
	if all := r.core.Tasks(); len(all) != 1 || r.only().Fence != 1 {
		t.Errorf("tasks %+v, run %+v", all, r.only())
	}
}

// TestTaskFiles: a document or a photo in reply to a message of a task lands in its artifacts.
func TestTaskFiles(t *testing.T) {
	r := newTaskRig(t)
	r.ann.Say(r.ann.ID, "/task Wiki")
	started := r.await("an agent works on it")
	send := func(want string, send func() (int, error)) {
		t.Helper()
		if _, err := send(); err != nil {
			t.Fatal(err)
		}
		t.Log(r.await(want).Text)
	}
	doc := func(name, data, caption string) func() (int, error) {
		return func() (int, error) { return r.ann.SendFile(started.ID, name, []byte(data), caption) }
	}
	send("artifacts/report.pdf is in the folder of wiki", doc("../report.pdf", "one", ""))
	send("artifacts/report-2.pdf is", doc("report.pdf", "two", ""))
	send("artifacts/photo.jpg is", func() (int, error) { return r.ann.SendPhoto(started.ID, []byte("light"), "") })
	send("gets your text", doc("notes.txt", "n", "look at page 2"))
	if all := r.core.Messages(); all[len(all)-1].Text != "look at page 2\n\n(The file is artifacts/notes.txt.)" {
		t.Errorf("the text below the file: %+v", all[len(all)-1])
	}
	send("I keep documents and photos", func() (int, error) { return r.ann.SendVoice(started.ID) })
	send("larger than 20 MB", doc("film.mkv", strings.Repeat("x", task.MaxArtifact+1), ""))
	send("only for a task", func() (int, error) { return r.ann.SendFile(0, "a", []byte("a"), "") })
	for name, want := range map[string]string{"report.pdf": "one", "report-2.pdf": "two", "photo.jpg": "light"} {
		if got := r.file(r.inTask("wiki", "artifacts/"+name)); got != want {
			t.Errorf("%s holds %q", name, got)
		}
	}
	if files, err := os.ReadDir(r.inTask("wiki", "artifacts")); err != nil || len(files) != 4 {
		t.Errorf("%d files, %v", len(files), err)
	}
	if strings.Contains(r.log.String(), r.api.Token()) {
		t.Error("the token is in the log")
	}
}

// TestMediaWithoutTask checks that what cannot be read is said to be so, and that the caption of a photo is read.
func TestMediaWithoutTask(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.pair()
	a, card := r.card("a1", "git push")
	if _, err := r.ann.SendVoice(card.ID); err != nil {
		t.Fatal(err)
	}
	r.await("I cannot read a voice note, so nothing was decided.")
	r.ann.Sticker(r.ann.ID)
	r.await("I cannot read a sticker")
	if got := r.state(a.ID); got.Decision != nil {
		t.Fatalf("decided %+v", got.Decision)
	}
	if _, err := r.ann.SendPhoto(card.ID, []byte("jpg"), "yes"); err != nil {
		t.Fatal(err)
	}
	r.eventually("the caption answers", func() bool { d := r.state(a.ID).Decision; return d != nil && d.Allow })
}

// TestTaskFileLost: a file that Telegram does not give is said; one that was saved before a
// crash is saved once.
func TestTaskFileLost(t *testing.T) {
	r := newTaskRig(t)
	r.ann.Say(r.ann.ID, "/task Wiki")
	started := r.await("an agent works on it")
	id, err := r.ann.SendFile(started.ID, "a.txt", bytes.Repeat([]byte("a"), 3), "")
	if err != nil {
		t.Fatal(err)
	}
	r.await("artifacts/a.txt is")
	l, _ := r.ch.current()
	for file, want := range map[string]string{"file-" + itoa(int64(id)): "artifacts/a.txt is",
		"none": "Telegram does not give me the file"} {
		f := core.TaskFile{To: chatAddress(r.ann.ID), Task: "wiki", ID: file, Name: "a.txt", By: "Ann"}
		if err := l.taskFile(r.ctx, encoded(t, f)); err != nil {
			t.Fatal(err)
		}
		r.await(want)
	}
	if files, err := os.ReadDir(r.inTask("wiki", "artifacts")); err != nil || len(files) != 1 {
		t.Errorf("%d files, %v", len(files), err)
	}
}
