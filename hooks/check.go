package hooks

import (
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"

	"github.com/afar-sh/afar/coordinator/birthmark"
	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/host/claude"
	"github.com/afar-sh/afar/coordinator/wire"
)

// The times of a check, in addition to its own limit.
const (
	watchFor  = 2 * time.Second        // one call that asks whether the result is still wanted
	watchless = 5 * time.Second        // how much longer that call may take
	lookEvery = 250 * time.Millisecond // between two looks for a pause or a cancel mark
	graceFor  = 400 * time.Millisecond // between SIGTERM and SIGKILL; the host gives this hook a second
)

// A check is a command that the person chose to decide whether a loop's work is
// done. It runs in the hook, not in the coordinator, because it needs the session's
// environment. It runs in this hook's process group, which the host ends at Esc.
type check struct {
	hook    *hook
	frame   string
	session string // its token
	command string
	dir     string
	timeout time.Duration
	walled  bool
	printed *output
}

// check runs the check that the coordinator asks for and returns its result.
// wanted is false when the person ended the check, or went on without its result.
func (h *hook) check(in *wire.LoopCheck) (result *wire.LoopChecked, wanted bool) {
	c := &check{
		hook:    h,
		frame:   in.Frame,
		session: in.Session,
		command: in.Command,
		dir:     in.Dir,
		timeout: time.Duration(in.TimeoutMS) * time.Millisecond,
		walled:  in.Walled,
		printed: newOutput(),
	}
	begin := time.Now()
	end := c.run()
	if end.unwanted {
		return nil, false
	}
	tail, digest := c.printed.end()
	return &wire.LoopChecked{
		Frame:    c.frame,
		ExitCode: end.code,
		TimedOut: end.late,
		Broken:   end.broken,
		TookMS:   time.Since(begin).Milliseconds(),
		Output:   tail,
		Digest:   digest,
	}, true
}

// ended says how a check ended.
type ended struct {
	code     int
	late     bool   // it ran into its time limit
	broken   string // why it could not be run
	unwanted bool
}

func (c *check) run() ended {
	cmd := exec.Command(shell(), "-c", c.command)
	if c.walled {
		cmd = exec.Command(home.Program(c.hook.client.Bin, "afar"), "wall", "--", shell(), "-c", c.command)
	}
	cmd.Dir, cmd.Stdout, cmd.Stderr = c.dir, c.printed, c.printed
	cmd.WaitDelay = graceFor // a process that it left behind may hold its output open
	birthmark.Mark(cmd, birthmark.Shell)
	group := newGroup(cmd)
	told := make(chan os.Signal, 1)
	signal.Notify(told, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	defer signal.Stop(told)
	if err := cmd.Start(); err != nil {
		return ended{code: -1, broken: err.Error()}
	}
	done := make(chan struct{})
	go func() { _ = cmd.Wait(); close(done) }() // the exit code is read from ProcessState
	over, left := c.watch(done), c.wayOut(done)
	late := time.NewTimer(c.timeout)
	defer late.Stop()
	select {
	case <-done:
		if signalledToo(cmd.ProcessState.ExitCode(), told) {
			c.interrupted()
			return ended{unwanted: true}
		}
		return ended{code: cmd.ProcessState.ExitCode()}
	case <-late.C:
		group.end(cmd, told, done)
		return ended{code: -1, late: true}
	case <-over:
		group.end(cmd, told, done)
		return ended{unwanted: true}
	case <-left:
		group.end(cmd, told, done)
		c.interrupted()
		return ended{unwanted: true}
	case <-told:
		group.end(cmd, told, done)
		c.interrupted()
		return ended{unwanted: true}
	}
}

// signalledToo reports whether this hook got the signal that ended the check. The
// host signals the whole group, and the check may die before the hook gets its
// signal.
func signalledToo(code int, told <-chan os.Signal) bool {
	if code >= 0 && code <= 128 { // a shell reports a signal as a code above 128
		return false
	}
	select {
	case <-told:
		return true
	case <-time.After(graceFor):
		return false
	}
}

// watch tells the coordinator what the check prints, at growing intervals. It
// closes over when the result is no longer wanted. If the coordinator does not
// answer, the check goes on.
func (c *check) watch(done <-chan struct{}) (over <-chan struct{}) {
	unwanted := make(chan struct{})
	go func() {
		tell, every := time.Now().Add(watchFor), watchFor
		for {
			text := ""
			if now := time.Now(); !now.Before(tell) {
				text = c.printed.news()
				every = min(2*every, time.Minute)
				tell = now.Add(every)
			}
			r, err := call(c.hook, wire.OpCheck, wire.CheckRequest{
				HookCall: c.hook.hookCall(), Frame: c.frame, Output: text, WaitMS: watchFor.Milliseconds(),
			}, watchFor+watchless)
			if r.Wake == "end" {
				close(unwanted)
				return
			}
			select {
			case <-done:
				return
			case <-time.After(pauseAfter(err)):
			}
		}
	}()
	return unwanted
}

// wayOut returns a channel that is closed when the person stops the check without
// the coordinator: by a pause mark, a cancel mark or the project's own switch.
func (c *check) wayOut(done <-chan struct{}) <-chan struct{} {
	left := make(chan struct{})
	go func() {
		look := time.NewTicker(lookEvery)
		defer look.Stop()
		for !c.hook.off() && !c.cancelled() {
			select {
			case <-done:
				return
			case <-look.C:
			}
		}
		close(left)
	}()
	return left
}

// cancelled reports whether a cancel mark names the session or its token.
func (c *check) cancelled() bool {
	dirs := c.hook.client.Dirs
	id := c.hook.str(claude.FieldSession)
	return home.Marked(dirs.CancelMark(c.session)) || home.Marked(dirs.CancelMark(id))
}

// pauseAfter returns how long to wait before the next call, given the error of the last.
func pauseAfter(err error) time.Duration {
	if err != nil {
		return watchFor
	}
	return 0
}

// interrupted tells the coordinator that the check was interrupted.
func (c *check) interrupted() {
	in := wire.CheckRequest{HookCall: c.hook.hookCall(), Frame: c.frame, Ended: wire.Interrupted}
	_, _ = call(c.hook, wire.OpCheck, in, graceFor) // there is no time to retry
}

// shell returns the shell that runs a check: bash if it is installed, as in the
// host's own Bash tool, else sh.
func shell() string {
	if path, err := exec.LookPath("bash"); err == nil {
		return path
	}
	return "sh"
}
