//go:build unix

package e2e

import (
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/standin/host"
	"github.com/afar-sh/afar/coordinator/standin/long"
	"github.com/afar-sh/afar/coordinator/standin/model"
)

// TestRealDenialAtTheTerminal: the terminal shows who refused the call, why, and what to do
// instead. The current client cuts longer reasons.
func TestRealDenialAtTheTerminal(t *testing.T) {
	long.Only(t)
	t.Parallel()
	for name, version := range clients {
		t.Run(name, func(t *testing.T) {
			r := newSession(t, host.NeedLong(t, version), "--permission-mode", "bypassPermissions")
			r.ask("the push", model.Bash("git push --force origin main"))
			r.did("the push")
			screen := r.term.Screen()
			shown := strings.Join(strings.Fields(screen), " ")
			for _, want := range []string{
				"Afar", "Rewrites the default branch of the remote", "Push a new branch and open a pull request.",
			} {
				if !strings.Contains(shown, want) {
					t.Errorf("the terminal does not show %q\n%s", want, screen)
				}
			}
		})
	}
}
