//go:build unix && !linux

package hooks

import (
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// executable returns the path of the program that a process runs, "" if it is
// unknown.
func executable(pid int) string {
	out, err := exec.Command("/bin/ps", "-o", "comm=", "-p", strconv.Itoa(pid)).Output()
	if path := strings.TrimSpace(string(out)); err == nil && filepath.IsAbs(path) {
		return path
	}
	return ""
}
