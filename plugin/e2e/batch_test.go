//go:build unix

package e2e

import (
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/standin/host"
	"github.com/afar-sh/afar/coordinator/standin/long"
	"github.com/afar-sh/afar/coordinator/standin/model"
)

// TestRealBatch: a text from the phone reaches a working session right after its next
// tools, once, as the person's words, and the turn continues.
func TestRealBatch(t *testing.T) {
	long.Only(t)
	t.Parallel()
	for name, version := range clients {
		t.Run(name, func(t *testing.T) {
			const words = "paint it blue"
			r := newRig(t, host.NeedLong(t, version), "Bash")
			gate := make(chan struct{})
			r.model.Script(func(q model.Request) model.Turn {
				switch len(q.ToolResults()) {
				case 0:
					return model.Bash("echo one")
				case 1:
					return model.Turn{Tools: model.Bash("echo two").Tools, Hold: gate}
				case 2:
					return model.Bash("echo three")
				}
				return model.Say("all three are done")
			})
			done := r.printing("go on with all three")
			awaitOutput(t, func() (string, bool) { return r.trail(), len(r.model.Turns()) >= 2 })
			r.ann.Say(annID, words)
			r.said("right after its next tool call, or when it stops")
			close(gate)
			if res := <-done; !strings.Contains(res.Text, "all three are done") {
				t.Errorf("the turn ended with %q", res.Text)
			}
			turns := r.model.Turns()
			if len(turns) < 4 || !turns[2].Has(words) || !turns[2].Has("wrote this through Afar") {
				t.Fatalf("after the second tool the model read:\n%s", strings.Join(turns[2].Texts(), "\n---\n"))
			}
			if n := strings.Count(strings.Join(turns[len(turns)-1].Texts(), "\n"), words); n != 1 {
				t.Errorf("it read the text %d times", n)
			}
		})
	}
}
