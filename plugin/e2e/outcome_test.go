//go:build unix

package e2e

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/standin/host"
	"github.com/afar-sh/afar/coordinator/standin/long"
	"github.com/afar-sh/afar/coordinator/standin/model"
)

// newQuickRig is like newRig, with a coordinator whose waits are seconds instead of minutes.
func newQuickRig(t *testing.T, client string, allowed ...string) *rig {
	t.Helper()
	r := newRig(t, client, allowed...)
	r.configure("[loop]\nshells_for = \"3s\"\nretry_after = \"3s\"")
	return r
}

const complete = "<loop-done>COMPLETE</loop-done>"

// serving returns a turn that starts a background shell for a number of seconds.
func serving(seconds int) model.Turn {
	return model.Call("Bash", map[string]any{"command": fmt.Sprintf("echo $$ > pid; exec sleep %d", seconds),
		"description": "a server", "run_in_background": true})
}

// pid returns the id that a process wrote into the file pid of the project.
func (r *rig) pid() (pid int) {
	r.t.Helper()
	if _, err := fmt.Sscan(read(r.t, filepath.Join(r.lab.Project, "pid")), &pid); err != nil {
		r.t.Fatal(err)
	}
	return pid
}

// TestRealLoopShell: a loop waits for a background shell that its session has just started,
// until it ends or its time is over. After that the loop only names the shell. The host
// reports such a shell in the same way in a terminal and in print, so each of the two
// clients tests one of them.
func TestRealLoopShell(t *testing.T) {
	long.Only(t)
	t.Parallel()
	lives := func(r *rig) func(model.Request) model.Turn {
		return func(q model.Request) model.Turn {
			switch {
			case !r.exists("pid"):
				return serving(1000)
			case q.Has("Still running in the background (1)"):
				return model.Say(complete)
			}
			return model.Say("it comes up")
		}
	}
	t.Run("lives on, in a terminal", func(t *testing.T) {
		r := newQuickRig(t, host.Need(t, host.Current), "Bash")
		r.model.Script(lives(r))
		r.lab.Terminal().Submit("/afar:loop serve it")
		r.asked("A background shell still runs")
		r.said("done")
	})
	t.Run("lives on, in print", func(t *testing.T) {
		long.Only(t)
		r := newQuickRig(t, host.Need(t, host.Oldest), "Bash")
		r.model.Script(lives(r))
		done := r.printing("/afar:loop serve it")
		defer func() {
			_ = syscall.Kill(r.pid(), syscall.SIGTERM) // the client waits for it
			<-done
		}()
		r.asked("A background shell still runs")
		r.said("done")
	})
	t.Run("ends", func(t *testing.T) {
		r := newRig(t, host.Need(t, host.Current), "Bash")
		r.model.Script(func(q model.Request) model.Turn {
			switch {
			case !r.exists("pid"):
				return serving(3)
			case q.Has("[loop 1/10]"):
				return model.Say(complete)
			}
			return model.Say("it comes up")
		})
		r.lab.Terminal().Submit("/afar:loop build it")
		r.said("done")
		if turns := r.model.Turns(); !turns[len(turns)-1].Has("<task-notification>") {
			t.Error("the loop went on before the shell had ended")
		}
	})
}

// TestRealLoopAgent: the main session stops while its agent works. The end of the agent
// wakes it, and the loop continues.
func TestRealLoopAgent(t *testing.T) {
	long.Only(t)
	r := newRig(t, host.Need(t, host.Current), "Bash", "Agent")
	var asked atomic.Bool
	r.model.Script(func(q model.Request) model.Turn {
		switch {
		case strings.Contains(q.Prompt(), "be the sub"):
			return model.Turn{Text: "the sub is done", Delay: 2 * time.Second}
		case !asked.Swap(true):
			return model.Call("Agent", map[string]any{"description": "d", "prompt": "be the sub",
				"subagent_type": "general-purpose"})
		case q.Has("[loop 1/"):
			return model.Say(complete)
		}
		return model.Say("the agent works")
	})
	r.lab.Terminal().Submit("/afar:loop ask around")
	r.said("done")
	for _, q := range r.model.Turns() {
		if q.Has("[loop 1/") && !q.Has("<task-notification>") {
			t.Error("the loop went on while the agent worked")
		}
	}
}

