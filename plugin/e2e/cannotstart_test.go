//go:build unix

package e2e

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/afar-sh/afar/coordinator/standin/host"
	"github.com/afar-sh/afar/coordinator/standin/long"
	"github.com/afar-sh/afar/coordinator/standin/model"
)

// TestRealCannotStart: if no coordinator can start, the session says so when it begins, the
// phone is told, and the answer at the dialog counts.
func TestRealCannotStart(t *testing.T) {
	long.Only(t)
	t.Parallel()
	for name, version := range clients {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, host.NeedLong(t, version))
			r.must("stop")
			path := filepath.Join(r.home, "config.toml")
			before, err := os.ReadFile(path)
			if err == nil {
				err = os.WriteFile(path, append([]byte("nonsense = 1\n"), before...), 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
			r.term = r.lab.Terminal("--permission-mode", "default")
			r.term.Await("cannot start", within)
			r.said("cannot start")
			r.ask("a file", model.Bash("touch made.txt"))
			r.term.Settle("Do you want to", "1")
			r.did("a file")
			if !r.exists("made.txt") {
				t.Error("the call that was allowed at the dialog did not run")
			}
			if err := os.WriteFile(path, before, 0o600); err != nil {
				t.Fatal(err)
			}
		})
	}
}
