//go:build unix

package child

import (
	"os"
	"os/exec"
	"syscall"
	"time"
)

// A group is the processes of one program: the leader of a session, and all that
// it started and that did not leave.
type group struct {
	leader *exec.Cmd
	told   time.Time // to end; zero where nobody did
}

// separate gives a command that is not yet started a group of its own, which is
// told to end when the command's time is over.
func separate(cmd *exec.Cmd) *group {
	g := &group{leader: cmd}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error {
		g.told = time.Now()
		return g.signal(syscall.SIGTERM)
	}
	return g
}

func (g *group) signal(s syscall.Signal) error { return syscall.Kill(-g.leader.Process.Pid, s) }

func (g *group) wasTold() bool { return !g.told.IsZero() }

// A group that ends with us has a watchman: a shell in a session of its own that
// waits at a pipe from this process. The system closes it in whatever way we die,
// and then he kills the group. Whose that is he hears from the leader, a shell
// before it becomes the program, so that there is no moment in between. A mark on
// the process, such as Linux has, would reach the leader alone, and there is
// nothing like it elsewhere.
const (
	watching = `read -r group && { read -r _; kill -s KILL -- "-$group"; }`
	leading  = `echo $$ >&3; exec 3>&-; exec "$0" "$@"`
)

// tie makes a group that is not yet started end with this process; untie is called
// when it has ended.
func (g *group) tie() (untie func(), err error) {
	theirs, ours, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	watchman := exec.Command("/bin/sh", "-c", watching)
	watchman.Env, watchman.Dir, watchman.Stdin = []string{}, "/", theirs
	watchman.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	err = watchman.Start()
	theirs.Close()
	if err != nil {
		ours.Close()
		return nil, err
	}
	g.leader.Args = append([]string{"/bin/sh", "-c", leading, g.leader.Path}, g.leader.Args[1:]...)
	g.leader.Path, g.leader.ExtraFiles = "/bin/sh", []*os.File{ours}
	return func() {
		_ = watchman.Process.Kill()
		_ = watchman.Wait()
		ours.Close()
	}, nil
}

// end kills what is left of a group whose leader has ended. Those who were told
// to end have the rest of their grace.
func (g *group) end(grace time.Duration) {
	const look = 5 * time.Millisecond
	for until := g.told.Add(grace); time.Now().Before(until) && g.signal(0) == nil; time.Sleep(look) {
	}
	_ = g.signal(syscall.SIGKILL)
}
