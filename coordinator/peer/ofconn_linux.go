package peer

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// An end is one end of a connection, as the kernel lists it.
type end struct {
	inode string // of the socket
	uid   int    // of who opened it
}

// searches is how often ofTCP searches while the holders change: a program that starts another
// one shares the connection with it from the fork to the exec.
const searches = 5

func ofTCP(local, remote netip.AddrPort) ([]Process, error) {
	e, err := endOf(remote, local)
	if err != nil {
		return nil, err
	}
	if e.uid != os.Getuid() {
		return ofAccount(e.uid)
	}
	for range searches {
		found, hidden, err := holders("socket:[" + e.inode + "]")
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			return startedByRoot(hidden, groupOf(remote, local))
		}
		if all, err := linesOf(found); err == nil {
			return all, nil
		}
	}
	return nil, fmt.Errorf("%w: the connection changes hands all the time", ErrUnknown)
}

// linesOf returns the lines of holders. The holders must still hold the connection when their lines
// were read: an id could have passed to another process.
func linesOf(found []holder) ([]Process, error) {
	pids := make([]int, len(found))
	for i, h := range found {
		pids[i] = h.pid
	}
	all := lines(pids)
	for _, h := range found {
		if target, err := os.Readlink(h.fd); err != nil || target != h.target {
			return nil, fmt.Errorf("%w: the connection changed hands", ErrUnknown)
		}
	}
	if len(all) == 0 {
		return nil, ErrUnknown
	}
	return all, nil
}

// systemAccounts is the number of user ids that systems keep for themselves.
const systemAccounts = 1000

// ofAccount returns the line of a connection that another user opened.
func ofAccount(uid int) ([]Process, error) {
	if uid >= systemAccounts {
		return nil, fmt.Errorf("%w: it runs as user %d", ErrUnknown, uid)
	}
	return []Process{{Exe: "a program of user " + strconv.Itoa(uid)}}, nil
}

// endOf returns the end of a connection whose own address is here. An IPv6 socket may be
// used for an IPv4 connection.
func endOf(here, there netip.AddrPort) (end, error) {
	if e, ok := askedEnd(here, there); ok {
		return e, nil
	}
	for range 2 { // the kernel may skip a row when the list changes while it is read
		for _, wide := range []bool{!here.Addr().Is4(), true} {
			name := "/proc/net/tcp"
			if wide {
				name += "6"
			}
			if e, err := findEnd(name, listed(here, wide), listed(there, wide)); err == nil {
				return e, nil
			} else if !errors.Is(err, ErrUnknown) && !errors.Is(err, fs.ErrNotExist) {
				return end{}, fmt.Errorf("%w: %w", ErrUnknown, err)
			}
		}
	}
	return end{}, fmt.Errorf("%w: the connection is gone", ErrUnknown)
}

// findEnd finds the row of a connection in a list of the kernel.
func findEnd(list, here, there string) (end, error) {
	file, err := os.Open(list)
	if err != nil {
		return end{}, err
	}
	defer file.Close()
	rows := bufio.NewScanner(file)
	for rows.Scan() {
		// number, here, there, state, queues, timer, retransmissions, user, timeout, inode
		f := strings.Fields(rows.Text())
		if len(f) < 10 || f[1] != here || f[2] != there {
			continue
		}
		uid, err := strconv.Atoi(f[7])
		if err != nil || f[9] == "0" {
			return end{}, ErrUnknown // nobody holds it any more
		}
		return end{inode: f[9], uid: uid}, nil
	}
	if err := rows.Err(); err != nil {
		return end{}, err
	}
	return end{}, ErrUnknown
}

// listed returns an address as the kernel lists it: in words of 32 bits of this machine.
func listed(a netip.AddrPort, wide bool) string {
	var b strings.Builder
	raw := a.Addr().AsSlice()
	if wide {
		long := a.Addr().As16()
		raw = long[:]
	}
	for word := range slices.Chunk(raw, 4) {
		fmt.Fprintf(&b, "%08X", binary.NativeEndian.Uint32(word))
	}
	fmt.Fprintf(&b, ":%04X", a.Port())
	return b.String()
}

// A holder is a process with an open file.
type holder struct {
	pid        int
	fd, target string // where /proc shows the file, and what it is
}

// holders returns the processes that have a file open, and those that do not show their files.
func holders(target string) (found []holder, hidden []int, err error) {
	proc, err := os.Open("/proc")
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrUnknown, err)
	}
	defer proc.Close()
	names, err := proc.Readdirnames(-1)
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrUnknown, err)
	}
	s := newSearch(target)
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		fd, err := s.in("/proc/" + name + "/fd")
		switch {
		case err == nil && fd != "":
			found = append(found, holder{pid: pid, fd: "/proc/" + name + "/fd/" + fd, target: target})
		case errors.Is(err, fs.ErrPermission):
			hidden = append(hidden, pid)
		}
	}
	return found, hidden, nil
}

// A search looks for one file among the open files of many processes. Its buffers serve for
// all of them: a machine has ten thousands of open files.
type search struct {
	target  []byte
	entries []byte
	names   []string
	link    []byte
}

