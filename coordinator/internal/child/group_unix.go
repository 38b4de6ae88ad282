//go:build unix

package child

import (
	"os"
	"os/exec"
	"syscall"
	"time"
)

// A group is the process group of one program, which is the leader of a session.
type group struct {
	leader *exec.Cmd
	told   time.Time // when it was told to end; zero if it was not
}

// separate gives a command that is not yet started a group of its own. The group is told
// to end when the command's context ends.
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

// A group that ends with this process has a watchman: a shell in a session of its own
// that reads a pipe from this process. When this process dies in any way, the system
// closes the pipe, and the watchman kills the group. The leader writes the number of the
// group to the pipe while it is still a shell, before it becomes the program, so the
// program is never without the watchman. The death signal of Linux would reach only the
// leader, and other systems have none.
const (
	watching = `read -r group && { read -r _; kill -s KILL -- "-$group"; }`
	leading  = `echo $$ >&3; exec 3>&-; exec "$0" "$@"`
)

// tie makes a group that is not yet started end with this process. The caller calls untie
// when the group has ended.
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

// end kills the rest of a group whose leader has ended. A group that was told to end has
// the rest of its grace.
func (g *group) end(grace time.Duration) {
	const pause = 5 * time.Millisecond
	for until := g.told.Add(grace); time.Now().Before(until) && g.signal(0) == nil; time.Sleep(pause) {
	}
	_ = g.signal(syscall.SIGKILL)
}
