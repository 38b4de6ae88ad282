package disk

import (
	"fmt"
	"os"
)

// Head returns the content of a regular file of at most n bytes. Any other file
// is an error.
func Head(path string, n int64) ([]byte, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > n {
		return nil, fmt.Errorf("%s: want a regular file of at most %d bytes", path, n)
	}
	return os.ReadFile(path)
}
