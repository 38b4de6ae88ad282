// Package stray finds the coordinators that tests have left behind.
package stray

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// patience is how long a coordinator that was told to end may take.
const patience = 30 * time.Second

// Check returns an error that names every coordinator whose program lies below
// dir and that still runs, and ends them. It sees processes where the system
// has /proc, and nothing elsewhere.
func Check(dir string) error {
	left := awaitNone(patience, func() []int { return coordinators(dir) })
	if len(left) == 0 {
		return nil
	}
	var names []string
	for _, pid := range left {
		names = append(names, fmt.Sprintf("%d (%s)", pid, homeOf(pid)))
	}
	kill(left)
	return fmt.Errorf("tests left coordinators behind: %s", strings.Join(names, ", "))
}

// Of returns the processes that run for a home.
func Of(home string) []int {
	return processes(func(_ string, pid int) bool { return homeOf(pid) == home })
}

// End kills every process that runs for a home until none is left, at most for some
// seconds. A shell that a client left behind may start a hook, and a hook a coordinator.
func End(home string) {
	awaitNone(patience, func() []int {
		left := Of(home)
		kill(left)
		return left
	})
}

// Await waits until no process runs for a home, at most for d. It returns the processes that
// are left.
func Await(home string, d time.Duration) []int {
	return awaitNone(d, func() []int { return Of(home) })
}

// awaitNone waits until find finds no process, at most for d. It returns the processes that
// are left.
func awaitNone(d time.Duration, find func() []int) []int {
	for end := time.Now().Add(d); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if len(find()) == 0 {
			return nil
		}
	}
	return find()
}

func coordinators(dir string) []int {
	below := filepath.Clean(dir) + string(filepath.Separator)
	return processes(func(exe string, pid int) bool { return strings.HasPrefix(exe, below) && serves(pid) })
}

// processes returns the processes that match, which gets the program and the pid of each.
func processes(match func(exe string, pid int) bool) (pids []int) {
	links, _ := filepath.Glob("/proc/[0-9]*/exe")
	for _, link := range links {
		exe, err := os.Readlink(link)
		if errors.Is(err, fs.ErrPermission) { // a coordinator shows only its command
			line, _ := os.ReadFile(filepath.Join(filepath.Dir(link), "cmdline"))
			exe, _, _ = strings.Cut(string(line), "\x00")
		} else if err != nil {
			continue
		}
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(link))) // the pattern matches only numbers
		if match(exe, pid) {
			pids = append(pids, pid)
		}
	}
	return pids
}

func kill(pids []int) {
	for _, pid := range pids {
		if p, err := os.FindProcess(pid); err == nil {
			_ = p.Kill() // it may be gone by now
		}
	}
}

func serves(pid int) bool {
	line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	return bytes.Contains(line, []byte("\x00serve\x00"))
}

// homeOf returns the AFAR_HOME of a process, which names its test.
func homeOf(pid int) string {
	env, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	if err != nil {
		return "unknown home"
	}
	for v := range strings.SplitSeq(string(env), "\x00") {
		if home, ok := strings.CutPrefix(v, "AFAR_HOME="); ok {
			return home
		}
	}
	return "no home"
}