func newSearch(target string) *search {
	return &search{target: []byte(target), entries: make([]byte, 16<<10), link: make([]byte, len(target)+1)}
}

// in returns the name under which a directory of open files has the file, "" for none.
func (s *search) in(dir string) (name string, err error) {
	fd, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return "", err
	}
	defer unix.Close(fd)
	for {
		n, err := unix.ReadDirent(fd, s.entries)
		if err != nil {
			return "", err
		}
		if n == 0 {
			return "", nil
		}
		_, _, s.names = unix.ParseDirent(s.entries[:n], -1, s.names[:0])
		for _, name := range s.names {
			// A longer target is cut, and then differs in its length.
			n, err := unix.Readlinkat(fd, name, s.link)
			if err == nil && bytes.Equal(s.link[:n], s.target) {
				return name, nil
			}
		}
	}
}

// startedByRoot returns the lines of the hidden processes that may hold a connection of our
// user, if root started each of them, and then the lines of the other processes that may have
// opened it; see OfTCP. group is where the connection was opened, 0 if that is unknown.
func startedByRoot(hidden []int, group uint64) ([]Process, error) {
	ours := os.Getuid()
	if ours == 0 {
		return nil, ErrUnknown // root started everything
	}
	if group == 0 {
		return nil, fmt.Errorf("%w: no process holds it, and the kernel does not say where it was opened", ErrUnknown)
	}
	var started []int
	for _, pid := range hidden {
		switch weigh(pid, ours, group) {
		case byRoot:
			started = append(started, pid)
		case suspect:
			return nil, fmt.Errorf("%w: process %d may hold it", ErrUnknown, pid)
		}
	}
	if len(started) == 0 {
		return nil, ErrUnknown
	}
	beside, err := visibleIn(group, ours, hidden)
	if err != nil {
		return nil, err
	}
	all := lines(append(started, beside...))
	if len(all) == 0 {
		return nil, ErrUnknown
	}
	return all, nil
}

// visibleIn returns the processes of a user that may be in a control group, other than this one
// and the hidden ones.
func visibleIn(group uint64, user int, hidden []int) (in []int, err error) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnknown, err)
	}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() || slices.Contains(hidden, pid) || elsewhere(pid, group) {
			continue
		}
		if p, err := statusOf(pid); err == nil && slices.Contains(p.uids, user) {
			in = append(in, pid)
		}
	}
	return in, nil
}

// A weight says what a hidden process has to do with a connection.
type weight int

const (
	unrelated weight = iota // it cannot hold the connection, or could not have it from a session
	byRoot                  // it may hold the connection, and root started it
	suspect                 // it may hold the connection for a session
)

func weigh(pid, ours int, group uint64) weight {
	born := Born(pid) // before statusOf: it is true of a process that has just ended
	p, err := statusOf(pid)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return unrelated
	case err != nil:
		return suspect
	case !slices.Contains(p.uids, ours):
		if born && fromUs(p, ours) {
			return suspect
		}
		return unrelated
	case born:
		return suspect
	case elsewhere(pid, group):
		return unrelated
	case startedBy(p).isRoot():
		return byRoot
	}
	return suspect
}

// startedBy returns the process that started another one, the zero status if that is
// unknown. The first process adopts orphans, so it may have started none of them.
func startedBy(p status) status {
	if p.parent <= 1 {
		return status{}
	}
	parent, _ := statusOf(p.parent)
	return parent
}

// fromUs reports whether a program of ours may have started a process that has the birthmark
// and runs as another user: whether the first of its ancestors without the birthmark is ours,
// or is unknown.
func fromUs(p status, ours int) bool {
	for range maxDepth {
		if p.parent <= 1 {
			return true
		}
		born := Born(p.parent)
		parent, err := statusOf(p.parent)
		if err != nil || slices.Contains(parent.uids, ours) {
			return true
		}
		if !born {
			return false
		}
		p = parent
	}
	return true
}

// A status is what the kernel tells everybody about a process.
type status struct {
	parent int
	uids   []int // real, effective, saved, for files
}

func (s status) isRoot() bool { return len(s.uids) == 4 && slices.Max(s.uids) == 0 }

func statusOf(pid int) (s status, err error) {
	raw, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if errors.Is(err, unix.ESRCH) {
		err = fs.ErrNotExist
	}
	if err != nil {
		return s, err
	}
	for row := range strings.Lines(string(raw)) {
		switch name, rest, _ := strings.Cut(row, ":"); name {
		case "PPid":
			s.parent, err = strconv.Atoi(strings.TrimSpace(rest))
		case "Uid":
			s.uids, err = numbers(rest)
		}
		if err != nil {
			return s, err
		}
	}
	if len(s.uids) == 0 {
		return s, ErrUnknown
	}
	return s, nil
}

func numbers(row string) (all []int, err error) {
	for _, field := range strings.Fields(row) {
		n, err := strconv.Atoi(field)
		if err != nil {
			return nil, err
		}
		all = append(all, n)
	}
	return all, nil
}
