package hooks

import "strconv"

// executable returns a path to the program that a process runs. The path leads to
// that file even if another file has replaced it.
func executable(pid int) string { return "/proc/" + strconv.Itoa(pid) + "/exe" }
