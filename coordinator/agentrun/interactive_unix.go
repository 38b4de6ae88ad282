//go:build unix

package agentrun

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/host"
	"github.com/afar-sh/afar/coordinator/host/agents"
	"github.com/afar-sh/afar/coordinator/internal/child"
	"github.com/afar-sh/afar/coordinator/internal/session"
)

// Run takes the lock of the conversation, runs the client at the terminal of this process until
// it ends, and lets go of the lock. The client inherits the lock, so that no other process
// continues the conversation if this one is killed.
func (i Interactive) Run() error {
	env, err := i.environ()
	if err != nil {
		return err
	}
	cmd, err := i.command(env)
	if err != nil {
		return err
	}
	lock, err := i.lock()
	if err != nil {
		return err
	}
	defer unlock(lock)
	if err := checkOpen(i.Dirs, env, i.Session.Conversation); err != nil {
		return err
	}
	cmd.ExtraFiles = []*os.File{lock}
	// Ctrl-C is for the client. A terminal that closes tells the client too, which then ends.
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGHUP, syscall.SIGTERM)
	defer signal.Stop(signals)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", i.Session.Command[0], err)
	}
	go passOn(signals, cmd.Process.Pid)
	return await(cmd.Process.Pid)
}

// passOn sends the client the signal that the terminal does not send it.
func passOn(signals chan os.Signal, client int) {
	for s := range signals {
		if s == syscall.SIGTERM {
			_ = syscall.Kill(client, syscall.SIGTERM) // it may have ended
		}
	}
}

// await waits for the end of the client. If the person suspends the client, this process stops
// as well, so that their shell goes on.
func await(client int) error {
	for {
		var status syscall.WaitStatus
		_, err := syscall.Wait4(client, &status, syscall.WUNTRACED, nil)
		switch {
		case err == syscall.EINTR:
		case err != nil:
			return fmt.Errorf("wait for the client: %w", err)
		case status.Stopped():
			_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP)
			_ = syscall.Kill(client, syscall.SIGCONT)
		default:
			return nil
		}
	}
}

// command returns the command of the client, with the runner before it, which writes into the
// lock who has it.
func (i Interactive) command(env []string) (*exec.Cmd, error) {
	adapter, err := agents.Speaking(cmp.Or(i.Session.Protocol, i.Session.Agent))
	if err != nil {
		return nil, err
	}
	agent, ok := adapter.(host.Interactive)
	if !ok {
		return nil, fmt.Errorf("%s has no client for a terminal", i.Session.Agent)
	}
	start, err := agent.Interactive(about(i.Session))
	if err != nil {
		return nil, err
	}
	if err := checkDir(i.Session.Dir); err != nil {
		return nil, err
	}
	program, err := child.Find(i.Session.Command[0], i.Dirs.Path, i.Session.Dir)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", i.Session.Command[0], err)
	}
	cmd := exec.Command(home.Program(i.Bin, "agent-run"), become, i.ID, strconv.FormatInt(i.Fence, 10), program)
	cmd.Args = append(append(cmd.Args, i.Session.Command[1:]...), start.Args...)
	cmd.Dir, cmd.Env = i.Session.Dir, append(append(env, "PWD="+i.Session.Dir), start.Env...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	return cmd, nil
}

// lock waits for the lock of the conversation: the turn that has just ended may still hold it.
func (i Interactive) lock() (*os.File, error) {
	lock, err := openLock(i.Dirs, i.Session.Conversation)
	if err != nil {
		return nil, err
	}
	for end := time.Now().Add(freeFor); syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil; {
		if time.Now().After(end) {
			defer lock.Close()
			return nil, heldBy(readHolder(lock))
		}
		time.Sleep(tryAgain)
	}
	return lock, nil
}

// heldBy returns the error for a lock that another process has.
func heldBy(h holder) error {
	return errOpen{fmt.Sprintf("process %d", h.pid), session.Process{PID: h.pid, Born: h.born}}
}

// openLock opens the lock of a conversation, without taking it.
func openLock(dirs home.Dirs, conversation string) (*os.File, error) {
	if err := host.CheckConversation(conversation); err != nil {
		return nil, err
	}
	path := dirs.ConversationLock(conversation)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	lock, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("take the conversation: %w", err)
	}
	return lock, nil
}

// unlock lets go of a conversation, also where a process that the client left still has the
// descriptor.
func unlock(lock *os.File) {
	_ = syscall.Flock(int(lock.Fd()), syscall.LOCK_UN)
	lock.Close()
}

// Holder returns the process that has a lock of a conversation. held is false if none has it.
func Holder(path string) (pid int, held bool) {
	lock, err := os.Open(path)
	if err != nil {
		return 0, false
	}
	defer lock.Close()
	if syscall.Flock(int(lock.Fd()), syscall.LOCK_SH|syscall.LOCK_NB) == nil {
		return 0, false
	}
	return readHolder(lock).pid, true
}
