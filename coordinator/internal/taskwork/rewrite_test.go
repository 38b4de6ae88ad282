package taskwork

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/task"
)

// TestTwoWriters: an editor saves a file while Afar changes it. Both changes are in the file.
func TestTwoWriters(t *testing.T) {
	dir := t.TempDir()
	folders := NewFolders(dir, filepath.Join(dir, "marks"), time.UTC)
	if err := folders.Make("tax", "Tax", "Pay it.", time.Now()); err != nil {
		t.Fatal(err)
	}
	notebook := NewNotebook(filepath.Join(dir, "gaps.md"))
	for path, change := range map[string]func(edit func()) error{
		filepath.Join(dir, "tax", stateFile): func(edit func()) error {
			return folders.rewrite("tax", func(s task.State) (string, error) {
				edit()
				return s.WithStatus(task.Completed), nil
			})
		},
		filepath.Join(dir, "gaps.md"): func(edit func()) error {
			return notebook.Edit(func(text string) string {
				edit()
				return text + "COMPLETED\n"
			})
		},
	} {
		edits := 0
		edit := func() {
			if edits++; edits > 3 {
				return
			}
			raw, err := os.ReadFile(path)
			if err == nil || errors.Is(err, os.ErrNotExist) {
				err = os.WriteFile(path, append(raw, "\n## Mine\nkept\n"...), 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := change(edit); err != nil {
			t.Fatal(err)
		}
		raw, err := os.ReadFile(path)
		if err != nil || strings.Count(string(raw), "## Mine") != 3 || strings.Count(string(raw), "COMPLETED") != 1 {
			t.Errorf("%s, %v:\n%s", path, err, raw)
		}
	}
	restless := 0
	read := func() (string, error) { restless++; return strings.Repeat("x", restless), nil }
	lost := func(string) error { t.Error("a file that never rests was overwritten"); return nil }
	err := rewrite(read, func(s string) (string, error) { return s + "y", nil }, lost)
	if !errors.Is(err, errRestless) {
		t.Errorf("a file that never rests: %v", err)
	}
}
