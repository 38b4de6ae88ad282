//go:build unix

package e2e

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/standin/host"
	"github.com/afar-sh/afar/coordinator/standin/long"
	"github.com/afar-sh/afar/coordinator/standin/model"
	"github.com/afar-sh/afar/coordinator/wire"
)

// held starts a loop in the rig's terminal and returns in the second iteration. The model
// does not end that iteration before the part ends.
func (r *rig) held() {
	r.t.Helper()
	gate, reached := make(chan struct{}), make(chan struct{}, 1)
	r.t.Cleanup(func() { close(gate) })
	r.model.Script(func(q model.Request) model.Turn {
		if q.Turns() != 3 {
			return ticking(500)(q)
		}
		select {
		case reached <- struct{}{}:
		default: // the client asks again
		}
		return model.Turn{Text: "held", Hold: gate}
	})
	r.term.Submit("/afar:loop --max 400 paint the fence")
	select {
	case <-reached:
	case <-time.After(within):
		r.t.Fatalf("the loop does not go on\n%s", r.trail())
	}
}

// interrupts presses Esc in a held loop and waits until the session is at its prompt.
func (r *rig) interrupts() {
	r.t.Helper()
	r.term.Keys("Escape")
	r.idle()
}

// loop returns the active loop.
func (r *rig) loop() wire.Loop {
	r.t.Helper()
	loops := slices.DeleteFunc(r.status().Loops, func(l wire.Loop) bool { return !l.Active })
	if len(loops) != 1 {
		r.t.Fatalf("want one active loop, have %+v\n%s", loops, r.trail())
	}
	return loops[0]
}

// ticking returns a session that uses a tool in each of n iterations and then says that it
// is done.
func ticking(n int) func(model.Request) model.Turn {
	return func(q model.Request) model.Turn {
		iteration := q.Turns() / 2
		switch {
		case q.Turns()%2 == 0 && iteration < n:
			return model.Bash("echo tick >> ticks")
		case iteration < n-1:
			return model.Say(fmt.Sprintf("finished step %d", iteration+1))
		}
		return model.Say("all of it works\n<loop-done>COMPLETE</loop-done>")
	}
}

// TestRealLoop is proof d: a loop continues past the host's cap of 8 while the session
// works, and ends as stuck before that cap if it does not.
func TestRealLoop(t *testing.T) {
	t.Parallel()
	client := func(t *testing.T) string { return host.Need(t, host.Current) }
	t.Run("twelve iterations in a terminal", func(t *testing.T) {
		r := newRig(t, client(t), "Bash")
		r.model.Script(ticking(13))
		term := r.lab.Terminal()
		term.Submit("/afar:loop --max 20 count to thirteen")
		r.said("done")
		if n := r.lines("ticks"); n != 13 {
			t.Errorf("%d iterations used their tool, want 13", n)
		}
		r.journal("loop.ended", "done")
	})
	t.Run("twelve iterations in print", func(t *testing.T) {
		long.Only(t)
		r := newRig(t, client(t), "Bash")
		r.model.Script(ticking(13))
		r.print("/afar:loop --max 20 count to thirteen")
		if n := r.lines("ticks"); n != 13 {
			t.Errorf("%d iterations used their tool, want 13\n%s", n, r.trail())
		}
		r.said("done")
	})
	t.Run("no tools is stuck", func(t *testing.T) {
		r := newRig(t, client(t))
		r.model.Script(func(q model.Request) model.Turn { return model.Say("still thinking") })
		r.print("/afar:loop think hard")
		r.said("stuck")
		if n := len(r.model.Turns()); n >= 8 {
			t.Errorf("the session was sent round %d times", n)
		}
	})
	t.Run("budget of tokens", func(t *testing.T) {
		long.Only(t)
		r := newRig(t, client(t), "Bash")
		r.model.Script(ticking(50))
		r.print("/afar:loop --max 40 --tokens 150 never ending")
		r.said("Loop budget")
		if n := r.lines("ticks"); n < 2 || n > 4 {
			t.Errorf("%d turns of two answers each, which take 30 tokens an answer", n)
		}
	})
	t.Run("capped by --max", func(t *testing.T) {
		long.Only(t)
		r := newRig(t, client(t), "Bash")
		r.model.Script(ticking(50))
		r.print("/afar:loop --max 4 never ending")
		r.said("capped")
		if n := r.lines("ticks"); n != 5 {
			t.Errorf("%d turns, want the first and four iterations", n)
		}
	})
}

// TestRealLoopCheck: the check decides about the end of a loop, not the session's word.
func TestRealLoopCheck(t *testing.T) {
	r := newRig(t, host.Need(t, host.Current), "Bash")
	r.model.Script(func(q model.Request) model.Turn {
		if q.Has("exit code 7") && !q.Has("work is here") {
			return model.Bash("echo work is here | tee work")
		}
		return model.Say("all of it works\n<loop-done>COMPLETE</loop-done>")
	})
	r.print("/afar:loop --check 'cat work || { echo no work; exit 7; }' do the work")
	r.said("done (proven)")
	r.journal("loop.checked", "red: exit code 7")
	r.journal("loop.checked", "green")
	if turns := r.model.Turns(); !turns[1].Has("Output of the check:") || !turns[1].Has("no work") {
		t.Errorf("the model read of the red check:\n%s", strings.Join(turns[1].Texts(), "\n---\n"))
	}
}

