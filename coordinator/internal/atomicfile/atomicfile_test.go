package atomicfile

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func read(t *testing.T, path string) string {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x.md")
	for _, text := range []string{"one\n", strings.Repeat("long", 1<<18), ""} {
		if err := Write(path, text); err != nil || read(t, path) != text {
			t.Errorf("%d bytes: %v", len(text), err)
		}
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	onlyFile(t, dir)
}

func onlyFile(t *testing.T, dir string) {
	t.Helper()
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("something was left: %v, %v", entries, err)
	}
}

// TestWriteTightens checks that a write removes the permissions of others.
func TestWriteTightens(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(path, []byte("old"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := Write(path, "new"); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

// TestWriteFails checks that a failed write keeps the old file and leaves no other one.
func TestWriteFails(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "x", "full"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := Write(filepath.Join(dir, "x"), "new"); err == nil {
		t.Error("a directory was replaced")
	}
	onlyFile(t, dir)
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Write(filepath.Join(dir, "file", "x"), "new"); err == nil || !strings.Contains(err.Error(), "file") {
		t.Errorf("below a file: %v", err)
	}
}

// TestWriteTogether checks that a reader never sees a mixture of two texts.
func TestWriteTogether(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	texts := []string{strings.Repeat("a", 1<<16), strings.Repeat("b", 1<<16)}
	if err := Write(path, texts[0]); err != nil {
		t.Fatal(err)
	}
	var writers sync.WaitGroup
	for _, text := range texts {
		writers.Go(func() {
			for range 20 {
				if err := Write(path, text); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for range 200 {
		if got := read(t, path); got != texts[0] && got != texts[1] {
			t.Fatalf("a mixture of %d bytes", len(got))
		}
	}
	writers.Wait()
}
