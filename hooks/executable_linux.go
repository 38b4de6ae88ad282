package hooks

import "strconv"

// executable returns a path to the program that a process runs. It names that
// very file, also when another one has taken its place.
func executable(pid int) string { return "/proc/" + strconv.Itoa(pid) + "/exe" }
