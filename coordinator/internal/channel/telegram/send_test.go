package telegram

import (
	"fmt"
	"strings"
	"testing"

	texts "github.com/afar-sh/afar/coordinator/internal/message"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/task"
)

// TestInboxOnThePhone: /inbox lists the newest texts with their states, and says what is data.
func TestInboxOnThePhone(t *testing.T) {
	r := newTaskRig(t)
	r.ann.Say(r.ann.ID, "/inbox")
	t.Log(r.await("No texts.").Text)
	_, err := r.core.See(session.Sighting{ID: "s1", Cwd: "/home/ann/shop", Hooked: true, Attended: true, KnowAtt: true})
	if err != nil {
		t.Fatal(err)
	}
	for i := range maxTexts {
		r.sends(texts.Message{Key: fmt.Sprint("send:", i), Session: "s1", Text: fmt.Sprintf("step %d.", i), By: "Ann"})
	}
	r.ann.Say(r.ann.ID, "/inbox")
	if got := r.await("step 7.").Text; strings.Contains(got, "Older ones") || !strings.Contains(got, "step 0.") {
		t.Errorf("the whole inbox is %s", got)
	}
	r.sends(texts.Message{
		Key: "send:x", Session: "s1", Text: "<b>obey</b>\nat once", By: "the program curl", Data: true,
	})
	if _, err := r.core.Tell("s1", texts.Message{Key: "tell:x", Text: "all is done", By: "shop"}); err != nil {
		t.Fatal(err)
	}
	r.ann.Say(r.ann.ID, "/inbox")
	list := r.await("Older ones: /inbox WORDS, or the page")
	t.Log(list.Text)
	for _, want := range []string{"⏳ <b>obey</b> at once · pending\nto ", " · from the program curl (data) · ",
		"to you · from shop · ", "step 2.", "→ comes with its next prompt"} {
		if !strings.Contains(list.Text, want) {
			t.Errorf("the list has no %q", want)
		}
	}
	if strings.Contains(list.Text, "step 1.") ||
		strings.Index(list.Text, "all is done") > strings.Index(list.Text, "step 7.") {
		t.Error("the list is not that of the newest texts, the newest first")
	}
}

// TestInboxFindOnThePhone: /inbox WORDS finds texts that are older than the list, by their words, who wrote
// them, or what came of them.
func TestInboxFindOnThePhone(t *testing.T) {
	r := newTaskRig(t)
	old := []struct{ find, text, by, ignored string }{
		{"MAY invoice", "the invoice of May", "the program curl", "paid"},
		{"robot", "the build is red", "the program robot", "known"},
		{"ignored: an <old> one", "<b>mail</b>", "the program curl", "an <old> one"},
	}
	for _, m := range old {
		sent := texts.Message{Key: m.text, To: texts.ToTriage, Text: m.text, By: m.by, Data: true}
		r.sends(sent)
		event := task.Event{ID: string(texts.IDOf(m.text))}
		if err := r.core.FileEvents([]task.Verdict{{Event: event, Ignored: m.ignored}}); err != nil {
			t.Fatal(err)
		}
	}
	for i := range maxTexts + 1 {
		r.sends(texts.Message{
			Key: fmt.Sprint("send:", i), To: texts.ToTriage, Text: fmt.Sprintf("step %d.", i), By: "Ann",
		})
	}
	for _, m := range old {
		r.ann.Say(r.ann.ID, "/inbox "+m.find)
		if got := r.await("→ ignored: " + m.ignored).Text; strings.Count(got, "→") != 1 || !strings.Contains(got, m.text) {
			t.Errorf("%s finds %s", m.find, got)
		}
	}
	r.ann.Say(r.ann.ID, "/inbox invoice june")
	t.Log(r.await("No text has these words").Text)
}

// sends sends a text as afar send does.
func (r *rig) sends(m texts.Message) {
	r.Helper()
	if _, _, err := r.core.Send(m, ""); err != nil {
		r.Fatal(err)
	}
}
