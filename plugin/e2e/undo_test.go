//go:build unix

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/standin/botapi"
	"github.com/afar-sh/afar/coordinator/standin/host"
	"github.com/afar-sh/afar/coordinator/standin/model"
)

// TestRealUndo: the guard asks about a step that deletes untracked files. One tap takes the
// step back, whether it was allowed on the phone, at the terminal, where the tool runs at
// once (TestRealTerminal), or in a print session.
func TestRealUndo(t *testing.T) {
	r := newRig(t, host.Need(t, host.Current))
	write(t, r.lab.Project, "scratch/notes.txt", "mine\n")
	done := r.printing(play(model.Bash(clean), model.Say("fin")))
	card := r.card(clean)
	r.tap(card, "Allow")
	<-done
	r.undoes(card)
}

const clean = "git clean -fdq scratch"

// cleans checks that in the rig's session.
func (r *rig) cleans(name string, allow func(card botapi.Message)) {
	r.t.Helper()
	write(r.t, r.lab.Project, "scratch/notes.txt", "mine\n")
	r.ask("undo "+name, model.Bash(clean))
	r.term.Await(dialog, within)
	r.term.Await("snapshot: 1 file, 5 bytes", within) // in the dialog too
	card := r.card("snapshot: 1 file, 5 bytes")
	allow(card)
	r.did("undo " + name)
	r.undoes(card)
}

// undoes waits for the Undo button on a settled card, taps it, and checks the files.
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
