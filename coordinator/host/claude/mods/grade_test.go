//go:build unix

package mods

import "testing"

// TestOnlyRootWrites: a file that others may write is not root's alone, whoever owns it.
func TestOnlyRootWrites(t *testing.T) {
	for path, want := range map[string]bool{"/dev/null": false, "/etc/passwd": true, "/nowhere": false} {
		if got := onlyRootWrites(path); got != want {
			t.Errorf("%s: %t, want %t", path, got, want)
		}
	}
}
