package agentrun

import (
	"testing"

	"github.com/afar-sh/afar/coordinator/internal/run"
)

// TestTakenOver: a process that goes on with a turn of another one reports what is not recorded yet, and the end has
// the agent's words about its failure all the same.
func TestTakenOver(t *testing.T) {
	r := &reporter{known: 2, first: 3, wake: make(chan struct{}, 1), stale: make(chan struct{})}
	d := &turn{reporter: r}
	d.see([]run.Event{{Kind: run.Text, Text: "I begin."}})
	d.see([]run.Event{{Kind: run.Text, Text: "I go on."}, {Kind: run.Result, Failed: true, Text: "no  quota"}})
	if len(r.pending) != 1 || r.pending[0].Kind != run.Result || r.known != 0 {
		t.Errorf("it reports %+v, want the result alone", r.pending)
	}
	if e := d.result(exit{code: 1}); !e.Result || !e.Failed || e.Words != "no quota" || e.Exit != 1 {
		t.Errorf("the end: %+v", e)
	}
}
