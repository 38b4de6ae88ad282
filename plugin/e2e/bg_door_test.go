//go:build linux

package e2e

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/standin/host"
	"github.com/afar-sh/afar/coordinator/standin/long"
	"github.com/afar-sh/afar/coordinator/standin/model"
)

// attach returns the arguments of a client that attaches to the one background session.
func (r *rig) attach() []string {
	r.t.Helper()
	text, err := os.ReadFile(filepath.Join(r.lab.Home, ".claude/daemon/roster.json"))
	var roster struct{ Workers map[string]any }
	if err == nil {
		err = json.Unmarshal(text, &roster)
	}
	if err != nil || len(roster.Workers) != 1 {
		r.t.Fatalf("the background sessions are %s: %v", text, err)
	}
	for id := range roster.Workers {
		return r.lab.Command(context.Background(), "attach", id).Args
	}
	return nil
}

// TestRealBackgroundDoors: the first prompt of a background session is no command of the
// person, because a session can start one too. A key that a program of a session presses in
// its dialog is told as such, and one from the person's terminal is theirs.
func TestRealBackgroundDoors(t *testing.T) {
	t.Parallel()
	t.Run("command", func(t *testing.T) {
		long.Only(t)
		r := newRig(t, host.Need(t, host.Current))
		r.must("away", "on")
		r.background("/afar:away off")
		r.journal("refused", "/afar:away came to a background session")
		if away := r.must("status"); !strings.Contains(away, "away on") && !strings.Contains(away, "Away: on") {
			t.Errorf("afar status says\n%s", away)
		}
	})
	for name, c := range map[string]struct {
		env  []string
		says string
	}{
		"a session's key": {[]string{"CLAUDECODE=1", "CLAUDE_CODE_SESSION_ID=x"}, "perhaps not by you"},
		"a person's key":  {nil, "Answered at the terminal"},
	} {
		t.Run(name, func(t *testing.T) {
			if c.env == nil {
				long.Only(t)
			}
			r := newRig(t, host.Need(t, host.Current))
			r.must("away", "on")
			r.background(play(model.Bash("echo run >> made"), model.Say("fin")), "--permission-mode", "default")
			card := r.open("echo run")
			x := r.lab.Program(append(r.lab.Env(), c.env...), r.attach()...)
			x.Await("Do you want to proceed?", within)
			if c.env != nil {
				r.journal("ask.entered", "is attached")
			}
			x.Keys("Enter")
			r.becomes(card, c.says)
		})
	}
}
