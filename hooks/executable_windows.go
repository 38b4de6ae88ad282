package hooks

// executable returns "": on Windows a process does not show its program.
func executable(int) string { return "" }
