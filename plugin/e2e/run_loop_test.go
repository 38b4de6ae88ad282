//go:build linux

package e2e

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/standin/host"
	"github.com/afar-sh/afar/coordinator/standin/model"
)

// TestRealRunLoop: a loop that is started in an idle run gives it a turn, sends it back while the
// check is red, and ends proven.
func TestRealRunLoop(t *testing.T) {
	r := newRunRig(t, host.Current)
	r.model.Script(func(q model.Request) model.Turn {
		switch {
		case !q.Has("Goal: paint the fence"):
			return model.Say("ready")
		case q.Has("You said COMPLETE, but") && !r.exists("fence"):
			return model.Bash("echo red > fence")
		}
		return model.Say("<loop-done>COMPLETE</loop-done>")
	})
	r.startRun("painter", "hello", "--mode", "acceptEdits")
	r.becameRun("painter", "idle")
	r.must("loop", "start", "run:painter", "--check", "test -e fence", "paint the fence")
	r.said("✅ run:painter: Loop done (proven): paint the fence")
	end := r.becameRun("painter", "idle")
	if end.Turns != 2 || !r.exists("fence") {
		t.Errorf("after the loop: %+v, the fence is painted: %t", end, r.exists("fence"))
	}
	if out := r.must("loop", "show", "run:painter"); !strings.Contains(out, "done (proven)") {
		t.Error(out)
	}
}

// TestRealRunProposes: a run proposes another one from its command line. The person allows it on
// the phone, and its result is the next prompt of the first.
func TestRealRunProposes(t *testing.T) {
	r := newRunRig(t, host.Current, "Bash")
	afar := filepath.Join(r.bin, "afar")
	r.model.Script(func(q model.Request) model.Turn {
		switch {
		case strings.Contains(q.Prompt(), "count the gates"):
			return model.Say("four gates")
		case q.Has("from run:kid"):
			return model.Say("there are four")
		case len(q.ToolResults()) == 0:
			return model.Bash(afar + " run start --name kid 'count the gates'")
		}
		return model.Say("proposed")
	})
	r.startRun("top", "ask somebody")
	card := r.card("count the gates")
	if !strings.Contains(card.Text, "Start a run: ") ||
		!strings.Contains(card.Text, "would start claude in "+r.lab.Project) {
		t.Errorf("the card says %q", card.Text)
	}
	r.tap(card, "Allow")
	r.becomes(card, "run kid") // now there is one
	if kid := r.becameRun("kid", "done"); kid.Parent != "run:top" || kid.Result != "four gates" {
		t.Errorf("the proposed run: %+v", kid)
	}
	r.awaitRun("top", "there are four")
	told := 0
	for _, q := range r.model.Turns() {
		if strings.Contains(q.Prompt(), "from run:kid, which you proposed") {
			told++
		}
	}
	if told != 1 {
		t.Errorf("the result came %d times", told)
	}
}
