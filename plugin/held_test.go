//go:build unix

package plugin_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/standin/host"
	"github.com/afar-sh/afar/coordinator/standin/model"
)

// everyClient are the clients on which what switches hooks off was measured.
var everyClient = []string{"2.1.330", "2.1.329", "2.1.294", "2.1.197"}

// forbidden is a call that the guard denies. It does no harm where it runs.
const forbidden = "touch ran; git push --force origin main"

// settings writes one of the host's settings files, as another program does.
func (r *rig) settings(path, text string) {
	r.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		r.t.Fatal(err)
	}
}

// stepwise plays turns, each when the test says go.
func (r *rig) stepwise(turns ...model.Turn) (next func()) {
	gates := make(chan struct{}, len(turns))
	r.model.Script(func(q model.Request) model.Turn {
		if q.Turns() >= len(turns) {
			return model.Say("fin")
		}
		<-gates
		return turns[q.Turns()]
	})
	return func() { gates <- struct{}{} }
}

// TestRealConfigChange: a settings file that would switch hooks off does not
// reach the running session, not even when the host reads all its files again
// because another one changed.
func TestRealConfigChange(t *testing.T) {
	t.Parallel()
	for _, version := range everyClient {
		t.Run(version, func(t *testing.T) {
			r := newRig(t, host.Need(t, version))
			user := filepath.Join(r.lab.Home, ".claude", "settings.json")
			project := filepath.Join(r.lab.Project, ".claude", "settings.json")
			r.settings(project, `{}`) // a session watches what is there when it starts
			next := r.stepwise(model.Bash("true"), model.Bash(forbidden), model.Bash(forbidden))
			done := r.printing("go", "--permission-mode", "bypassPermissions")
			next()
			r.settings(project, `{"disableAllHooks": true}`)
			r.counted = r.journal("settings.refused", `"disableAllHooks" is true`).Seq
			next()
			before, err := os.ReadFile(user)
			if err != nil {
				t.Fatal(err)
			}
			r.settings(user, strings.Replace(string(before), "{", `{"includeCoAuthoredBy": false,`, 1))
			r.journal("settings.refused", project)
			next()
			<-done
			if r.exists("ran") {
				t.Errorf("a denied call ran\n%s", r.trail())
			}
			if n := strings.Count(r.trail(), "guard: deny Bash"); n != 2 {
				t.Errorf("the guard denied %d calls, want 2\n%s", n, r.trail())
			}
			if card := r.said("🚨"); !strings.Contains(card.Text, project) {
				t.Errorf("the phone says\n%s", card.Text)
			}
		})
	}
}
