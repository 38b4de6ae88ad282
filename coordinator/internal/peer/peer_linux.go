package peer

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
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
