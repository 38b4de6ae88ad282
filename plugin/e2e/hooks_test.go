//go:build unix

package e2e

import (
	"encoding/json"
	"testing"

	"github.com/afar-sh/afar/coordinator/host/claude"
	"github.com/afar-sh/afar/coordinator/standin/host"
)

// An entry is one hook in hooks.json.
type entry struct {
	Command   string   `json:"command"`
	Args      []string `json:"args"`
	OnFailure string   `json:"onFailure"`
}

// TestHooksOnFailure: exactly the events whose hooks guard have the key onFailure. On
// PermissionRequest the key would refuse the question at the open dialog if the hook died.
func TestHooksOnFailure(t *testing.T) {
	var file struct {
		Hooks map[string][]struct{ Hooks []entry }
	}
	for _, name := range []string{"../hooks.json", "../newer-hooks.json"} { // the second adds to the map
		if err := json.Unmarshal([]byte(read(t, name)), &file); err != nil {
			t.Fatal(err)
		}
	}
	told := map[string]bool{"PreToolUse": true, "PreSkillShellCommand": true}
	closed := map[string]bool{"PreToolUse": true, "PreSkillShellCommand": true, "ConfigChange": true}
	guards := 0
	for event, groups := range file.Hooks {
		for _, group := range groups {
			for _, e := range group.Hooks {
				want := ""
				if closed[event] {
					want = "block"
				}
				if e.OnFailure != want {
					t.Errorf("%s: %s has onFailure %q, want %q", event, e.Command, e.OnFailure, want)
				}
				said := len(e.Args) > 0 && e.Args[0] == "--on-failure=block"
				if told[event] && said {
					guards++
				}
				if said && e.OnFailure != "block" {
					t.Errorf("%s: %s is told of a key that its entry does not have", event, e.Command)
				}
			}
		}
	}
	if guards != len(told) {
		t.Errorf("%d hooks are told that the host stops the call when they fail, want %d", guards, len(told))
	}
}

// TestPinnedClients: the clients of the tests are the ends of the supported range.
func TestPinnedClients(t *testing.T) {
	if host.Current != claude.Newest || host.Oldest != claude.Oldest {
		t.Errorf("the tests run on %s to %s, the program claims %s to %s",
			host.Oldest, host.Current, claude.Oldest, claude.Newest)
	}
}
