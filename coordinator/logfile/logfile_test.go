package logfile

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// write writes texts one after the other.
func write(t *testing.T, l *File, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if n, err := l.Write([]byte(text)); err != nil || n != len(text) {
			t.Fatalf("wrote %d bytes of %q: %v", n, text, err)
		}
	}
}

// holds checks the text of a file. "" wants no file.
func holds(t *testing.T, path, want string) {
	t.Helper()
	raw, err := os.ReadFile(path)
	if string(raw) != want || (err != nil) != (want == "") {
		t.Errorf("%s has %.200q, want %.200q (%v)", filepath.Base(path), raw, want, err)
	}
}

func line(s string) string { return strings.Repeat(s, 60) + "\n" }

func TestPutAside(t *testing.T) {
	for _, c := range []struct {
		name string
		keep int
		want []string // the file itself, .1, .2 and so on
	}{
		{"three are kept", 3, []string{"e", "d", "c", ""}},
		{"all are kept", 0, []string{"e", "d", "c", "b", "a", ""}},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := &File{Path: filepath.Join(t.TempDir(), "log", "x.log"), Max: 100, Keep: c.keep}
			defer l.Close()
			write(t, l, line("a"), line("b"), line("c"), line("d"), line("e"))
			for i, want := range c.want {
				if want != "" {
					want = line(want)
				}
				holds(t, l.older(i), want)
			}
		})
	}
}

// TestKilledWhilePuttingAside: a free place between the files, as a kill leaves it, costs no line.
func TestKilledWhilePuttingAside(t *testing.T) {
	l := &File{Path: filepath.Join(t.TempDir(), "x.log"), Max: 100}
	defer l.Close()
	write(t, l, line("a"), line("b"), line("c"), line("d"))
	if err := os.Rename(l.older(3), l.older(4)); err != nil { // then .2 and .1 would have moved
		t.Fatal(err)
	}
	write(t, l, line("e"))
	for i, want := range []string{"e", "d", "c", "b", "a"} {
		holds(t, l.older(i), line(want))
	}
}

// TestAppends: an existing log counts towards the size, and a line longer than that is written
// whole. An empty file is not put aside.
func TestAppends(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.log")
	if err := os.WriteFile(path, []byte("old\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	l := &File{Path: path, Max: 10, Keep: 3}
	defer l.Close()
	write(t, l, "new\n", line("x"))
	holds(t, path+".1", "old\nnew\n")
	holds(t, path, line("x"))
	fresh := &File{Path: path + "2", Max: 10, Keep: 3}
	defer fresh.Close()
	write(t, fresh, line("x"))
	holds(t, path+"2.1", "")
}

// TestTorn: a line that a kill cut off is ended before the next one.
func TestTorn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.log")
	if err := os.WriteFile(path, []byte("a\n{\"half"), 0o600); err != nil {
		t.Fatal(err)
	}
	l := &File{Path: path, Max: 100}
	defer l.Close()
	write(t, l, "b\n", "c\n")
	holds(t, path, "a\n{\"half\nb\nc\n")
}

// TestMovedAway: a file that somebody moves or deletes, with its folder, is made again.
func TestMovedAway(t *testing.T) {
	l := &File{Path: filepath.Join(t.TempDir(), "log", "x.log"), Max: 100}
	defer l.Close()
	write(t, l, "a\n")
	if info, err := os.Stat(l.Path); err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("others may read it: %v, %v", info.Mode(), err)
	}
	if err := l.Close(); err != nil { // Windows moves no open file
		t.Fatal(err)
	}
	if err := os.Rename(l.Path, l.Path+".mine"); err != nil {
		t.Fatal(err)
	}
	write(t, l, "b\n")
	holds(t, l.Path, "b\n")
	if err := os.RemoveAll(filepath.Dir(l.Path)); err != nil {
		t.Skipf("an open file cannot be deleted here: %v", err)
	}
	write(t, l, "c\n")
	holds(t, l.Path, "c\n")
}

// TestConcurrent: eight writers lose no line and tear none, while the files rotate.
func TestConcurrent(t *testing.T) {
	const writers, each = 8, 200
	l := &File{Path: filepath.Join(t.TempDir(), "x.log"), Max: 2000}
	defer l.Close()
	var group sync.WaitGroup
	for w := range writers {
		group.Go(func() {
			for i := range each {
				if _, err := fmt.Fprintf(l, "writer %d line %d\n", w, i); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	seen := map[string]int{}
	for i := range l.free() {
		raw, err := os.ReadFile(l.older(i))
		if err != nil || len(raw) > 2000 {
			t.Fatalf("%s has %d bytes: %v", l.older(i), len(raw), err)
		}
		for line := range strings.Lines(string(raw)) {
			seen[line]++
		}
	}
	for w := range writers {
		for i := range each {
			if line := fmt.Sprintf("writer %d line %d\n", w, i); seen[line] != 1 {
				t.Errorf("%q is there %d times", line, seen[line])
			}
		}
	}
	if len(seen) != writers*each {
		t.Errorf("%d different lines, want %d", len(seen), writers*each)
	}
}
