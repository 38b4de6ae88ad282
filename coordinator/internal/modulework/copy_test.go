//go:build unix

package modulework

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/internal/feature"
	"github.com/afar-sh/afar/coordinator/internal/module"
)

const good, evil = "#!/bin/sh\necho good\n", "#!/bin/sh\necho evil\n"

// newCopier returns a worker, and the hash of its module mail, whose program is good.
func newCopier(t *testing.T) (w *Worker, hash string) {
	t.Helper()
	dir := t.TempDir()
	mail := filepath.Join(dir, "modules", "mail")
	if err := os.MkdirAll(mail, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{module.File: "[source]\ncommand = [\"./watch\"]\n", "watch": good} {
		if err := os.WriteFile(filepath.Join(mail, name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	folder := NewFolder(filepath.Join(dir, "modules"))
	c, err := folder.Read("mail")
	if err != nil {
		t.Fatal(err)
	}
	w = New(Config{Folder: folder, Dirs: home.Dirs{State: filepath.Join(dir, "state")}, Log: slog.New(slog.DiscardHandler)})
	return w, c.Hash
}

// TestApprovedUnderWriter: with a writer that swaps the program all the time, what runs is what was
// enabled, or nothing.
func TestApprovedUnderWriter(t *testing.T) {
	w, hash := newCopier(t)
	over, target := make(chan struct{}), filepath.Join(w.cfg.Folder.Path("mail"), "watch")
	var writer sync.WaitGroup
	writer.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-over:
				return
			default:
			}
			text := []string{good, evil}[i%2]
			if err := errors.Join(os.WriteFile(target+"~", []byte(text), 0o700), os.Rename(target+"~", target)); err != nil {
				t.Error(err)
				return
			}
		}
	})
	ran, refused := 0, 0
	for range 200 {
		w.dropCopies()
		dir, err := w.approved("mail", hash)
		if err != nil { // the copy is another folder, or the writer moved a file under the copy
			refused++
			continue
		}
		ran++
		if text, err := os.ReadFile(filepath.Join(dir, "watch")); err != nil || string(text) != good {
			t.Fatalf("it would run %q, %v", text, err)
		}
	}
	close(over)
	writer.Wait()
	t.Logf("%d copies, %d refused", ran, refused)
	if refused == 0 {
		t.Error("the writer never met a copy")
	}
}

// TestApprovedAgain: a copy that was changed is made anew, and is refused if the folder is another.
func TestApprovedAgain(t *testing.T) {
	w, hash := newCopier(t)
	dir, err := w.approved("mail", hash)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "watch"), []byte(evil), 0o700); err != nil {
		t.Fatal(err)
	}
	if dir, err = w.approved("mail", hash); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "watch")); err != nil || string(text) != good {
		t.Errorf("have %q, %v", text, err)
	}
	if err := os.Chmod(w.cfg.Folder.Path("mail"), 0o500); err != nil {
		t.Fatal(err)
	}
	c, err := w.cfg.Folder.Read("mail")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.approved("mail", c.Hash); err != nil {
		t.Errorf("a folder that cannot be written: %v", err)
	}
	w.dropCopies()
	if _, err := w.approved("mail", hash); !errors.Is(err, feature.ErrDisabled) {
		t.Errorf("another folder: %v", err)
	}
	if err := os.Chmod(w.cfg.Folder.Path("mail"), 0o700); err != nil {
		t.Fatal(err)
	}
}

// TestFileOfHash: what a person reads belongs to the hash that they enable.
func TestFileOfHash(t *testing.T) {
	w, hash := newCopier(t)
	if text, err := w.cfg.Folder.File("mail", "watch", hash); err != nil || string(text) != good {
		t.Errorf("have %q, %v", text, err)
	}
	if err := os.WriteFile(filepath.Join(w.cfg.Folder.Path("mail"), "watch"), []byte(evil), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := w.cfg.Folder.File("mail", "watch", hash); !errors.Is(err, errChanged) {
		t.Errorf("a changed file: %v", err)
	}
	if text, err := w.cfg.Folder.File("mail", "watch", ""); err != nil || string(text) != evil {
		t.Errorf("as it is: %q, %v", text, err)
	}
}
