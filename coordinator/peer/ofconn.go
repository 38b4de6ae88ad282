package peer

import (
	"iter"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// OfTCP returns the process at the other end of a TCP connection over loopback, with its
// ancestors, nearest first. local is the address of our end, remote that of the other.
//
// A fork shares the connection, so several processes may hold it. Then their lines follow
// each other, and a line that shows a session comes first: the caller checks all of them in
// one go. It looks anew each time, because a connection may change hands between two requests.
// OfTCP returns ErrUnknown if the holder is not found, which must count as a refusal.
//
// Linux shows the connections of a process only to its own user, and not even to this user
// if the process is not dumpable. A program in a session could hide itself in this way. A
// connection without a visible holder is therefore refused, with two exceptions, so that a
// proxy in front of the page can work:
//
//   - A system account, such as root, opened the connection: this is how Tailscale Serve or a
//     web server connects. A session cannot become such an account without root's rights.
//     Ids from 1000 on do not count: a user namespace gives them to anybody. The line then is
//     one process without an id.
//   - Our own user opened it, the holder can only be a process that root started for us, and it
//     is known where the connection was opened: this is how `ssh -L` connects. sshd changes to
//     our user, so it is not dumpable, and its parent is a process of root that is not the first
//     one. Orphans go to the first process or to one of our own, so a program in a session has no
//     such parent. But a connection on its way through a Unix socket has no holder at all, and
//     could be a session's. So the kernel must say in which control group it was opened; only
//     root can move a process into or out of the group of a login. All processes of our user in
//     that group are returned: one that shows a session is a refusal. Each hidden one must be of
//     the kind above, and none may have the birthmark: a session could also hand its connection
//     to a program such as sudo, which runs as root.
//
// What remains: a program without a birthmark that cuts itself off from its session, such as
// an MCP server that becomes a daemon, looks like any other process of the user. So does a
// program outside the session that takes requests or open connections from it. So does a
// program that takes the connection of another one, writes into it and lets go before the
// search; the page therefore serves one request for each connection. All of them still need
// the cookie of a browser that is signed in.
func OfTCP(local, remote netip.AddrPort) ([]Process, error) {
	local = netip.AddrPortFrom(local.Addr().Unmap(), local.Port())
	remote = netip.AddrPortFrom(remote.Addr().Unmap(), remote.Port())
	if !local.Addr().IsLoopback() || !remote.Addr().IsLoopback() {
		return nil, ErrUnknown
	}
	return ofTCP(local, remote)
}

// lines returns the lines of some processes, one after the other. Those that show a session
// come first.
func lines(pids []int) (all []Process) {
	var inside, outside []Process
	for _, pid := range pids {
		line := Line(pid)
		if len(line) > 0 && (Born(pid) || slices.ContainsFunc(line, func(p Process) bool { return p.Marked })) {
			inside = append(inside, line...)
		} else {
			outside = append(outside, line...)
		}
	}
	return append(inside, outside...)
}

// holdersIn returns the processes that hold a connection, from the rows that lsof prints
// with -Fpn: a row p with each process, and under it a row n with each of its connections.
//
//lint:ignore U1000 darwin alone uses it, and its test runs everywhere
func holdersIn(rows iter.Seq[string], connection string) (pids []int) {
	pid := 0
	for row := range rows {
		switch row = strings.TrimSpace(row); {
		case strings.HasPrefix(row, "p"):
			pid, _ = strconv.Atoi(row[1:])
		case row == "n"+connection && pid > 0 && !slices.Contains(pids, pid):
			pids = append(pids, pid)
		}
	}
	return pids
}
