package server

// HookOperations returns the operations that only hooks may ask for.
func HookOperations() (names []string) {
	for name, op := range operations {
		if op.access == hook {
			names = append(names, name)
		}
	}
	return names
}
