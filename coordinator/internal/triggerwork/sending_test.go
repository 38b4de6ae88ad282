package triggerwork

import (
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/internal/message"
	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/internal/trigger"
)

// TestGoneConversation: the agent that continues a conversation which its program no longer has is told
// what that was about. One that is still there gets the text alone.
func TestGoneConversation(t *testing.T) {
	r := newHookRig(t)
	ok := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	resumes := true
	w := New(Config{
		Core: r.core, Folder: r.folder, Dirs: home.Dirs{Root: t.TempDir(), Workspace: t.TempDir()}, Log: r.hooks.log,
		Resumes: func(run.Run) bool { return resumes },
		NewRun: func(_ trigger.Rule, dir, key string) (run.Run, error) {
			return run.Run{ID: run.ID("run_" + key), Dir: dir, Conversation: "c-" + key}, nil
		},
	})
	old, err := r.core.StartRun(
		run.Run{ID: "run_1", Name: "ci/one", Dir: "/w", Conversation: "c-1", By: "trigger ci", Trigger: "ci"},
		message.Message{Key: "k1", Text: "The build fails.", By: "trigger ci"},
	)
	ok(err)
	_, err = r.core.HearTurn(old.ID, 1, 1, []run.Event{{Kind: run.Init}, {Kind: run.Result, Text: "It is the linker."}})
	ok(err)
	ok(r.core.EndTurn(old.ID, 1, run.End{Result: true}))
	rule, err := trigger.Parse("ci", "# CI\n\n- on: manual\n- to: run:{{payload.k}}\n\nIt fails again.\n", Zones)
	ok(err)
	fire := trigger.Firing{ID: "f1", Trigger: "ci", Payload: trigger.Payload{Text: `{"k": "one"}`}, At: time.Now()}
	s, err := w.sending(trigger.Trigger{Name: "ci"}, rule, fire)
	ok(err)
	if s.Gone != "" || strings.Contains(s.First, "cannot be resumed") {
		t.Errorf("the conversation is still there: %+v", s)
	}
	resumes = false
	s, err = w.sending(trigger.Trigger{Name: "ci"}, rule, fire)
	ok(err)
	for _, want := range []string{
		"cannot be resumed any more (1 turn)", "it was told by trigger ci: The build fails.",
		"it came to: It is the linker.",
		"Its last result:\nIt is the linker.", "It fails again.",
	} {
		if s.Gone != old.ID || !strings.Contains(s.First, want) {
			t.Errorf("%q is not told: %q", want, s.First)
		}
	}
}
