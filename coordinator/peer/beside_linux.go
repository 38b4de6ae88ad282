package peer

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// What the kernel's socket monitor understands of Unix sockets; see linux/unix_diag.h.
const (
	unixFixed    = 16 // length of the fixed part of a reply
	unixInode    = 4  // in the fixed part
	unixPeer     = 2  // the attribute with the inode of the other end
	unixShowPeer = 4  // asks for that attribute
	unixAll      = ^uint32(0)
)

// TellsBeside reports whether Beside works on this system.
const TellsBeside = true

// Beside returns the processes at the other ends of the Unix sockets of some processes,
// each with its ancestors. It leaves out the given processes and what they started by
// their own program alone, such as the workers of a service. Processes of other users are
// not seen. It returns ErrUnknown if the system does not tell.
func Beside(service []Process) (lines [][]Process, err error) {
	if len(service) == 0 {
		return nil, nil
	}
	ends, err := otherEnds()
	if err != nil {
		return nil, err
	}
	var far []string
	for _, p := range service {
		for _, inode := range socketsOf(p.PID) {
			if other := ends[inode]; other != "" {
				far = append(far, other)
			}
		}
	}
	for _, pid := range processes() {
		isFar := func(inode string) bool { return slices.Contains(far, inode) }
		if !slices.ContainsFunc(socketsOf(pid), isFar) {
			continue
		}
		if line := Line(pid); len(line) > 0 && !isWorker(line, service) {
			lines = append(lines, line)
		}
	}
	return lines, nil
}

// isWorker reports whether a process is one of a service, or was started by one of them
// with nothing but the program of the service between.
func isWorker(line, service []Process) bool {
	for _, p := range line {
		if slices.ContainsFunc(service, func(s Process) bool { return s.PID == p.PID && s.Born == p.Born }) {
			return true
		}
		if !SameProgram(p.Exe, service[0].Exe) {
			return false
		}
	}
	return false
}

// processes returns the ids of all processes.
func processes() (pids []int) {
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

// socketsOf returns the inodes of the sockets that a process holds, nil for one that does
// not show them.
func socketsOf(pid int) (inodes []string) {
	dir := "/proc/" + strconv.Itoa(pid) + "/fd/"
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		target, _ := os.Readlink(dir + e.Name())
		if inode, ok := strings.CutPrefix(target, "socket:["); ok {
			inodes = append(inodes, strings.TrimSuffix(inode, "]"))
		}
	}
	return inodes
}

// otherEnds returns the inode of the other end of each connected Unix socket, by the inode of the
// socket.
func otherEnds() (map[string]string, error) {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, unix.NETLINK_SOCK_DIAG)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnknown, err)
	}
	defer unix.Close(fd)
	wait := unix.Timeval{Usec: 500_000}
	_ = unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &wait) // the kernel answers at once
	if err := unix.Sendto(fd, unixRequest(), 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnknown, err)
	}
	ends := map[string]string{}
	reply := make([]byte, 64<<10)
	for {
		n, _, err := unix.Recvfrom(fd, reply, 0)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrUnknown, err)
		}
		if isDone := readEnds(reply[:n], ends); isDone {
			return ends, nil
		}
	}
}

// unixRequest asks for all Unix sockets.
func unixRequest() []byte {
	native := binary.NativeEndian
	body := []byte{unix.AF_UNIX, 0, 0, 0}
	body = native.AppendUint32(body, unixAll) // in any state
	body = native.AppendUint32(body, 0)       // any inode
	body = native.AppendUint32(body, unixShowPeer)
	body = native.AppendUint64(body, ^uint64(0)) // no cookie
	head := native.AppendUint32(nil, uint32(unix.NLMSG_HDRLEN+len(body)))
	head = native.AppendUint16(head, diagByFamily)
	head = native.AppendUint16(head, unix.NLM_F_REQUEST|unix.NLM_F_DUMP)
	head = native.AppendUint64(head, 0) // number, sender
	return append(head, body...)
}

// readEnds adds what one reply of the kernel says to ends. isDone is true for the last one,
// and for one that makes no sense.
func readEnds(reply []byte, ends map[string]string) (isDone bool) {
	native := binary.NativeEndian
	for len(reply) >= unix.NLMSG_HDRLEN {
		size := int(native.Uint32(reply))
		if size < unix.NLMSG_HDRLEN || size > len(reply) || native.Uint16(reply[4:]) != diagByFamily {
			return true
		}
		if message := reply[unix.NLMSG_HDRLEN:size]; len(message) >= unixFixed {
			inode := native.Uint32(message[unixInode:])
			if other := attribute(message[unixFixed:], unixPeer); len(other) == 4 {
				ends[inodeName(inode)] = inodeName(native.Uint32(other))
			}
		}
		reply = reply[min(len(reply), (size+3)&^3):]
	}
	return false
}

func inodeName(inode uint32) string { return strconv.FormatUint(uint64(inode), 10) }

// attribute returns the value of an attribute, nil if it is missing.
func attribute(rest []byte, kind uint16) []byte {
	native := binary.NativeEndian
	for len(rest) >= unix.SizeofRtAttr {
		size := int(native.Uint16(rest))
		if size < unix.SizeofRtAttr || size > len(rest) {
			return nil
		}
		if native.Uint16(rest[2:]) == kind {
			return bytes.Clone(rest[unix.SizeofRtAttr:size])
		}
		rest = rest[min(len(rest), (size+3)&^3):]
	}
	return nil
}
