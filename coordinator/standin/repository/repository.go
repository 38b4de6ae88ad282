// Package repository finds the source that tests read and build.
package repository

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Root returns the directory of go.mod: the working directory or the nearest one above. Tests run
// in the directory of their package.
func Root() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("find repository: %w", err)
	}
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
	}
	return "", errors.New("find repository: no go.mod above the working directory")
}
