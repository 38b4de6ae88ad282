//go:build linux

package e2e

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/standin/botapi"
	"github.com/afar-sh/afar/coordinator/standin/host"
	"github.com/afar-sh/afar/coordinator/standin/long"
	"github.com/afar-sh/afar/coordinator/standin/model"
)

// TestRealRunLeavesAuto: where the check of auto mode does not run, a run goes on in acceptEdits at
// the first refusal. The person is told, and the call is a question.
func TestRealRunLeavesAuto(t *testing.T) {
	long.Only(t)
	t.Parallel()
	for name, version := range map[string]string{"current": host.Current, "previous": host.Previous} {
		t.Run(name, func(t *testing.T) {
			r := newRunRig(t, version)
			r.uncheckAuto()
			outside, restarted := model.Bash("touch ../tmp/outside"), 0
			r.model.Script(func(q model.Request) model.Turn {
				if !q.Has("It is now in mode acceptEdits") {
					return q.Scripted()
				}
				if restarted++; restarted == 1 {
					return outside
				}
				return model.Say("fin")
			})
			r.startRun("auto", play(model.Bash("echo made >> made"), outside, model.Say("too early")), "--mode", "auto")
			r.seen(func(m botapi.Message) bool {
				return strings.Contains(m.Text, "run auto: auto mode cannot check calls here")
			}, "the end of auto mode")
			question := r.card("outside")
			if waiting := r.becameRun("auto", "waiting"); waiting.Mode != "acceptEdits" || r.exists("../tmp/outside") {
				t.Errorf("while it waits: %+v; the call ran: %t", waiting, r.exists("../tmp/outside"))
			}
			r.tap(question, "Allow")
			end := r.becameRun("auto", "idle")
			if end.Result != "fin" || end.Turns != 2 || !r.exists("../tmp/outside") || r.lines("made") != 1 {
				t.Errorf("at the end: %+v; the call ran: %t, the one before %d times\n%s", end, r.exists("../tmp/outside"),
					r.lines("made"), r.must("run", "log", "auto"))
			}
		})
	}
}

// uncheckAuto lets the client of runs ask its own server for the verdicts of auto mode. With a
// model elsewhere, the client then says that this check does not run.
func (r *rig) uncheckAuto() {
	r.t.Helper()
	path := filepath.Join(r.home, "claude.env")
	raw, err := os.ReadFile(path)
	if err != nil {
		r.t.Fatal(err)
	}
	checked := regexp.MustCompile(`(?m)^CLAUDE_CODE_AUTO_MODE_SERVER=.*\n`)
	if err := os.WriteFile(path, checked.ReplaceAll(raw, nil), 0o600); err != nil {
		r.t.Fatal(err)
	}
}
