//go:build !linux

package birthmark

import "os"

// Supported reports whether this system has marks.
const Supported = false

// Of returns None.
func Of(int) (Level, error) { return None, nil }

// Lower does nothing.
func Lower(int, Level) error { return nil }

// become is never called: Mark does nothing.
func become(string, string, []string) { os.Exit(1) }
