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

// Level returns the level of the birthmark of a process. If the kernel does not say, it is the
// lowest. A process of OfTCP without an id has none.
func Level(pid int) birthmark.Level {
	if pid == 0 || firstHasBirthmark() {
		return birthmark.None
	}
	return levelOf(pid)
}

// firstHasBirthmark reports whether the first process has a birthmark. Then this system or
// container runs with such a limit, and the birthmark says nothing.
var firstHasBirthmark = sync.OnceValue(func() bool { return levelOf(1) != birthmark.None })

func levelOf(pid int) birthmark.Level {
	if level, err := birthmark.Of(pid); err == nil {
		return level
	}
	return listedLevel(pid)
}

// listedLevel is like levelOf, but reads the limits from /proc. It is for a process whose
// limits prlimit may not read, such as one of another user.
func listedLevel(pid int) birthmark.Level {
	raw, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/limits")
	_, row, _ := strings.Cut(string(raw), "\nMax file locks ")
	fields := strings.Fields(row)
	switch {
	case len(fields) >= 2:
	case pid == 1: // its limits may not be shown
		return birthmark.None
	default:
		return birthmark.Consulted
	}
	hard, err := strconv.ParseUint(fields[1], 10, 64)
	if err != nil {
		return birthmark.None // "unlimited"
	}
	return birthmark.At(hard)
}

// Bearers returns the processes of this user that have a birthmark.
func Bearers() (all []Process) {
	if firstHasBirthmark() {
		return nil
	}
	dirs, _ := os.ReadDir("/proc") // without it none is found
	for _, d := range dirs {
		pid, err := strconv.Atoi(d.Name())
		if err != nil {
			continue
		}
		level, err := birthmark.Of(pid) // it fails for processes of others
		if p, gone := glance(pid); err == nil && gone == nil && level != birthmark.None {
			all = append(all, p)
		}
	}
	return all
}

// Seal keeps other processes of this user from tracing this one and from reading its memory,
// its descriptors and its environment. Only root can.
func Seal() error { return unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) }

// Tracer returns the process that traces another one, such as a debugger, 0 for none.
func Tracer(pid int) int {
	raw, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	_, row, _ := strings.Cut(string(raw), "\nTracerPid:")
	row, _, _ = strings.Cut(row, "\n")
	tracer, _ := strconv.Atoi(strings.TrimSpace(row))
	return tracer
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
		Leads:    fields[3] == strconv.Itoa(pid),
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
