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

// HurryHooks ends at once the time in which hooks begin to wait for their asks, and returns how many have not begun.
func (s *Server) HurryHooks() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.opened {
		t.Reset(0)
	}
	return len(s.opened)
}