// gone waits for the end of a process.
func (r *rig) gone(pid string) {
	r.t.Helper()
	for deadline := time.Now().Add(within); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if stat, err := os.ReadFile("/proc/" + pid + "/stat"); err != nil || strings.Contains(string(stat), ") Z ") {
			return
		}
	}
	r.t.Errorf("process %s lives on", pid)
}

// TestRealLoopText: the model reads a task exactly as typed, even one that a shell, a
// template or a parser would change.
func TestRealLoopText(t *testing.T) {
	long.Only(t)
	t.Parallel()
	task := "say \"don't\" and `pwd` and $1 and $(date) and ${HOME}\nthen --max stays\tours"
	for _, command := range []string{"/afar:loop ", "/loop "} {
		t.Run(strings.TrimSpace(command), func(t *testing.T) {
			r := newRig(t, host.Need(t, host.Current))
			write(t, r.lab.Home, ".claude/commands/loop.md", read(t, "../alias/loop.md"))
			r.model.Script(func(model.Request) model.Turn { return model.Say("<loop-done>COMPLETE</loop-done>") })
			r.print(command + "--max 3 " + task)
			if !r.model.Turns()[0].Has(task) {
				t.Errorf("the model read:\n%s", strings.Join(r.model.Turns()[0].Texts(), "\n---\n"))
			}
			r.said("done")
		})
	}
}

// TestRealLoopTyped types such a task in an open terminal.
func TestRealLoopTyped(t *testing.T) {
	long.Only(t)
	const typed = "say \"don't\" and `pwd` and $1 and $(date) and ${HOME}\nthen --max stays ours for "
	r := newRig(t, host.Need(t, host.Current))
	write(t, r.lab.Home, ".claude/commands/loop.md", read(t, "../alias/loop.md"))
	r.model.Script(func(model.Request) model.Turn { return model.Say(complete) })
	r.term = r.lab.Terminal()
	for _, command := range []string{"/afar:loop", "/loop"} {
		r.part(strings.TrimPrefix(command, "/"), func() {
			before := len(r.model.Turns())
			r.term.Submit(command + " --max 3 " + typed + command)
			r.said("done")
			if q := r.model.Turns()[before]; !q.Has(typed + command) {
				r.t.Errorf("the model read:\n%s", strings.Join(q.Texts(), "\n---\n"))
			}
		})
	}
}

// TestRealLoopElsewhere is proof e: a loop holds only its own session, and not another one
// in the same directory.
func TestRealLoopElsewhere(t *testing.T) {
	long.Only(t)
	r := newRig(t, host.Need(t, host.Current), "Bash")
	gate := make(chan struct{})
	r.model.Script(func(q model.Request) model.Turn {
		if strings.Contains(q.Prompt(), "something else") {
			return model.Say("nothing to loop about")
		}
		if q.Turns() == 2 {
			return model.Turn{Text: "waiting\n<loop-done>COMPLETE</loop-done>", Hold: gate}
		}
		return ticking(9)(q)
	})
	looping := r.printing("/afar:loop --max 9 the first session")
	r.journal("loop.stepped", "loop 1/9")
	res := r.print("something else")
	if res.Text != "nothing to loop about" {
		t.Errorf("the other session ended with %q", res.Text)
	}
	close(gate)
	<-looping
	r.said("done")
}

// TestRealLoopCancel ends a running loop from outside.
func TestRealLoopCancel(t *testing.T) {
	r := newRig(t, host.Need(t, host.Current), "Bash")
	r.model.Script(ticking(500))
	done := r.printing("/afar:loop --max 400 never ending")
	r.journal("loop.stepped", "loop 2/400")
	r.must("loop", "cancel", r.loop().ID)
	if res := <-done; res.Exit != 0 {
		t.Errorf("exit %d", res.Exit)
	}
	r.said("cancelled")
}

// TestRealLoopRestart: if the coordinator is killed during a loop, the next Stop starts it
// again, and the loop continues.
func TestRealLoopRestart(t *testing.T) {
	r := newRig(t, host.Need(t, host.Current), "Bash")
	gate := make(chan struct{})
	r.model.Script(func(q model.Request) model.Turn {
		turn := ticking(6)(q)
		if q.Turns() == 5 {
			turn.Hold = gate
		}
		return turn
	})
	done := r.printing("/afar:loop --max 9 count to six")
	r.journal("loop.stepped", "loop 2/9")
	r.kill()
	close(gate)
	<-done
	r.said("done")
	if n := r.lines("ticks"); n != 6 {
		t.Errorf("%d iterations, want 6", n)
	}
}
