package peer

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/afar-sh/afar/coordinator/home"
)

// Supported reports whether this system tells who is calling.
const Supported = true

func credentials(fd int) (uid, pid int, err error) {
	c, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return 0, 0, fmt.Errorf("%w: %w", ErrUnknown, err)
	}
	return int(c.Uid), int(c.Pid), nil
}

// Born reports whether a shell of a session, or something that one started, gave
// birth to the process. Where the kernel does not say it, the answer is yes.
func Born(pid int) bool { return bears(pid) && !allBear() }

// allBear reports that everything here bears the mark, so that it says nothing:
// somebody runs this system, or this container, with such a limit.
var allBear = sync.OnceValue(func() bool { return bears(1) })

func bears(pid int) bool {
	raw, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/limits")
	if err != nil {
		return pid != 1
	}
	_, row, ok := strings.Cut(string(raw), "\nMax file locks ")
	fields := strings.Fields(row)
	if !ok || len(fields) < 2 {
		return pid != 1
	}
	hard, err := strconv.ParseUint(fields[1], 10, 64)
	return err == nil && hard <= home.Birthmark // it is "unlimited" for all others
}

func look(pid int) (Process, error) {
	dir := "/proc/" + strconv.Itoa(pid)
	stat, err := os.ReadFile(dir + "/stat")
	if err != nil {
		return Process{}, fmt.Errorf("%w: %w", ErrUnknown, err)
	}
	// The name in parentheses may hold anything; the fields follow the last one.
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if len(fields) < 5 {
		return Process{}, ErrUnknown
	}
	parent, _ := strconv.Atoi(fields[1])
	exe, _ := os.Readlink(dir + "/exe")
	env, _ := os.ReadFile(dir + "/environ")
	return Process{
		PID: pid, Parent: parent, Exe: strings.TrimSuffix(exe, " (deleted)"),
		Marked: marked(strings.Split(string(env), "\x00")), Terminal: fields[4] != "0",
	}, nil
}
