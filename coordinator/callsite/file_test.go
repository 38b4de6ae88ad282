//go:build unix

package callsite

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/home"
)

// TestContent: only regular files of text up to a size are read, and nothing hangs.
func TestContent(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return dir + "/" + name }
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(at(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("script", "echo hi\n")
	write("empty", "")
	write("large", strings.Repeat("echo hi\n", mostBytes/8)+"#")
	write("program", "\x7fELF\x02\x01\x00\x00")
	write("latin", "caf\xe9")
	for _, err := range []error{
		os.Mkdir(at("folder"), 0o700),
		os.Symlink("loop", at("loop")),
		os.Symlink("script", at("link")),
		syscall.Mkfifo(at("pipe"), 0o600),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	begun := time.Now()
	r := newReader(home.Dirs{})
	r.left = 20 * time.Second
	read := r.text
	for name, want := range map[string]bool{
		"script": true, "empty": true, "link": true,
		"large": false, "program": false, "latin": false, "folder": false, "folder/": true, "loop": false,
		"pipe": false, "pipe/": false, "none": false, "none/": false,
	} {
		if _, ok := read(at(name)); ok != want {
			t.Errorf("%s is read: %t", name, ok)
		}
	}
	for _, path := range []string{"/dev/zero", "/dev/tty", "/proc/self/mem", "/proc/kmsg", "", "\x00"} {
		if _, ok := read(path); ok {
			t.Errorf("%q is read", path)
		}
	}
	if took := time.Since(begun); took > 10*time.Second { // a read that hangs takes all that is left
		t.Errorf("it took %s", took)
	}
}

// TestReadingEnds: when reads hang, others are not begun.
func TestReadingEnds(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.sh")
	if err := os.WriteFile(path, []byte("echo\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for range mostStuck {
		stuck <- struct{}{}
	}
	if _, ok := newReader(home.Dirs{}).text(path); ok {
		t.Error("a file was read although too many reads hang")
	}
	for range mostStuck {
		<-stuck
	}
	if _, ok := newReader(home.Dirs{}).text(path); !ok {
		t.Error("no file is read after reads ended")
	}
	late := newReader(home.Dirs{})
	late.left = 0
	if _, ok := late.text(path); ok {
		t.Error("a file was read after the time for the call")
	}
}

// TestKept: a file counts as the person's if its content is that of the last commit
// before the session.
func TestKept(t *testing.T) {
	dir, run := newRepository(t)
	path := filepath.Join(dir, "x.sh")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	git := repository{dirs: home.Dirs{Path: os.Getenv("PATH"), User: t.TempDir()}}
	kept := func(before time.Time) bool { return git.kept(before)(path) }
	now := time.Now()
	run("init", "-q", "-b", "work")
	write("echo one\n")
	if kept(now) {
		t.Error("a file outside git counts as kept")
	}
	run("add", "x.sh")
	run("commit", "-q", "-m", "one")
	if kept(now.Add(-time.Hour)) {
		t.Error("a file of a later commit counts as kept")
	}
	if !kept(now.Add(time.Hour)) {
		t.Error("a file of an earlier commit does not count as kept")
	}
	run("update-index", "--assume-unchanged", "x.sh")
	write("echo two\n")
	if kept(now.Add(time.Hour)) {
		t.Error("a changed file counts as kept, because the index hides the change")
	}
}
