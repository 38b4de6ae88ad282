// Package atomicfile replaces whole files, so that a reader, even after a crash, sees
// either the old text or the new one.
package atomicfile

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/afar-sh/afar/coordinator/internal/crash"
)

// Write replaces the file at path with text, mode 0600. The directory must
// exist. When Write returns nil, the text survives a loss of power; on an error
// the old file is unchanged. The error names the path.
func Write(path, text string) error {
	dir := filepath.Dir(path)
	f, err := os.CreateTemp(dir, ".new-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // fails after the rename
	_, err = f.WriteString(text)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	defer crash.Point()
	return syncDir(dir)
}

// syncDir makes a rename durable. It returns no error on systems that cannot sync a
// directory.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	_ = d.Sync()
	return d.Close()
}
