//go:build unix

package e2e

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/standin/host"
	"github.com/afar-sh/afar/coordinator/standin/long"
	"github.com/afar-sh/afar/coordinator/standin/model"
)

// hang stops the coordinator's process; goOn continues it.
func (r *rig) hang() (goOn func()) {
	r.t.Helper()
	pid := r.status().Coordinator.PID
	goOn = func() { _ = syscall.Kill(pid, syscall.SIGCONT) }
	r.t.Cleanup(goOn) // before the coordinator is told to stop
	if err := host.Hang(pid, within); err != nil {
		r.t.Fatal(err)
	}
	return goOn
}

// looping starts an endless loop in a print session and returns during the second iteration.
// release lets the model continue.
func (r *rig) looping() (done <-chan host.Result, release func()) {
	r.t.Helper()
	gate := make(chan struct{})
	r.model.Script(func(q model.Request) model.Turn {
		turn := ticking(500)(q)
		if q.Turns() == 3 {
			turn.Hold = gate
		}
		return turn
	})
	done = r.printing("/afar:loop --max 400 never ending")
	r.journal("loop.stepped", "loop 1/400")
	return done, func() { close(gate) }
}

// ends waits for the end of a session that a loop held. While the coordinator hangs, each
// hook takes until its deadline of some seconds.
func (r *rig) ends(done <-chan host.Result) {
	r.t.Helper()
	begun := time.Now()
	defer func() { r.t.Logf("the session ended after %v", time.Since(begun).Round(time.Second)) }()
	select {
	case res := <-done:
		if res.Exit != 0 || res.IsError {
			r.t.Errorf("the session ended with exit %d: %s", res.Exit, res.Text)
		}
	case <-time.After(2 * within):
		r.t.Fatalf("the session goes on\n%s", r.trail())
	}
	if n := r.lines("ticks"); n > 3 {
		r.t.Errorf("it worked for %d iterations more", n)
	}
}

// TestRealWayOut: each way out of a running loop works while the coordinator hangs.
// (TestRealLoopPerson tests those at a terminal.)
func TestRealWayOut(t *testing.T) {
	t.Parallel()
	t.Run("afar loop cancel", func(t *testing.T) {
		long.Only(t)
		r := newRig(t, host.Need(t, host.Current), "Bash")
		done, release := r.looping()
		id := r.status().Loops[0].ID
		goOn := r.hang()
		if out, err := r.afar("loop", "cancel", id); err == nil ||
			!strings.Contains(out, "takes effect when it is back") {
			t.Errorf("afar loop cancel: %v, %s", err, out)
		}
		release()
		r.ends(done)
		goOn()
		r.said("cancelled")
	})
	t.Run("afar pause", func(t *testing.T) {
		r := newRig(t, host.Need(t, host.Current), "Bash")
		done, release := r.looping()
		goOn := r.hang()
		r.must("pause")
		release()
		r.ends(done)
		goOn()
		r.journal("pause.set", "paused")
	})
	t.Run(".afar-disabled", func(t *testing.T) {
		long.Only(t)
		r := newRig(t, host.Need(t, host.Current), "Bash")
		done, release := r.looping()
		r.hang()
		write(t, r.lab.Project, ".afar-disabled", "")
		release()
		r.ends(done)
	})
	t.Run("AFAR_DISABLED=1", func(t *testing.T) {
		long.Only(t)
		r := newRig(t, host.Need(t, host.Current), "Bash")
		done, release := r.looping()
		goOn := r.hang()
		release()
		session := (<-done).Session
		goOn()
		before := len(r.model.Turns())
		write(t, r.lab.Project, ".claude/settings.json", `{"env":{"AFAR_DISABLED":"1"}}`)
		r.model.Script(func(model.Request) model.Turn { return model.Say("fin") })
		if res := r.print("go on", "--resume", session); res.Text != "fin" || len(r.model.Turns()) != before+1 {
			t.Errorf("a session that is switched off was sent round: %q after %d turns", res.Text,
				len(r.model.Turns())-before)
		}
	})
}

// TestRealStopInPrint: /stop ends the turn of a session without a terminal. It cancels the
// loop, so nothing starts the turn again.
func TestRealStopInPrint(t *testing.T) {
	long.Only(t)
	t.Parallel()
	for name, version := range clients {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, host.NeedLong(t, version), "Bash")
			done, release := r.looping()
			r.ann.Say(annID, "/stop")
			r.said("⏹ Stopping ")
			release()
			r.ends(done)
			r.journal("loop.ended", "cancelled")
		})
	}
}
