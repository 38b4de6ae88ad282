//go:build unix

package plugin_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/standin/host"
	"github.com/afar-sh/afar/coordinator/standin/model"
	"github.com/afar-sh/afar/coordinator/wire"
)

// newRunRig is newRig for runs: the agent `claude` is the client of the lab.
func newRunRig(t *testing.T, version string, allowed ...string) *rig {
	t.Helper()
	client := host.Need(t, version)
	r := newRig(t, client, allowed...)
	var own []string
	for _, entry := range r.lab.Env() {
		name, _, _ := strings.Cut(entry, "=")
		if !slices.Contains([]string{"PATH", "HOME", "TMPDIR", "LANG", "TERM"}, name) && !strings.HasPrefix(name, "AFAR_") {
			own = append(own, entry)
		}
	}
	keys := filepath.Join(r.home, "claude.env")
	if err := os.WriteFile(keys, []byte(strings.Join(own, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	command, err := json.Marshal([]string{client, "--plugin-dir", root})
	if err != nil {
		t.Fatal(err)
	}
	r.configure("[agents.claude]\ncommand = " + string(command) + "\nenv_file = \"" + keys + "\"")
	return r
}

// run returns a run as the command line shows it.
func (r *rig) run(name string) (out wire.Run) {
	r.t.Helper()
	if err := json.Unmarshal([]byte(r.must("run", "show", name, "--json")), &out); err != nil {
		r.t.Fatal(err)
	}
	return out
}

// TestRealRun: a run works without a terminal, its result is printed, and another message
// continues its conversation.
func TestRealRun(t *testing.T) {
	for name, version := range clients {
		t.Run(name, func(t *testing.T) {
			r := newRunRig(t, version)
			prompt := play(model.Bash("echo made >> made"), model.Say("all is made"))
			out := r.must("run", "start", "--wait", "--name", "maker", "--mode", "acceptEdits", "--dir", r.lab.Project, prompt)
			if out != "all is made\n" {
				t.Errorf("afar run start --wait printed %q", out)
			}
			t.Log(r.must("run", "log", "maker"))
			t.Log(r.must("run", "show", "maker"))
			r.must("run", "send", "maker", play(model.Say("second")))
			t.Log(r.must("run", "log", "-f", "maker"))
			t.Log(r.must("run", "list"))
			t.Log(r.must("log"))
		})
	}
}
