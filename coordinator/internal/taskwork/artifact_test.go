package taskwork

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/markdown"
	"github.com/afar-sh/afar/coordinator/internal/task"
)

func folders(t *testing.T) Folders {
	t.Helper()
	f := NewFolders(t.TempDir(), t.TempDir(), time.UTC)
	if err := f.Make("a", "A", "do it", time.Now()); err != nil {
		t.Fatal(err)
	}
	return f
}

// TestKeep: a file overwrites nothing, is saved once, and never leaves the task's folder.
func TestKeep(t *testing.T) {
	f := folders(t)
	for _, c := range []struct{ name, data, want string }{
		{"report.pdf", "one", "artifacts/report.pdf"}, {"report.pdf", "one", "artifacts/report.pdf"},
		{"report.pdf", "two", "artifacts/report-2.pdf"}, {"../../state.md", "x", "artifacts/state.md"},
		{"", "", "artifacts/file"},
	} {
		if got, err := f.Keep("a", c.name, []byte(c.data)); got != c.want || err != nil {
			t.Errorf("%s: %s, %v; want %s", c.name, got, err, c.want)
		}
	}
	files, more, err := f.Files("a")
	if err != nil || len(files) != 4 || more != 0 {
		t.Errorf("%d files: %+v, %d more, %v", len(files), files, more, err)
	}
	if _, err := f.Keep("a", "big", make([]byte, task.MaxArtifact+1)); err == nil {
		t.Error("a file that is too big is kept")
	}
	out := t.TempDir()
	dir := filepath.Join(f.Dir("a"), "artifacts")
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(out, dir); err != nil {
		t.Fatal(err)
	}
	if saved, err := f.Keep("a", "x", []byte("x")); err == nil {
		t.Errorf("a link led out of the task, to %s", saved)
	}
	if left, err := os.ReadDir(out); err != nil || len(left) > 0 {
		t.Errorf("outside there is %v, %v", left, err)
	}
	if files, _, err := f.Files("a"); err != nil || len(files) > 0 {
		t.Errorf("through a link: %+v, %v", files, err)
	}
}

// TestFile: what Files lists can be read, and nothing else: no other file of the folder, and nothing
// behind a link or above the folder.
func TestFile(t *testing.T) {
	f := folders(t)
	dir := f.Dir("a")
	for name, text := range map[string]string{
		"artifacts/a b.txt": "made", "artifacts/deep/x": "deep", "state-yours.md": "mine", "CLAUDE.md": "rules",
		"../other": "secret",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600))
		if err != nil {
			t.Fatal(err)
		}
	}
	for to, name := range map[string]string{
		"../../other": "artifacts/link", "..": "artifacts/up", "x": "artifacts/deep/y", "nowhere": "artifacts/gone",
	} {
		if err := os.Symlink(to, filepath.Join(dir, filepath.FromSlash(name))); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Truncate(filepath.Join(dir, "artifacts", "deep", "x"), task.MaxArtifact+1); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"artifacts/a b.txt": "made", "state-yours.md": "mine"} {
		if got, err := f.File("a", name); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	for _, name := range []string{
		"", ".", "artifacts", "artifacts/", "artifacts/deep", "artifacts/none", "artifacts/none/x", "artifacts/deep/x",
		"artifacts/link", "artifacts/up/state.md", "artifacts/up/../state.md", "artifacts/deep/y", "artifacts/gone",
		"artifacts/../CLAUDE.md", "artifacts/../../other", "../other", "/etc/passwd", "CLAUDE.md", "state.md",
		"artifacts/\x00",
	} {
		if got, err := f.File("a", name); err == nil {
			t.Errorf("%q: %.20q", name, got)
		}
	}
}

// TestEdits: of many who save over the same text, one wins, and every other text is kept.
func TestEdits(t *testing.T) {
	f := folders(t)
	before, err := f.State("a")
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	texts := []string{"# one\n", "# two\n", "# three\n", "# four\n"}
	for _, text := range texts {
		all.Go(func() {
			if _, err := f.Edit("a", markdown.Digest(before.Text), text); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	found := ""
	for _, name := range []string{"state.md", "state-yours.md", "state-yours-2.md", "state-yours-3.md"} {
		raw, err := os.ReadFile(filepath.Join(f.Dir("a"), name))
		if err != nil {
			t.Fatal(err)
		}
		found += string(raw)
	}
	for _, text := range texts {
		if strings.Count(found, text) != 1 {
			t.Errorf("%q is there %d times", text, strings.Count(found, text))
		}
	}
}
