package disk

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Write replaces the file at path in one step, 0600, in directories of 0700.
// When it returns without an error, the text survives a loss of power; before,
// the old file is whole.
func Write(path, text string) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	f, err := os.CreateTemp(dir, ".new-*")
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	defer os.Remove(f.Name()) // gone already after the rename
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return syncDir(dir)
}

// syncDir makes the rename itself durable. Not every system can.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("sync %s: %w", dir, err)
	}
	defer d.Close()
	_ = d.Sync()
	return nil
}

// Head returns what is in a file, at most n bytes. A larger one, and what is no
// file, is an error.
func Head(path string, n int64) ([]byte, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > n {
		return nil, fmt.Errorf("%s is no file, or larger than %d bytes", path, n)
	}
	return os.ReadFile(path)
}
