package plugin_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/standin/botapi"
	"github.com/afar-sh/afar/coordinator/standin/host"
	"github.com/afar-sh/afar/coordinator/standin/model"
)

// TestRealUndo: the guard asks about a step that deletes files which git does
// not have. However it is allowed, on the phone or at the terminal, where the
// tool runs at once, the step is taken back with one tap.
func TestRealUndo(t *testing.T) {
	const clean = "git clean -fdq scratch"
	t.Run("phone", func(t *testing.T) {
		testUndo(t, clean, func(r *rig, term *host.Terminal, card botapi.Message) { r.tap(card, "Allow") })
	})
	t.Run("terminal", func(t *testing.T) {
		testUndo(t, clean, func(_ *rig, term *host.Terminal, _ botapi.Message) { term.Settle(dialog, "1") })
	})
	t.Run("print", func(t *testing.T) {
		r := newRig(t, host.Need(t, host.Current))
		write(t, r.lab.Project, "scratch/notes.txt", "mine\n")
		done := r.printing("go " + model.Play(model.Bash(clean), model.Say("fin")))
		card := r.card(clean)
		r.tap(card, "Allow")
		<-done
		r.undoes(card)
	})
}

func testUndo(t *testing.T, command string, allow func(*rig, *host.Terminal, botapi.Message)) {
	r := newRig(t, host.Need(t, host.Current))
	write(t, r.lab.Project, "scratch/notes.txt", "mine\n")
	r.must("away", "on")
	term := r.lab.Terminal("--permission-mode", "default")
	term.Submit("go " + model.Play(model.Bash(command), model.Say("all done now")))
	term.Await(dialog, within)
	term.Await("snapshot: 1 file, 5 bytes", within) // in the dialog too
	card := r.card("snapshot: 1 file, 5 bytes")
	allow(r, term, card)
	term.Await("all done now", within)
	r.undoes(card)
}

// undoes waits for the offer on a settled card, takes it, and looks.
func (r *rig) undoes(card botapi.Message) {
	r.t.Helper()
	offer := r.seen(func(m botapi.Message) bool {
		return m.ID == card.ID && strings.Contains(m.Text, "Undo until") && len(m.Keyboard) == 1
	}, "the offer to undo")
	if r.exists("scratch/notes.txt") {
		r.t.Fatalf("the tool did not run\n%s", r.trail())
	}
	r.tap(offer, "Undo ↩️")
	settled := r.becomes(card, "undone by Ann")
	if len(settled.Keyboard) != 0 {
		r.t.Errorf("buttons are left: %v", settled.Labels())
	}
	if raw, err := os.ReadFile(filepath.Join(r.lab.Project, "scratch/notes.txt")); string(raw) != "mine\n" {
		r.t.Errorf("the file is %q, %v", raw, err)
	}
	r.t.Logf("the card says\n%s", settled.Text)
}
