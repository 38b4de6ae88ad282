//go:build unix

package e2e

import (
	"testing"

	"github.com/afar-sh/afar/coordinator/standin/host"
	"github.com/afar-sh/afar/coordinator/standin/model"
)

// TestRealLoopStart: a loop that is started from outside in an idle terminal session wakes
// the session and tells it the goal, although nobody types.
func TestRealLoopStart(t *testing.T) {
	t.Parallel()
	for name, version := range clients {
		t.Run(name, func(t *testing.T) { testLoopWakes(t, version) })
	}
}

func testLoopWakes(t *testing.T, version string) {
	r := newRig(t, host.NeedLong(t, version))
	r.model.Script(func(q model.Request) model.Turn {
		if q.Has("Goal: paint the fence") {
			return model.Say("the fence is painted\n<loop-done>COMPLETE</loop-done>")
		}
		return model.Say("hello")
	})
	r.term = r.lab.Terminal()
	r.term.Submit("say hello")
	r.term.Await("hello", within)
	r.idle()
	r.must("loop", "start", r.status().Sessions[0].Token, "paint the fence")
	r.term.Await("the fence is painted", within)
	r.said("Loop done (claimed): paint the fence")
}
