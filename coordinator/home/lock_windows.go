package home

import (
	"path/filepath"

	"github.com/gofrs/flock"
)

// lockDir locks a file in the directory, because Windows cannot lock a
// directory. The file is removed with the lock: Windows refuses that while
// another process has the file open.
func lockDir(path string) *Lock {
	file := filepath.Join(path, ".lock")
	return &Lock{flock: flock.New(file, flock.SetPermissions(0o600)), cleanup: file}
}
