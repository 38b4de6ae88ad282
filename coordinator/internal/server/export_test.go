package server

import "github.com/afar-sh/afar/coordinator/internal/server/door"

// HookOperations returns the operations that only hooks may ask for.
func HookOperations() (names []string) {
	for name, op := range New(Config{}).operations(nil) {
		if op.Access == door.Hook {
			names = append(names, name)
		}
	}
	return names
}
