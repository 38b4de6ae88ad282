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

	"github.com/afar-sh/afar/coordinator/client"
	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/host/claude/headless"
	"github.com/afar-sh/afar/coordinator/internal/child"
	"github.com/afar-sh/afar/coordinator/peer"
)

// launch starts this program again in the background. The coordinator is then no ancestor of
// the agent, and may come and go.
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
	_, err = os.StartProcess(exe, append([]string{exe, Turn}, turn...), &os.ProcAttr{
		Dir:   string(filepath.Separator),
		Env:   os.Environ(),
		Files: []*os.File{null, null, log},
		Sys:   client.Detached(),
	})
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

	asked time.Time // when it was asked to end; zero if it was not
	steps int       // of pressing
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
// has done so.
func (t *turn) takeAgent() (*agent, error) {
	path := t.dirs.ConversationLock(t.spec.Conversation)
	if err := headless.CheckConversation(t.spec.Conversation); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	lock, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("take the conversation: %w", err)
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
		case started:
			return t.adopt(lock, h), nil
		case !errors.Is(err, syscall.EWOULDBLOCK):
			return nil, fmt.Errorf("take the conversation: %w", err)
		case time.Now().After(end):
			return nil, fmt.Errorf("the conversation is open elsewhere: process %d has it", h.pid)
		}
	}
}

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
	cmd, err := t.command()
	if err != nil {
		return nil, err
	}
	files, err := t.openFiles()
	if err != nil {
		return nil, err
	}
	defer closeAll(files)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = files[0], files[1], files[2]
	cmd.ExtraFiles = []*os.File{lock}
	cmd.SysProcAttr = client.Detached()
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", t.spec.Command[0], err)
	}
	pid := cmd.Process.Pid
	a := &agent{pid: pid, born: peer.Birth(pid), lock: lock, over: make(chan exit, 1)}
	go func() {
		_ = cmd.Wait() // its state says how it ended
		status, _ := cmd.ProcessState.Sys().(syscall.WaitStatus)
		killed := status.Signaled() && status.Signal() == syscall.SIGKILL
		a.over <- exit{code: cmd.ProcessState.ExitCode(), killed: killed}
	}()
	return a, nil
}

// command returns the command of the agent, with this program before it.
func (t *turn) command() (*exec.Cmd, error) {
	spec := headless.Turn{
		Conversation: t.spec.Conversation,
		Resumes:      t.spec.Resumes,
		Mode:         t.spec.Mode,
		Model:        t.spec.Model,
	}
	args, err := spec.Args()
	if err != nil {
		return nil, err
	}
	env, err := agentEnv(t.dirs, t.getenv, t.spec.EnvFile)
	if err != nil {
		return nil, err
	}
	if len(t.spec.Command) == 0 {
		return nil, errors.New("the agent has no command")
	}
	program, err := child.Find(t.spec.Command[0], t.dirs.Path, t.spec.Dir)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.spec.Command[0], err)
	}
	cmd := exec.Command(home.Program(t.bin, "agent-run"), become, t.id, strconv.FormatInt(t.fence, 10), program)
	cmd.Args = append(append(cmd.Args, t.spec.Command[1:]...), args...)
	cmd.Dir, cmd.Env = t.spec.Dir, append(env, "PWD="+t.spec.Dir)
	return cmd, nil
}

// openFiles opens the stdin, stdout and stderr of the agent. The prompt is a whole file before
// the agent starts, and the output is a file, because an agent may cut off output that is read too slowly.
func (t *turn) openFiles() (files []*os.File, err error) {
	if err := os.WriteFile(t.file("in"), []byte(t.spec.Prompt), 0o600); err != nil {
		return nil, err
	}
	const write = os.O_CREATE | os.O_WRONLY | os.O_APPEND
	for _, of := range []struct {
		kind  string
		flags int
	}{{"in", os.O_RDONLY}, {"out", write}, {"err", write}} {
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
		f.Close()
	}
}

// interrupt asks the agent to end its turn; press goes on if it does not.
func (a *agent) interrupt() {
	if a.asked.IsZero() {
		a.asked = time.Now()
		a.signal(a.pid, syscall.SIGINT)
	}
}

// pressing are the signals to a group that was asked to end, and how long after that.
var pressing = []struct {
	after  time.Duration
	signal syscall.Signal
}{{10 * time.Second, syscall.SIGTERM}, {15 * time.Second, syscall.SIGKILL}}

// press goes on to end an agent that was asked to.
func (a *agent) press(now time.Time) {
	if a.asked.IsZero() || a.steps >= len(pressing) || now.Sub(a.asked) < pressing[a.steps].after {
		return
	}
	a.signal(-a.pid, pressing[a.steps].signal)
	a.steps++
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
	_ = syscall.Flock(int(a.lock.Fd()), syscall.LOCK_UN)
	a.lock.Close()
}
