//go:build unix

package home

import (
	"os"

	"github.com/gofrs/flock"
)

// lockDir locks a directory itself.
func lockDir(path string) *Lock {
	return &Lock{flock: flock.New(path, flock.SetFlag(os.O_RDONLY))}
}