// TestRealLoopRefused: a refusal of the provider pauses the loop, and the person is told
// once. In a terminal the loop is tried again by itself. A print session has ended, and its
// loop continues when the session is resumed.
func TestRealLoopRefused(t *testing.T) {
	long.Only(t)
	t.Parallel()
	refusing := func(times int32) func(model.Request) model.Turn {
		var n atomic.Int32
		return func(q model.Request) model.Turn {
			switch {
			case q.Turns() < 2:
				return ticking(50)(q)
			case n.Add(1) <= times:
				return model.Turn{Status: 429, Message: "This request would exceed your account's rate limit",
					RetryAfter: "3600"}
			}
			return model.Say(complete)
		}
	}
	t.Run("terminal", func(t *testing.T) {
		r := newQuickRig(t, host.Need(t, host.Current), "Bash")
		r.model.Script(refusing(2))
		r.lab.Terminal().Submit("/afar:loop paint the fence")
		r.said("paused by a limit")
		r.asked("The provider refused the last request")
		r.said("done")
		if n := strings.Count(r.phone(), "paused by a limit"); n != 1 {
			t.Errorf("the person was told %d times\n%s", n, r.phone())
		}
	})
	t.Run("print", func(t *testing.T) {
		r := newQuickRig(t, host.Need(t, host.Oldest), "Bash")
		r.model.Script(refusing(1))
		res := r.print("/afar:loop paint the fence")
		if res.Exit == 0 {
			t.Errorf("the refused client ended well: %q", res.Text)
		}
		r.said("goes on with the session's next prompt") // also where the client did not wait for its hook
		before := len(r.model.Turns())
		r.model.Script(func(q model.Request) model.Turn {
			if q.Has("[loop 2/") {
				return model.Say(complete)
			}
			return model.Say("here again")
		})
		r.print("go on", "--resume", res.Session)
		r.said("done")
		if turns := r.model.Turns()[before:]; !turns[0].Has("# Loop anchor") {
			t.Error("the resumed session got no anchor")
		}
	})
}

// TestRealLoopCap: if a session only talks while another program changes the work tree,
// Afar ends the loop with a reason before the host's cap of 8 blocks ends the turn without
// one.
func TestRealLoopCap(t *testing.T) {
	long.Only(t)
	r := newRig(t, host.Need(t, host.Current))
	var n atomic.Int32
	r.model.Script(func(model.Request) model.Turn {
		write(t, r.lab.Project, fmt.Sprint("made-", n.Add(1)), "by somebody else")
		return model.Say("I watch it grow")
	})
	res := r.print("/afar:loop --max 40 watch it grow")
	r.said("capped")
	if n := len(r.model.Turns()); n != 9 {
		t.Errorf("the model was asked %d times, want the first and 8 blocks", n)
	}
	for _, e := range res.Events {
		if strings.Contains(string(e.Raw), "overriding and ending turn") {
			t.Error("the host ended the turn")
		}
	}
}

