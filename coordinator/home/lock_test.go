package home_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/home"
)

// TestMain lets the test binary be the second process that wants a lock.
func TestMain(m *testing.M) {
	if path := os.Getenv("AFAR_TEST_LOCK"); path != "" {
		holdLock(path)
		return
	}
	os.Exit(m.Run())
}

// holdLock prints whether it got the lock, and holds it until its input ends.
func holdLock(path string) {
	l, err := home.TryLock(path)
	fmt.Println(l != nil, err)
	_, _ = io.Copy(io.Discard, os.Stdin)
	l.Release()
}

// startHolder starts a process that tries the lock, and returns the lines that it prints.
func startHolder(t *testing.T, path string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = []string{"AFAR_TEST_LOCK=" + path}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close(); _ = cmd.Process.Kill(); _ = cmd.Wait() })
	lines := bufio.NewScanner(out)
	return cmd, lines
}

// wantLine checks the next line of the other process.
func wantLine(t *testing.T, lines *bufio.Scanner, want string) {
	t.Helper()
	if !lines.Scan() || lines.Text() != want {
		t.Fatalf("the other process says %q, want %q", lines.Text(), want)
	}
}

func TestLockIsExclusive(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.lock")
	l, err := home.TryLock(path)
	if err != nil || l == nil {
		t.Fatalf("the first take: %v, %v", l, err)
	}
	wantMode(t, path, 0o600)
	if second, err := home.TryLock(path); second != nil || err != nil {
		t.Errorf("the same process got it twice: %v, %v", second, err)
	}
	_, lines := startHolder(t, path)
	wantLine(t, lines, "false <nil>")
	held, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	l.Release()
	// Before the next holder, who would make the file again.
	if left, err := os.Stat(path); err != nil || !os.SameFile(held, left) {
		t.Errorf("the lock file must stay: %v", err)
	}
	_, lines = startHolder(t, path)
	wantLine(t, lines, "true <nil>")
}

func TestLockEndsWithItsHolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.lock")
	cmd, lines := startHolder(t, path)
	wantLine(t, lines, "true <nil>")
	if l, err := home.TryLock(path); l != nil || err != nil {
		t.Fatalf("taken from a living holder: %v, %v", l, err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	l, err := home.TryLock(path)
	if l == nil || err != nil {
		t.Fatalf("kill -9 must free the lock: %v, %v", l, err)
	}
	l.Release()
}

// TestLockOfADirectory: the lock of a directory excludes other processes, like the lock of
// a file, and leaves no file in the directory.
func TestLockOfADirectory(t *testing.T) {
	dir := t.TempDir()
	l, err := home.TryLock(dir)
	if err != nil || l == nil {
		t.Fatalf("the first take: %v, %v", l, err)
	}
	_, lines := startHolder(t, dir)
	wantLine(t, lines, "false <nil>")
	l.Release()
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("the directory holds %v, %v", left, err)
	}
	_, lines = startHolder(t, dir)
	wantLine(t, lines, "true <nil>")
}

// TestAwaitLock: AwaitLock returns when the lock is free or the context ends.
func TestAwaitLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.lock")
	first, err := home.AwaitLock(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Millisecond)
	defer cancel()
	if l, err := home.AwaitLock(ctx, path); l != nil || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("while the lock is held: %v, %v", l, err)
	}
	time.AfterFunc(60*time.Millisecond, first.Release)
	second, err := home.AwaitLock(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	second.Release()
}

func TestLockErrors(t *testing.T) {
	if l, err := home.TryLock(filepath.Join(t.TempDir(), "none", "x.lock")); l != nil || err == nil {
		t.Errorf("a lock in no directory: %v, %v", l, err)
	}
	var none *home.Lock
	none.Release() // must not panic
}
