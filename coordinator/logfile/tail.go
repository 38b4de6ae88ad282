package logfile

import (
	"fmt"
	"os"
)

// Tail returns the end of a file, at most so many bytes of it.
func Tail(path string, most int64) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() { // opening a pipe would wait for its writer
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	raw := make([]byte, min(info.Size(), most))
	n, err := f.ReadAt(raw, info.Size()-int64(len(raw)))
	if n == len(raw) {
		err = nil
	}
	return raw[:n], err
}
