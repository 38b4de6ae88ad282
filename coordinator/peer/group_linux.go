package peer

import (
	"encoding/binary"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// What the kernel's socket monitor understands; see linux/sock_diag.h and linux/inet_diag.h.
const (
	diagByFamily = 20 // a request about one connection, and its reply
	diagFixed    = 72 // length of the fixed part of a reply
	diagGroup    = 21 // the attribute with the control group
)

// groupOf returns the id of the control group in which the end of a connection whose own
// address is here was opened. It returns 0 if the kernel does not say.
func groupOf(here, there netip.AddrPort) uint64 {
	if here.Addr().Is4() {
		if id := askGroup(unix.AF_INET, here, there); id != 0 {
			return id
		}
	}
	return askGroup(unix.AF_INET6, here, there)
}

func askGroup(family byte, here, there netip.AddrPort) uint64 {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, unix.NETLINK_SOCK_DIAG)
	if err != nil {
		return 0
	}
	defer unix.Close(fd)
	wait := unix.Timeval{Usec: 200_000}
	_ = unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &wait) // the kernel answers at once
	kernel := &unix.SockaddrNetlink{Family: unix.AF_NETLINK}
	if err := unix.Sendto(fd, diagRequest(family, here, there), 0, kernel); err != nil {
		return 0
	}
	reply := make([]byte, 4<<10)
	n, _, err := unix.Recvfrom(fd, reply, 0)
	if err != nil {
		return 0
	}
	return groupIn(reply[:n])
}

// diagRequest asks for one connection.
func diagRequest(family byte, here, there netip.AddrPort) []byte {
	native := binary.NativeEndian
	body := []byte{family, unix.IPPROTO_TCP, 0, 0}
	body = native.AppendUint32(body, ^uint32(0)) // in any state
	body = binary.BigEndian.AppendUint16(body, here.Port())
	body = binary.BigEndian.AppendUint16(body, there.Port())
	body = append(body, diagAddress(family, here.Addr())...)
	body = append(body, diagAddress(family, there.Addr())...)
	body = native.AppendUint32(body, 0)          // on any device
	body = native.AppendUint64(body, ^uint64(0)) // no cookie
	head := native.AppendUint32(nil, uint32(unix.NLMSG_HDRLEN+len(body)))
	head = native.AppendUint16(head, diagByFamily)
	head = native.AppendUint16(head, unix.NLM_F_REQUEST)
	head = native.AppendUint64(head, 0) // number, sender
	return append(head, body...)
}

func diagAddress(family byte, a netip.Addr) []byte {
	if family == unix.AF_INET6 {
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
