//go:build unix

package agentrun

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/afar-sh/afar/coordinator/birthmark"
	"github.com/afar-sh/afar/coordinator/client"
	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/host"
	"github.com/afar-sh/afar/coordinator/host/claude"
	"github.com/afar-sh/afar/coordinator/internal/child"
	"github.com/afar-sh/afar/coordinator/peer"
	"github.com/afar-sh/afar/coordinator/wall"
	"github.com/afar-sh/afar/coordinator/wire"
)

// launch starts this program again in the background, and prints its process id. The coordinator
// is then no ancestor of the agent, and may come and go.
func launch(bin string, turn []string, getenv func(string) string) error {
	dirs, _, err := home.ForHook(bin, getenv)
	if err != nil {
		return err
	}
	log, err := os.OpenFile(filepath.Join(filepath.Dir(dirs.Log()), "agent-run.log"),
		os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer null.Close()
	exe := home.Program(bin, "agent-run")
	p, err := os.StartProcess(exe, append([]string{exe, Turn}, turn...), &os.ProcAttr{
		Dir:   string(filepath.Separator),
		Env:   os.Environ(),
		Files: []*os.File{null, null, log},
		Sys:   client.Detached(),
	})
	if err != nil {
		return err
	}
	_, err = fmt.Println(p.Pid)
	return err
}

// lockFD is the descriptor of the conversation's lock in the agent.
const lockFD = 3

// becomeAgent writes into the lock which process has it, and becomes the agent. The agent
// inherits the lock, so no other process continues the conversation while it lives.
func becomeAgent(id, fence string, command []string) error {
	lock := os.NewFile(lockFD, "lock")
	pid := os.Getpid()
	holder := strings.Join([]string{id, fence, strconv.Itoa(pid), peer.Birth(pid)}, " ")
	if err := lock.Truncate(0); err != nil {
		return err
	}
	if _, err := lock.WriteAt([]byte(holder), 0); err != nil {
		return err
	}
	return fmt.Errorf("start %s: %w", command[0], syscall.Exec(command[0], command, os.Environ()))
}

// A holder is what a lock says of the process that has it.
type holder struct {
	id, fence string
	pid       int
	born      string
}

func readHolder(lock *os.File) (h holder) {
	raw := make([]byte, 1024)
	n, _ := lock.ReadAt(raw, 0)
	fields := strings.Fields(string(raw[:n]))
	if len(fields) < 3 {
		return h
	}
	h.id, h.fence = fields[0], fields[1]
	h.pid, _ = strconv.Atoi(fields[2])
	if len(fields) > 3 {
		h.born = fields[3]
	}
	return h
}

// An agent is the process of an agent. The process may have been started by another
// agentrun, which has died.
type agent struct {
	pid  int
	born string
	lock *os.File
	over chan exit // gets the end of the process
	// in and out are the pipes of a Talker, nil for others.
	in, out *os.File
	ask     func() // asks it to end its turn

	asked time.Time // when it was asked to end; zero if it was not
	left  []press   // what follows if it does not
}

// An exit is how a process ended.
type exit struct {
	code   int // -1 if a signal ended it, or it is not known
	killed bool
}

// freeFor is how long an earlier turn may take to let go of the conversation.
const (
	freeFor   = 15 * time.Second
	tryAgain  = 25 * time.Millisecond
	glanceFor = 50 * time.Millisecond
)

// takeAgent returns the agent of the turn. It starts the agent, unless an agentrun that died
// has done so. A Talker whose agentrun died is ended.
func (t *turn) takeAgent() (*agent, error) {
	lock, err := openLock(t.dirs, t.spec.Conversation)
	if err != nil {
		return nil, err
	}
	for end := time.Now().Add(freeFor); ; time.Sleep(tryAgain) {
		err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		h := readHolder(lock)
		started := h.id == t.id && h.fence == strconv.FormatInt(t.fence, 10)
		switch {
		case err == nil && started:
			return ended(lock, h), nil
		case err == nil:
			return t.startAgent(lock)
		case started && !t.talks():
			return t.adopt(lock, h), nil
		case started:
			h.kill()
		case !errors.Is(err, syscall.EWOULDBLOCK):
			return nil, fmt.Errorf("take the conversation: %w", err)
		}
		if time.Now().After(end) {
			return nil, heldBy(h)
		}
	}
}

// talks reports whether the agent is a Talker.
func (t *turn) talks() bool {
	_, ok := t.adapter.(host.Talker)
	return ok
}

// kill ends the holder's process group.
func (h holder) kill() { (&agent{pid: h.pid, born: h.born}).kill() }

// ended returns the agent of a turn whose process has ended unseen.
func ended(lock *os.File, h holder) *agent {
	a := &agent{pid: h.pid, born: h.born, lock: lock, over: make(chan exit, 1)}
	a.over <- exit{code: -1}
	return a
}

// adopt returns an agent that another agentrun has started. It has ended when the lock is free
// or its process is gone.
func (t *turn) adopt(lock *os.File, h holder) *agent {
	a := &agent{pid: h.pid, born: h.born, lock: lock, over: make(chan exit, 1)}
	go func() {
		for syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil && peer.Lives(h.pid, h.born) {
			time.Sleep(glanceFor)
		}
		a.over <- exit{code: -1}
	}()
	return a
}

// startAgent starts the agent in a process group of its own.
func (t *turn) startAgent(lock *os.File) (*agent, error) {
	cmd, bound, notBefore, err := t.command()
	if err == nil {
		err = t.waitUntil(notBefore)
	}
	if err == nil {
		err = checkOpen(t.dirs, cmd.Env, t.spec.Conversation)
	}
	if err != nil {
		return nil, err
	}
	a := &agent{lock: lock, over: make(chan exit, 1)}
	files, err := t.openFiles(a)
	if err != nil {
		return nil, err
	}
	defer closeAll(files)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = files[0], files[1], files[2]
	cmd.ExtraFiles = []*os.File{lock}
	cmd.SysProcAttr = client.Detached()
	level := birthmark.Client
	if t.talks() { // other agents have no hooks of ours that mark their shells
		level = birthmark.Shell
	}
	birthmark.Mark(cmd, level)
	if err := bound.Start(cmd); err != nil {
		return nil, fmt.Errorf("start %s: %w", t.spec.Command[0], err)
	}
	a.pid = cmd.Process.Pid
	a.born = peer.Birth(a.pid)
	go func() {
		_ = cmd.Wait() // its state says how it ended
		status, _ := cmd.ProcessState.Sys().(syscall.WaitStatus)
		killed := status.Signaled() && status.Signal() == syscall.SIGKILL
		a.over <- exit{code: cmd.ProcessState.ExitCode(), killed: killed}
	}()
	return a, nil
}

// waitUntil waits until a time. It returns an error if the turn is to end before.
func (t *turn) waitUntil(at time.Time) error {
	over := time.NewTimer(time.Until(at))
	defer over.Stop()
	select {
	case <-over.C:
		return nil
	case s := <-t.told:
		t.over.Yields = s == syscall.SIGHUP
		return errors.New("it was ended before it started")
	}
}

// about returns what the adapter gets to know of the turn.
func (t *turn) about() host.Turn {
	turn := about(t.spec)
	turn.Servers, turn.ServersFile = t.servers(), t.file("mcp")
	return turn
}

// servers returns the servers of tools for the agent. One whose variables cannot be read is left
// out: the agent works without it, and the end of the turn says so.
func (t *turn) servers() (all []host.Server) {
	for _, s := range t.spec.Servers {
		env := s.Env
		if s.EnvFile != "" {
			more, err := readEnvFile(s.EnvFile)
			if err != nil {
				t.over.Lacks = strings.TrimPrefix(fmt.Sprintf("%s; %s: %v", t.over.Lacks, s.Name, err), "; ")
				continue
			}
			env = append(env, more...)
		}
		all = append(all, host.Server{Name: s.Name, Command: s.Command, URL: s.URL, Env: env})
	}
	return all
}

// about returns what an adapter gets to know of a turn or of a conversation.
func about(spec wire.RunTurnReply) host.Turn {
	t := host.Turn{
		Conversation: spec.Conversation,
		Thread:       spec.Thread,
		Resumes:      spec.Resumes,
		Mode:         spec.Mode,
		Model:        spec.Model,
		Dir:          spec.Dir,
		Program:      filepath.Base(spec.Command[0]),
		BudgetUSD:    spec.BudgetUSD,
		Walled:       spec.Wall.Mode != "",
	}
	if spec.ThreadAt != 0 {
		t.ThreadAt = time.UnixMilli(spec.ThreadAt)
	}
	return t
}

// command returns the command of the agent, with this program before it, its wall, and when it may start.
func (t *turn) command() (cmd *exec.Cmd, w wall.Wall, notBefore time.Time, err error) {
	if len(t.spec.Command) == 0 {
		return nil, w, notBefore, errors.New("the agent has no command")
	}
	if err := checkDir(t.spec.Dir); err != nil {
		return nil, w, notBefore, err
	}
	t.known = t.about()
	start, err := t.adapter.Start(t.known)
	if err == nil && start.Servers != nil {
		err = os.WriteFile(t.known.ServersFile, start.Servers, 0o600)
	}
	if err != nil {
		return nil, w, notBefore, err
	}
	env, err := turnEnv(t.dirs, t.getenv, t.spec)
	if err != nil {
		return nil, w, notBefore, err
	}
	program, err := child.Find(t.spec.Command[0], t.dirs.Path, t.spec.Dir)
	if err != nil {
		return nil, w, notBefore, fmt.Errorf("%s: %w", t.spec.Command[0], err)
	}
	t.program = program
	env = append(append(env, "PWD="+t.spec.Dir), start.Env...)
	w, env, err = t.wall(program, env)
	if err != nil {
		return nil, w, notBefore, err
	}
	cmd = exec.Command(home.Program(t.bin, "agent-run"), become, t.id, strconv.FormatInt(t.fence, 10), program)
	cmd.Args = append(append(cmd.Args, t.spec.Command[1:]...), start.Args...)
	cmd.Dir, cmd.Env = t.spec.Dir, env
	if t.talks() { // its children are those of a session, and decide nothing
		cmd.Env = append(cmd.Env, claude.ChildMark)
	}
	return cmd, w, start.NotBefore, nil
}

// openFiles opens the stdin, stdout and stderr of the agent a. A Talker gets pipes.
func (t *turn) openFiles(a *agent) (files []*os.File, err error) {
	if !t.talks() {
		return t.openPlain()
	}
	defer func() {
		if err != nil {
			closeAll(append(files, a.in, a.out))
			files = nil
		}
	}()
	in, ourIn, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	a.in, files = ourIn, append(files, in)
	ourOut, out, err := os.Pipe()
	if err != nil {
		return files, err
	}
	a.out, files = ourOut, append(files, out)
	said, err := os.OpenFile(t.file("err"), appending, 0o600)
	return append(files, said), err
}

const appending = os.O_CREATE | os.O_WRONLY | os.O_APPEND

// openPlain opens the files of a Streamer. The prompt is a whole file before the agent starts,
// and the output is a file, because an agent may cut off output that is read too slowly.
func (t *turn) openPlain() (files []*os.File, err error) {
	if err := os.WriteFile(t.file("in"), []byte(t.spec.Prompt), 0o600); err != nil {
		return nil, err
	}
	for _, of := range []struct {
		kind  string
		flags int
	}{{"in", os.O_RDONLY}, {"out", appending}, {"err", appending}} {
		f, err := os.OpenFile(t.file(of.kind), of.flags, 0o600)
		if err != nil {
			closeAll(files)
			return nil, err
		}
		files = append(files, f)
	}
	return files, nil
}

func closeAll(files []*os.File) {
	for _, f := range files {
		f.Close() // an error for a nil one
	}
}

// A press is a signal to the group of an agent that was asked to end, and how long after that.
type press struct {
	after  time.Duration
	signal syscall.Signal
}

// leaving are the signals for an agent whose work is over.
var leaving = []press{{2 * time.Second, syscall.SIGTERM}, {4 * time.Second, syscall.SIGKILL}}

// interrupt asks the agent to end its turn within a time, once, and presses on after that.
func (a *agent) interrupt(within time.Duration) {
	if a.asked.IsZero() {
		a.hurry([]press{{within, syscall.SIGTERM}, {within * 3 / 2, syscall.SIGKILL}})
		a.ask()
	}
}

// hurry replaces the signals that are left.
func (a *agent) hurry(steps []press) { a.asked, a.left = time.Now(), steps }

// press goes on to end an agent that was asked to.
func (a *agent) press(now time.Time) {
	if len(a.left) == 0 || now.Sub(a.asked) < a.left[0].after {
		return
	}
	a.signal(-a.pid, a.left[0].signal)
	a.left = a.left[1:]
}

// kill ends the agent's process group at once.
func (a *agent) kill() { a.signal(-a.pid, syscall.SIGKILL) }

// signal sends a signal to the agent or its group. It sends nothing if the agent is gone and
// another process has its id.
func (a *agent) signal(to int, s syscall.Signal) {
	if born := peer.Birth(a.pid); a.pid > 1 && (born == "" || born == a.born) {
		_ = syscall.Kill(to, s) // it may be gone
	}
}

// release ends what the agent left running in its group, and lets go of the conversation.
func (a *agent) release() {
	a.kill()
	unlock(a.lock)
}
