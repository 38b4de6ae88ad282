package peer

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/afar-sh/afar/coordinator/birthmark"
)

// Supported reports whether this system says which process is calling.
const Supported = true

func credentials(fd int) (uid, pid int, err error) {
	c, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return 0, 0, fmt.Errorf("%w: %w", ErrUnknown, err)
	}
	return int(c.Uid), int(c.Pid), nil
}

// Born reports whether the process has a session's birthmark: a shell of a session, or
// a process that such a shell started, started it. If the kernel does not say, Born is
// true. A process of OfTCP without an id does not have it.
func Born(pid int) bool { return pid != 0 && hasBirthmark(pid) && !allHaveBirthmark() }

// allHaveBirthmark reports whether the first process has the birthmark. Then this system or
// container runs with such a limit, and the birthmark says nothing.
var allHaveBirthmark = sync.OnceValue(func() bool { return hasBirthmark(1) })

// hasBirthmark reports whether a process has the birthmark.
func hasBirthmark(pid int) bool {
	level, err := birthmark.Of(pid)
	if err == nil {
		return level != birthmark.None
	}
	return listedBirthmark(pid)
}

// listedBirthmark is like hasBirthmark, but reads the limits from /proc. It is for a process whose
// limits Prlimit may not read, such as one of another user.
func listedBirthmark(pid int) bool {
	raw, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/limits")
	_, row, _ := strings.Cut(string(raw), "\nMax file locks ")
	fields := strings.Fields(row)
	if len(fields) < 2 {
		return pid != 1 // the file cannot be read
	}
	hard, err := strconv.ParseUint(fields[1], 10, 64)
	return err == nil && birthmark.At(hard) != birthmark.None
}

func look(pid int) (Process, error) {
	p, err := glance(pid)
	if err != nil {
		return Process{}, err
	}
	room := rooms.Get().(*[]byte)
	defer rooms.Put(room)
	env, _ := slurp("/proc/"+strconv.Itoa(pid)+"/environ", room)
	p.Marked = marked(bytes.SplitSeq(env, []byte{0}))
	return p, nil
}

func glance(pid int) (Process, error) {
	dir := "/proc/" + strconv.Itoa(pid)
	room := rooms.Get().(*[]byte)
	defer rooms.Put(room)
	stat, err := slurp(dir+"/stat", room)
	if err != nil {
		return Process{}, fmt.Errorf("%w: %w", ErrUnknown, err)
	}
	// The name in parentheses may hold anything; the fields follow the last one.
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if len(fields) <= startField {
		return Process{}, ErrUnknown
	}
	parent, _ := strconv.Atoi(fields[1])
	exe, _ := os.Readlink(dir + "/exe")
	return Process{
		PID:      pid,
		Parent:   parent,
		Exe:      strings.TrimSuffix(exe, " (deleted)"),
		Terminal: fields[4] != "0",
		Born:     boot() + ":" + fields[startField],
		Over:     strings.Contains("ZX", fields[0]), // a zombie, or dead
	}, nil
}

// startField is the index of a process's start time among the fields after its name, in
// ticks since the machine's start.
const startField = 19

// BornAt returns Process.Born of a process that began the given number of ticks after the
// machine's start, "" if ticks is not a number.
func BornAt(ticks string) string {
	if _, err := strconv.ParseUint(ticks, 10, 64); err != nil {
		return ""
	}
	return boot() + ":" + ticks
}

// boot returns a name for this start of the machine, from which ticks are counted.
var boot = sync.OnceValue(func() string {
	id, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	name, _, _ := strings.Cut(string(id), "-")
	return strings.TrimSpace(name)
})

// rooms holds buffers for the kernel's files. Each call of a hook reads two such files
// for each process between the hook and the first process.
var rooms = sync.Pool{New: func() any { b := make([]byte, 16<<10); return &b }}

// slurp reads a file of the kernel, like os.ReadFile. A poller cannot wait for such a
// file, and its size is not known before. The result is valid until room is used again.
func slurp(path string, room *[]byte) ([]byte, error) {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	for have := 0; ; {
		n, err := unix.Read(fd, (*room)[have:])
		if err == unix.EINTR {
			continue
		}
		if have += max(n, 0); err != nil || n <= 0 {
			return (*room)[:have], err
		}
		if have == len(*room) {
			*room = append(*room, make([]byte, have)...)
		}
	}
}

// WithEnv returns the processes of this user that were started with an entry in their environment.
func WithEnv(entry string) (pids []int) {
	all, _ := os.ReadDir("/proc") // without it none is found
	for _, d := range all {
		pid, err := strconv.Atoi(d.Name())
		if err != nil {
			continue
		}
		env, err := os.ReadFile("/proc/" + d.Name() + "/environ")
		if err == nil && bytes.Contains(append([]byte{0}, env...), []byte("\x00"+entry+"\x00")) {
			pids = append(pids, pid)
		}
	}
	return pids
}
