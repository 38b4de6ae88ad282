package home

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/afar-sh/afar/coordinator/internal/atomicfile"
)

// A way out must work while the coordinator hangs, so what a person asks for
// then is left as a mark: one file, which the hooks obey from that moment and
// the coordinator carries out and removes when it is back.

// Marks is where the marks lie. The guard keeps sessions out of it.
func (d Dirs) Marks() string { return filepath.Join(d.State, "marks") }

// PauseMark is there while a pause waits for the coordinator.
func (d Dirs) PauseMark() string { return filepath.Join(d.Marks(), "pause") }

// CancelMark is there while the end of a loop waits for the coordinator. Its
// text is the session, as the person named it: by token or by id.
func (d Dirs) CancelMark(session string) string {
	return filepath.Join(d.Marks(), "cancel-"+short(session))
}

// Marked reports whether a mark is there.
func Marked(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// LeaveMark leaves a mark. When it returns without an error, the mark survives a
// loss of power, and nobody ever sees half of it.
func LeaveMark(path, text string) error {
	dir := filepath.Dir(path)
	if err := private(dir); err != nil {
		return fmt.Errorf("leave mark: %w", err)
	}
	if err := atomicfile.Write(path, text); err != nil {
		return fmt.Errorf("leave mark: %w", err)
	}
	return nil
}

// Replace writes a file that is not Afar's own, whole and with the mode given.
// The directory must exist.
func Replace(path string, text []byte, mode fs.FileMode) error {
	if err := atomicfile.Write(path, string(text)); err != nil {
		return fmt.Errorf("replace file: %w", err)
	}
	if err := os.Chmod(path, mode); err != nil {
		return fmt.Errorf("replace file: %w", err)
	}
	return nil
}
