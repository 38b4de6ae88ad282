//go:build unix

package e2e

import (
	"strings"
	"sync/atomic"
	"testing"

	"github.com/afar-sh/afar/coordinator/standin/host"
	"github.com/afar-sh/afar/coordinator/standin/long"
	"github.com/afar-sh/afar/coordinator/standin/model"
)

// TestRealReviewHolds: after #alice in a prompt the session is sent back until the plugin's
// alice has reviewed its last state. She is shown the person's prompt.
func TestRealReviewHolds(t *testing.T) {
	long.Only(t)
	t.Parallel()
	for name, version := range clients {
		t.Run(name, func(t *testing.T) { testReviewHolds(t, host.NeedLong(t, version)) })
	}
}

func testReviewHolds(t *testing.T, client string) {
	r := newRig(t, client)
	r.consults(client)
	r.model.Script(reviewing())
	r.term = r.lab.Terminal("--allowed-tools", "Bash,Agent")
	r.term.Submit("make it #alice")
	r.journal("review.held", "sent back for a review")
	r.journal("gate.opened", "holds a second opinion")
	q := r.asked("the person's own prompts in the session that you review")
	if text := strings.Join(q.Texts(), "\n"); !strings.Contains(text, "> make it #alice") {
		t.Errorf("alice was shown:\n%s", text)
	}
	r.idle()
	if journal := r.trail(); strings.Count(journal, "review.held") != 1 || strings.Contains(journal, "review.missing") {
		t.Errorf("want the session sent back once\n%s", journal)
	}
	if out := r.must("status"); !strings.Contains(out, "review gate") {
		t.Errorf("afar status:\n%s", out)
	}
}

// reviewing is the model of three clients: of a session that lets alice review its work when
// it is sent back, of alice, and of the model that she consults.
func reviewing() func(model.Request) model.Turn {
	var asked atomic.Bool
	return func(q model.Request) model.Turn {
		switch {
		case strings.HasPrefix(q.Prompt(), "is it right?"):
			return model.Say("I would rename it.")
		case strings.HasPrefix(q.Prompt(), "review the change") && q.Has("I would rename it."):
			return model.Say("APPROVED by alice\n\n## Second Opinion\nThe other model would rename it.")
		case strings.HasPrefix(q.Prompt(), "review the change"):
			return model.Bash("echo 'is it right?' | afar consult -")
		case asked.Load():
			return model.Say("alice is at it")
		case q.Has("review gate is on in this session"):
			asked.Store(true)
			return model.Call("Agent", map[string]any{"description": "a review", "prompt": "review the change",
				"subagent_type": "afar:alice"})
		case q.Has("it is new now"):
			return model.Say("made it")
		}
		return model.Bash("echo it is new now | tee made")
	}
}