// TestRealLoopPerson: a person types at the terminal of a looping session, also while the
// coordinator hangs.
func TestRealLoopPerson(t *testing.T) {
	long.Only(t)
	r := newRig(t, host.Need(t, host.Current), "Bash")
	r.term = r.lab.Terminal()
	r.part("/afar:cancel, hung", func() {
		r.held()
		goOn := r.hang()
		r.term.Keys("Escape")
		r.term.Await("Interrupted", within)
		r.term.Submit("/afar:cancel")
		r.term.Await("coordinator does not answer", within)
		goOn()
		r.said("cancelled")
	})
	r.part("/afar:cancel", func() {
		r.held()
		r.interrupts()
		r.term.Submit("/afar:cancel")
		r.term.Await("is cancelled", within)
		r.said("cancelled")
	})
	// Esc ends a running check and all its processes.
	const check = "/afar:loop --check 'sleep 1000 & echo $! >pid; echo running; wait' wait for "
	checking := func(what string) (pid string) {
		r.t.Helper()
		r.model.Script(func(model.Request) model.Turn { return model.Say(complete) })
		r.term.Submit(check + what)
		r.term.Await("waiting for your phone", within)
		r.journal("loop.checking", "running")
		return strings.TrimSpace(read(r.t, filepath.Join(r.lab.Project, "pid")))
	}
	r.part("Esc in a check, hung", func() {
		pid := checking("me")
		goOn := r.hang()
		r.term.Keys("Escape")
		r.gone(pid)
		goOn()
		r.journal("loop.checked", "interrupted")
		r.must("loop", "cancel", r.loop().ID)
	})
	r.part("Esc in a check", func() {
		pid := checking("you")
		r.term.Keys("Escape")
		r.journal("loop.checked", "interrupted")
		r.gone(pid)
		r.must("loop", "cancel", r.loop().ID)
	})
	r.part("types while the check runs", func() {
		pid := checking("all")
		r.model.Script(func(q model.Request) model.Turn {
			if strings.Contains(q.Prompt(), "forget it") {
				return model.Say("forgotten")
			}
			return model.Say(complete)
		})
		r.term.Submit("forget it")
		r.asked("forget it")
		r.gone(pid)
		r.said("stuck") // it says no more than that
	})
	// A session that was compacted during a loop gets the loop's anchor.
	r.part("/compact", func() {
		r.held()
		r.interrupts()
		r.model.Script(func(model.Request) model.Turn { return model.Say(complete) })
		before := len(r.model.Turns())
		r.term.Submit("/compact")
		r.term.Await("Compacted", within)
		r.term.Submit("go on")
		r.said("done")
		turns := r.model.Turns()[before:]
		if len(turns) == 0 || !turns[0].Has("# Loop anchor") || !turns[0].Has("paint the fence") {
			r.t.Errorf("after the compaction the model read no anchor: %d turns", len(turns))
		}
	})
	r.part("Esc, and goes on with the next prompt", func() {
		r.held()
		r.interrupts()
		r.loop() // Esc does not end it
		r.model.Script(func(q model.Request) model.Turn {
			if q.Has("[loop 2/400]") {
				return model.Say(complete)
			}
			return model.Say("here I am")
		})
		r.term.Submit("and in green")
		r.said("done")
	})
	r.part("resume, and fork", func() {
		r.held()
		session := r.loop().Session
		r.interrupts()
		r.term.Close()
		r.model.Script(func(q model.Request) model.Turn {
			if strings.Contains(q.Prompt(), "look around") {
				return model.Say("a fork, and nobody holds me")
			}
			return model.Say(complete)
		})
		if res := r.print("look around", "--resume", session, "--fork-session"); res.Session == session ||
			res.Text != "a fork, and nobody holds me" {
			r.t.Errorf("the fork %s of %s ended with %q", res.Session, session, res.Text)
		}
		r.loop() // the fork does not end it
		r.print("go on", "--resume", session)
		r.said("done")
	})
	r.part("/clear", func() {
		r.term = r.lab.Terminal() // the other is closed
		r.held()
		r.term.Keys("Escape")
		r.term.Await("Interrupted", within)
		r.term.Submit("/clear")
		r.said("cancelled by /clear")
		r.model.Script(func(model.Request) model.Turn { return model.Say("all done with the gate") })
		r.term.Submit("and now the gate")
		r.did("the gate")
		r.idle() // and only the new session is there
	})
}

// TestRealLoopClock: a session that waits for a scheduled prompt is not held.
func TestRealLoopClock(t *testing.T) {
	long.Only(t)
	r := newRig(t, host.Need(t, host.Current), "CronCreate")
	r.model.Script(func(q model.Request) model.Turn {
		switch {
		case q.Turns() == 0:
			return model.Call("CronCreate", map[string]any{"cron": "0 0 1 1 *", "prompt": "happy new year",
				"recurring": true})
		case q.Has("[loop 1/"):
			return model.Say(complete)
		}
		return model.Say("scheduled")
	})
	r.lab.Terminal().Submit("/afar:loop schedule it")
	r.said("done")
}
