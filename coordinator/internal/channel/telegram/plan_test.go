package telegram

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/host/claude/hookinput"
	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/standin/botapi"
)

func planInput(t *testing.T, plan string) string {
	t.Helper()
	raw, err := json.Marshal(map[string]string{"plan": plan, "planFilePath": "/home/ann/.claude/plans/x.md"})
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func TestPlanDecisions(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, tap, reply string
		allow, edits     bool
		message, card    string
	}{
		{"approve", "Approve (it asks", "", true, false, "", "✅ Approved by Ann"},
		{"approve and accept edits", "Approve and", "", true, true, "", "✅ Approved, edits accepted, by Ann"},
		{"yes", "", "yes", true, false, "", "✅ Approved by Ann"},
		{"deny", "Deny ⛔", "", false, false, "Denied by Ann on Telegram. Do not retry it; choose another way or ask.",
			"↩️ Sent back by Ann"},
		{"revise", "", "begin with <tests>", false, false, "begin with <tests>", "↩️ Sent back by Ann"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			r.pair()
			a := r.openKind("a1", ask.Plan, "ExitPlanMode", planInput(t, "# Plan\n1. dig <deep>"))
			m := r.await("Plan\n1. dig <deep>")
			r.labelled(m.ID, "Approve (it asks before edits) ✅", "Approve and accept edits ✏️", "Deny ⛔")
			if test.tap != "" {
				r.awaitAnswer(r.tap(r.ann, m.ID, test.tap))
			} else if _, err := r.ann.Reply(m.ID, test.reply); err != nil {
				t.Fatal(err)
			}
			done := r.await(test.card)
			if len(done.Labels()) != 0 {
				t.Errorf("a settled card has buttons %q", done.Labels())
			}
			d := r.state(a.ID).Decision
			if d == nil || d.Allow != test.allow || d.AcceptEdits != test.edits ||
				!test.allow && d.Message != test.message {
				t.Errorf("the decision is %+v", d)
			}
		})
	}
}

// The host reports an approved plan without its text.
func TestPlanOutcome(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.pair()
	a := r.openKind("a1", ask.Plan, "ExitPlanMode", planInput(t, "dig"))
	m := r.await("dig")
	r.awaitAnswer(r.tap(r.ann, m.ID, "Approve"))
	if _, err := r.core.ClaimAsk(a.ID, false); err != nil {
		t.Fatal(err)
	}
	call, _ := hookinput.ReadTool("ExitPlanMode", []byte(`{}`))
	if err := r.core.Ran(ask.Outcome{Session: "s1", Tool: "ExitPlanMode", Hash: call.Hash(),
		Run: ask.Run{OK: true}}); err != nil {
		t.Fatal(err)
	}
	r.await("· the session goes on")
}

// A plan that is too long for a card is sent whole, as one file, even if the first try to send
// it fails and the coordinator restarts.
func TestLongPlanIsAFile(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.pair()
	plan := strings.Repeat("a step with password=hunter2hunter2\n", 400) + "the end"
	r.api.FailNext("sendDocument", 500, "Internal Server Error", 0)
	a := r.openKind("a1", ask.Plan, "ExitPlanMode", planInput(t, plan))
	card := r.await("left out")
	isDocument := func(m botapi.Message) bool { return m.Document != nil }
	file, err := r.api.Await(r.ctx, isDocument)
	if err != nil {
		t.Fatalf("%v\nlog:\n%s", err, r.log)
	}
	text := string(file.Document.Data)
	if file.Document.Name != "plan.md" || strings.Count(text, "a step") != 400 ||
		!strings.HasSuffix(text, "the end") || strings.Contains(text, "hunter2") {
		t.Errorf("%s has %d bytes", file.Document.Name, len(text))
	}
	r.eventually("the file is noted", func() bool { cards, _ := r.core.Copies(Name, a.ID); return len(cards) == 2 })
	// each of them updates the card
	for _, again := range []func(ask.ID) (ask.Ask, error){r.core.LoseAsk, r.core.AttachAsk} {
		if _, err := again(a.ID); err != nil {
			t.Fatal(err)
		}
	}
	r.restart()
	if _, err := r.ann.Reply(file.ID, "shorter, please"); err != nil {
		t.Fatal(err)
	}
	done := r.await("↩️ Sent back by Ann")
	if done.ID != card.ID {
		t.Errorf("message #%d says so, the card is #%d", done.ID, card.ID)
	}
	if d := r.state(a.ID).Decision; d.Message != "shorter, please" {
		t.Errorf("the decision is %+v", d)
	}
	files := 0
	for _, m := range r.api.Messages(r.ann.ID) {
		if isDocument(m) {
			files++
		}
	}
	if files != 1 {
		t.Errorf("the plan was sent %d times", files)
	}
}

// TestReplyToAnUnknownFile checks that a reply to a file counts even if the file is not
// recorded as sent yet.
func TestReplyToAnUnknownFile(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.pair()
	r.api.DropReply("sendDocument")
	a := r.openKind("a1", ask.Plan, "ExitPlanMode", planInput(t, strings.Repeat("a step\n", 2000)))
	file, err := r.api.Await(r.ctx, func(m botapi.Message) bool { return m.Document != nil })
	if err != nil {
		t.Fatalf("%v\nlog:\n%s", err, r.log)
	}
	if _, err := r.ann.Reply(file.ID, "shorter, please"); err != nil {
		t.Fatal(err)
	}
	r.await("↩️ Sent back by Ann")
	if d := r.state(a.ID).Decision; d.Message != "shorter, please" {
		t.Errorf("the decision is %+v", d)
	}
}
