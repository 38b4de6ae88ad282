package disk

import (
	"fmt"
	"io/fs"
	"os"
)

// Head returns the content of a regular file of at most n bytes. Any other file
// is an error.
func Head(path string, n int64) ([]byte, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: want a regular file, not a %s", path, kind(info.Mode()))
	}
	if info.Size() > n {
		return nil, fmt.Errorf("%s has %d bytes; want at most %d", path, info.Size(), n)
	}
	return os.ReadFile(path)
}

// kind names what a file is that is not a regular one.
func kind(mode fs.FileMode) string {
	switch mode.Type() {
	case fs.ModeDir:
		return "directory"
	case fs.ModeSymlink:
		return "link"
	}
	return "device, pipe or socket"
}
