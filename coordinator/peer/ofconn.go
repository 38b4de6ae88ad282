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
// one go. OfTCP returns ErrUnknown if the holder is not found, which must count as a refusal.
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
//   - Our own user opened it, and the holder can only be a process that root started for us:
//     this is how `ssh -L` connects. sshd changes to our user, so it is not dumpable, and its
//     parent is a process of root that is not the first one. Orphans go to the first process
//     or to one of our own, so a program in a session has no such parent. Each hidden process
//     that may be the holder must be of this kind, and none may have the birthmark: a session
//     could also hand its connection to a program such as sudo, which runs as root. If the
//     kernel says in which control group the connection was opened, hidden processes in other
//     groups are left out: only root can move a process out of the group of a login.
//
// What remains: a program without a birthmark that cuts itself off from its session, such as
// an MCP server that becomes a daemon, looks like any other process of the user. So does a
// program outside the session that takes requests or open connections from it. While the
// person is connected by ssh, a program of the same login could leave its connection where no
// process shows it, such as on the way through a Unix socket, and pass for sshd. All of them
// still need the cookie of a browser that is signed in.
func OfTCP(local, remote netip.AddrPort) ([]Process, error) { return new(Finder).OfTCP(local, remote) }

// OfTCP is like the function OfTCP. The search through all processes takes long on a busy
// machine, so a Finder does it once for each connection. Then it looks at those who held the
// connection: whether they still do, and what they are now. Those to whom they passed it on
// meanwhile are not found. All that such a search could add is a program in a session to
// which a program outside has given its connection; such a program can as well do what the
// session asks it to, see What remains.
func (f *Finder) OfTCP(local, remote netip.AddrPort) ([]Process, error) {
	local = netip.AddrPortFrom(local.Addr().Unmap(), local.Port())
	remote = netip.AddrPortFrom(remote.Addr().Unmap(), remote.Port())
	if !local.Addr().IsLoopback() || !remote.Addr().IsLoopback() {
		return nil, ErrUnknown
	}
	return f.ofTCP(local, remote)
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
