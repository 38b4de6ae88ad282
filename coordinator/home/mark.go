package home

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/afar-sh/afar/coordinator/internal/atomicfile"
)

// A pause and a cancel must work while the coordinator hangs. The command then
// leaves a mark, which is one file. The hooks obey it from that moment. When the
// coordinator is back, it carries the mark out and removes it.

// Marks returns the directory of the marks. The guard keeps sessions out of it.
func (d Dirs) Marks() string { return filepath.Join(d.State, "marks") }

// PauseMark returns the path of the mark for a pause. It exists while the pause waits
// for the coordinator.
func (d Dirs) PauseMark() string { return filepath.Join(d.Marks(), "pause") }

// HeardMark returns the path of the mark by which the person has decided that Afar works in a project
// that asks for silence. It stays until the person takes that back.
func (d Dirs) HeardMark(project string) string {
	return filepath.Join(d.State, "heard", short(project))
}

// CancelMark returns the path of the mark for the cancelling of a loop. It exists
// while that waits for the coordinator. Its text is the session as the person named
// it, by token or by id.
func (d Dirs) CancelMark(session string) string {
	return filepath.Join(d.Marks(), "cancel-"+short(session))
}

// GreetedMark says that the person has read what the first session says.
func (d Dirs) GreetedMark() string { return filepath.Join(d.State, "greeted") }

// Marked reports whether a mark exists.
func Marked(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// LeaveMark leaves a mark. If it returns no error, the mark survives a loss of
// power. Another process never sees half a mark.
func LeaveMark(path, text string) error {
	dir := filepath.Dir(path)
	if err := ensurePrivate(dir); err != nil {
		return fmt.Errorf("leave mark: %w", err)
	}
	if err := atomicfile.Write(path, text); err != nil {
		return fmt.Errorf("leave mark: %w", err)
	}
	return nil
}

// Replace writes a whole file that is not Afar's own, with the given mode. The
// directory must exist.
func Replace(path string, text []byte, mode fs.FileMode) error {
	if err := atomicfile.Write(path, string(text)); err != nil {
		return fmt.Errorf("replace file: %w", err)
	}
	if err := os.Chmod(path, mode); err != nil {
		return fmt.Errorf("replace file: %w", err)
	}
	return nil
}
