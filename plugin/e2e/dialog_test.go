//go:build unix

package e2e

import (
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/standin/host"
	"github.com/afar-sh/afar/coordinator/standin/long"
	"github.com/afar-sh/afar/coordinator/standin/model"
)

// TestRealUnaskedDialog: a dialog for which the host calls no hook is told to the person who is away,
// within 20 seconds and once, and settled when the session goes on.
func TestRealUnaskedDialog(t *testing.T) {
	long.Only(t)
	r := newRig(t, host.Need(t, host.Current))
	r.configure("[checkin]\nhold = \"0s\"")
	r.must("away", "on")
	r.lab.Unset("CLAUDE_CODE_AUTO_MODE_SERVER") // then auto mode cannot check with a model elsewhere
	r.term = r.lab.Terminal("--permission-mode", "auto")
	r.ask("checks", model.Bash("python3 -c 1 > made"))
	r.term.Await("can't check actions", within)
	began := time.Now()
	card := r.said("python3 -c 1")
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("the person is told after %v", took)
	}
	if len(card.Keyboard) != 0 {
		t.Errorf("the card has buttons: %v", card.Labels())
	}
	open, text := r.status().Asks, r.must("asks")
	if len(open) != 1 || open[0].Kind != "terminal" || !strings.Contains(text, "python3 -c 1") {
		t.Errorf("open are %+v; asks says\n%s", open, text)
	}
	r.term.Settle("Enter to stay in auto mode", "Enter") // then the client asks about the call itself
	r.term.Await(dialog, within)
	r.term.Settle(dialog, "Down", "Enter")
	r.did("checks")
	r.becomes(card, "Answered at the terminal")
	if strings.Contains(r.must("asks"), "python3 -c 1") {
		t.Error("the dialog is open still")
	}
	phone := r.phone()
	if strings.Count(phone, "🖥 project: python3 -c 1 > made") != 1 || strings.Contains(phone, "needs your choice") {
		t.Errorf("the dialog is not told once:\n%s", phone)
	}
}

// TestRealLeavesSandbox: a call that leaves the host's sandbox is one question, though the guard and
// the host both ask about it. Status says that the sandbox is on.
func TestRealLeavesSandbox(t *testing.T) {
	long.Only(t)
	r := newRig(t, host.Need(t, host.Current))
	write(t, r.lab.Project, ".claude/settings.json", `{"sandbox":{"enabled":true}}`)
	r.configure("[checkin]\nhold = \"0s\"")
	r.must("away", "on")
	r.term = r.lab.Terminal("--permission-mode", "default")
	r.ask("it", model.Call("Bash", map[string]any{"command": "echo run >> made", "dangerouslyDisableSandbox": true}))
	card := r.card("run >> made")
	if s := r.status().Sessions[0]; !s.Sandbox || !strings.Contains(r.must("status"), "sandbox on") {
		t.Errorf("status says nothing of the sandbox: %+v", s)
	}
	r.tap(card, "Allow")
	r.did("it")
	if asked := strings.Count(r.phone(), "sha256"); asked != 1 || r.lines("made") != 1 {
		t.Errorf("asked %d times, ran %d times\n%s", asked, r.lines("made"), r.phone())
	}
}
