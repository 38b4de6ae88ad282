package peer

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/afar-sh/afar/coordinator/birthmark"
)

// Supported reports whether this system says which process is calling.
const Supported = true

func credentials(fd int) (uid, pid int, err error) {
	c, err := unix.GetsockoptXucred(fd, unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
	if err != nil {
		return 0, 0, fmt.Errorf("%w: %w", ErrUnknown, err)
	}
	pid, err = unix.GetsockoptInt(fd, unix.SOL_LOCAL, unix.LOCAL_PEERPID)
	if err != nil {
		return 0, 0, fmt.Errorf("%w: %w", ErrUnknown, err)
	}
	return int(c.Uid), pid, nil
}

// BornAt always returns "" here.
func BornAt(string) string { return "" }

// zombie is SZOMB, the state of a process that has ended and was not waited for.
const zombie = 5

// Level is always birthmark.None here.
func Level(int) birthmark.Level { return birthmark.None }

// Bearers always returns nil here.
func Bearers() []Process { return nil }

// Seal does nothing here.
func Seal() error { return nil }

// Tracer always returns 0 here.
func Tracer(int) int { return 0 }

// glance is the same as look here: the program's name and its environment are read
// together.
func glance(pid int) (Process, error) { return look(pid) }

func look(pid int) (Process, error) {
	k, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return Process{}, fmt.Errorf("%w: %w", ErrUnknown, err)
	}
	start := k.Proc.P_starttime
	p := Process{
		PID:      pid,
		Parent:   int(k.Eproc.Ppid),
		Terminal: k.Eproc.Tdev != -1,
		Born:     fmt.Sprintf("%d.%06d", start.Sec, start.Usec),
		Over:     k.Proc.P_stat == zombie,
	}
	p.Exe, p.Marked = image(pid)
	return p, nil
}

// image returns the binary's path, and whether the environment is that of a session's child.
func image(pid int) (exe string, isMarked bool) {
	exe, env := started(pid)
	return exe, marked(slices.Values(env))
}

// started reads the binary's path and the environment from the memory that the kernel keeps for ps:
// argc, path, padding, arguments, environment.
func started(pid int) (exe string, env [][]byte) {
	raw, err := unix.SysctlRaw("kern.procargs2", pid)
	if err != nil || len(raw) < 4 {
		return "", nil
	}
	argc := int(binary.LittleEndian.Uint32(raw))
	path, rest, _ := bytes.Cut(raw[4:], []byte{0})
	words := bytes.Split(bytes.TrimLeft(rest, "\x00"), []byte{0})
	if argc > len(words) {
		return string(path), nil
	}
	return string(path), words[argc:]
}

// WithEnv returns the processes of this user that were started with an entry in their environment.
func WithEnv(entry string) (pids []int) {
	all, err := unix.SysctlKinfoProcSlice("kern.proc.uid", os.Getuid())
	if err != nil {
		return nil
	}
	for _, k := range all {
		pid := int(k.Proc.P_pid)
		_, env := started(pid)
		if slices.ContainsFunc(env, func(v []byte) bool { return string(v) == entry }) {
			pids = append(pids, pid)
		}
	}
	return pids
}
