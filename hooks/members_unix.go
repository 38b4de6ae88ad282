//go:build unix && !linux

package hooks

import (
	"bytes"
	"os/exec"
	"strconv"
)

// members returns the processes of the group that leader leads, without leader
// itself.
func members(leader int) (pids []int) {
	out, _ := exec.Command("ps", "-axo", "pid=,pgid=").Output()
	for line := range bytes.Lines(out) {
		fields := bytes.Fields(line)
		if len(fields) != 2 || string(fields[1]) != strconv.Itoa(leader) {
			continue
		}
		if pid, _ := strconv.Atoi(string(fields[0])); pid != leader {
			pids = append(pids, pid)
		}
	}
	return pids
}
