//go:build unix

package e2e

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/standin/botapi"
	"github.com/afar-sh/afar/coordinator/standin/host"
	"github.com/afar-sh/afar/coordinator/standin/model"
)

// grants checks that after Allow for session the next call with the same beginning runs
// without a question, and any other call raises one.
func (r *rig) grants() {
	r.ask("grant", model.Bash("mkdir -p one"), model.Bash("mkdir -p two"), model.Bash("mkdir -p three; rm -f four"))
	card := r.card("mkdir -p one")
	if !strings.Contains(card.Text, "Allow for session, 1h: mkdir …") {
		r.t.Errorf("the card does not say what it would permit:\n%s", card.Text)
	}
	r.tap(card, "Allow for session")
	r.becomes(card, "ran ok")
	r.journal("ask.answered", "allowed by the grant of Ann")
	last := r.card("rm -f four")
	if !r.exists("two") {
		r.t.Errorf("the second call did not run\n%s", r.trail())
	}
	if strings.Contains(r.phone(), "mkdir -p two") {
		r.t.Errorf("the second call was put on the phone:\n%s", r.phone())
	}
	r.tap(last, "Deny")
	r.did("grant")
	if r.exists("three") {
		r.t.Error("a call ran of which one part was never granted")
	}
}

// always checks that the host keeps the rule that it suggested for the call and does not ask
// about such calls again. It does not keep the directory and the mode that it suggested with
// the rule: it still asks about the next file.
func (r *rig) always() {
	out := filepath.Join(r.t.TempDir(), "out.txt")
	file := model.Call("Write", map[string]any{"file_path": filepath.Join(r.lab.Project, "n.txt"), "content": "x"})
	first := model.Bash("go test ./... 2>&1 | tee " + out)
	first.Text = "I know the cause.\nNow I run **all** the tests:"
	r.ask("test", first, model.Bash("go test ./none"), file)
	card := r.card("go test ./... 2>")
	if !strings.Contains(card.Text, "🗣 You: go %%") || !strings.Contains(card.Text, "💭 It: Now I run all the tests:") {
		r.t.Errorf("the card does not say why:\n%s", card.Text)
	}
	if !strings.Contains(card.Text, "Always: stop asking for go test …") || strings.Contains(card.Text, "edits") {
		r.t.Errorf("the card does not say what would be kept:\n%s", card.Text)
	}
	r.tap(card, "Always")
	r.becomes(card, "Allowed always (stop asking for go test …")
	next := r.card("n.txt")
	if strings.Contains(r.phone(), "go test ./none") {
		r.t.Errorf("asked again:\n%s", r.phone())
	}
	r.tap(next, "Deny")
	r.did("test")
	got := read(r.t, filepath.Join(r.lab.Project, ".claude", "settings.local.json"))
	if !strings.Contains(got, "Bash(go test *)") {
		r.t.Errorf("the host's rules are %s", got)
	}
	if r.exists("n.txt") {
		r.t.Error("the file was written without a question")
	}
	r.journal("ask.answered", "always: stop asking for `go test …`")
}

// TestRealPark: on a client that lets a call run if its hook dies, a risky call is refused
// at once. A later Allow lets its next try run once.
func TestRealPark(t *testing.T) {
	risky := "bash -c \"$(awk 1 recipe.txt)\""
	r := newRig(t, host.Need(t, host.Oldest))
	write(t, r.lab.Project, "recipe.txt", "echo run >> made\n")
	id := "0a1b2c3d-0000-4000-8000-000000000001"
	done := r.printing(play(model.Bash(risky), model.Say("fin")), append(bypass, "--session-id", id)...)
	card := r.card("recipe.txt")
	r.endWait(done)
	if r.exists("made") || !strings.Contains(r.refusal(), "parked") {
		t.Fatalf("the model was told %q", r.refusal())
	}
	r.tap(card, "Allow")
	r.becomes(card, "for one try")
	again := play(model.Bash(risky), model.Bash(risky), model.Say("fin"))
	done = r.printing(again, append(bypass, "--resume", id)...)
	r.seen(func(m botapi.Message) bool { return m.ID != card.ID && len(m.Keyboard) > 0 }, "the second question")
	r.endWait(done)
	if n := r.lines("made"); n != 1 {
		t.Errorf("the tool ran %d times\n%s", n, r.trail())
	}
	r.becomes(card, "ran ok")
}
