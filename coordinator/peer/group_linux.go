package peer

import (
	"bytes"
	"encoding/binary"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// What the kernel's socket monitor understands; see linux/sock_diag.h and linux/inet_diag.h.
const (
	diagByFamily = 20 // a request about one connection, and its reply
	diagFixed    = 72 // length of the fixed part of a reply
	diagIDs      = 4  // in the fixed part: the ports, the addresses
	diagUID      = 64
	diagInode    = 68
	diagGroup    = 21 // the attribute with the control group
)

// groupOf returns the id of the control group in which the end of a connection whose own
// address is here was opened. It returns 0 if the kernel does not say.
func groupOf(here, there netip.AddrPort) uint64 {
	for _, family := range families(here) {
		if id := groupIn(diagnose(family, here, there)); id != 0 {
			return id
		}
	}
	return 0
}

// askedEnd returns the end of a connection whose own address is here, as the kernel's monitor
// tells it. ok is false if it does not: then the lists of the kernel may.
func askedEnd(here, there netip.AddrPort) (e end, ok bool) {
	for _, family := range families(here) {
		if e, ok := endIn(diagnose(family, here, there), here, there); ok {
			return e, true
		}
	}
	return end{}, false
}

// families returns the families of addresses whose sockets may be used for an address.
func families(of netip.AddrPort) []byte {
	if of.Addr().Is4() {
		return []byte{unix.AF_INET, unix.AF_INET6}
	}
	return []byte{unix.AF_INET6}
}

// diagnose returns what the kernel's monitor says of one connection, nil for nothing.
func diagnose(family byte, here, there netip.AddrPort) []byte {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, unix.NETLINK_SOCK_DIAG)
	if err != nil {
		return nil
	}
	defer unix.Close(fd)
	wait := unix.Timeval{Usec: 200_000}
	_ = unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &wait) // the kernel answers at once
	kernel := &unix.SockaddrNetlink{Family: unix.AF_NETLINK}
	if err := unix.Sendto(fd, diagRequest(family, here, there), 0, kernel); err != nil {
		return nil
	}
	reply := make([]byte, 4<<10)
	n, _, err := unix.Recvfrom(fd, reply, 0)
	if err != nil {
		return nil
	}
	return reply[:n]
}

// endIn reads the end of a connection from a reply. ok is false for a reply about something
// else, such as the socket that listens at the address, and for an end that nobody holds.
func endIn(reply []byte, here, there netip.AddrPort) (e end, ok bool) {
	native := binary.NativeEndian
	if len(reply) < unix.NLMSG_HDRLEN+diagFixed || native.Uint16(reply[4:]) != diagByFamily {
		return e, false
	}
	fixed := reply[unix.NLMSG_HDRLEN:]
	if !bytes.HasPrefix(fixed[diagIDs:], diagEnds(fixed[0], here, there)) || native.Uint32(fixed[diagInode:]) == 0 {
		return e, false
	}
	inode := strconv.FormatUint(uint64(native.Uint32(fixed[diagInode:])), 10)
	return end{inode: inode, uid: int(native.Uint32(fixed[diagUID:]))}, true
}

// diagEnds returns the ports and addresses of a connection as the kernel's monitor has them.
func diagEnds(family byte, here, there netip.AddrPort) []byte {
	ends := binary.BigEndian.AppendUint16(nil, here.Port())
	ends = binary.BigEndian.AppendUint16(ends, there.Port())
	return slices.Concat(ends, diagAddress(family, here.Addr()), diagAddress(family, there.Addr()))
}

// diagRequest asks for one connection.
func diagRequest(family byte, here, there netip.AddrPort) []byte {
	native := binary.NativeEndian
	body := []byte{family, unix.IPPROTO_TCP, 0, 0}
	body = native.AppendUint32(body, ^uint32(0)) // in any state
	body = append(body, diagEnds(family, here, there)...)
	body = native.AppendUint32(body, 0)          // on any device
	body = native.AppendUint64(body, ^uint64(0)) // no cookie
	head := native.AppendUint32(nil, uint32(unix.NLMSG_HDRLEN+len(body)))
	head = native.AppendUint16(head, diagByFamily)
	head = native.AppendUint16(head, unix.NLM_F_REQUEST)
	head = native.AppendUint64(head, 0) // number, sender
	return append(head, body...)
}

func diagAddress(family byte, a netip.Addr) []byte {
	if family == unix.AF_INET6 || !a.Is4() {
		long := a.As16()
		return long[:]
	}
	return append(a.AsSlice(), make([]byte, 12)...)
}

// groupIn reads the control group from a reply, 0 for none.
func groupIn(reply []byte) uint64 {
	native := binary.NativeEndian
	if len(reply) < unix.NLMSG_HDRLEN+diagFixed || native.Uint16(reply[4:]) != diagByFamily {
		return 0
	}
	for rest := reply[unix.NLMSG_HDRLEN+diagFixed:]; len(rest) >= unix.SizeofRtAttr; {
		size, kind := int(native.Uint16(rest)), native.Uint16(rest[2:])
		if size < unix.SizeofRtAttr || size > len(rest) {
			return 0
		}
		if kind == diagGroup && size == unix.SizeofRtAttr+8 {
			return native.Uint64(rest[unix.SizeofRtAttr:])
		}
		rest = rest[min(len(rest), (size+3)&^3):]
	}
	return 0
}

// elsewhere reports whether a process is surely in another control group than the one with
// an id.
func elsewhere(pid int, group uint64) bool {
	if group == 0 {
		return false
	}
	raw, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cgroup")
	if err != nil {
		return false
	}
	_, row, ok := strings.Cut("\n"+string(raw), "\n0::")
	path, _, _ := strings.Cut(row, "\n")
	if !ok || strings.Contains(path, "..") {
		return false
	}
	for _, root := range []string{"/sys/fs/cgroup", "/sys/fs/cgroup/unified"} {
		var fs unix.Statfs_t
		if unix.Statfs(root, &fs) != nil || fs.Type != unix.CGROUP2_SUPER_MAGIC {
			continue
		}
		var dir unix.Stat_t
		return unix.Stat(filepath.Join(root, path), &dir) == nil && dir.Ino != group
	}
	return false
}
