package hooks

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
)

// members returns the processes of the group that leader leads, without leader
// itself.
func members(leader int) (pids []int) {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if pid != leader && groupOf(path) == leader {
			pids = append(pids, pid)
		}
	}
	return pids
}

// groupOf reads the process group from a stat file, 0 if it cannot. The file holds
// "pid (name) state ppid pgrp …", and the name may contain any character.
func groupOf(path string) int {
	raw, _ := os.ReadFile(path)
	fields := bytes.Fields(raw[bytes.LastIndexByte(raw, ')')+1:])
	if len(fields) < 3 {
		return 0
	}
	id, _ := strconv.Atoi(string(fields[2]))
	return id
}
