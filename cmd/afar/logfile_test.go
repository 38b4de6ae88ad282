package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestLogFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log", "x.log")
	l, err := openLog(path, 100)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for _, c := range "abcdefgh" {
		if _, err := l.Write([]byte(strings.Repeat(string(c), 60) + "\n")); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{path: "h", path + ".1": "g", path + ".2": "f"} {
		raw, err := os.ReadFile(name)
		if err != nil || string(raw) != strings.Repeat(want, 60)+"\n" {
			t.Errorf("%s: %q, %v", name, raw, err)
		}
	}
	if _, err := os.Stat(path + ".3"); err == nil {
		t.Error("a fourth file is kept")
	}
}

// TestLogFileAppends: an existing log counts towards the cap, and a line longer than the
// cap is written whole.
func TestLogFileAppends(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.log")
	if err := os.WriteFile(path, []byte("old\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := openLog(path, 10)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"new\n", strings.Repeat("x", 50) + "\n"} {
		if _, err := l.Write([]byte(line)); err != nil {
			t.Fatal(err)
		}
	}
	l.Close()
	if fresh, err := openLog(path+"2", 10); err != nil {
		t.Error(err)
	} else if _, err := fresh.Write(make([]byte, 50)); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(path + "2.1"); err == nil {
		t.Error("an empty file was put aside")
	}
	old, _ := os.ReadFile(path + ".1")
	now, _ := os.ReadFile(path)
	if string(old) != "old\nnew\n" || len(now) != 51 {
		t.Errorf("before: %q, now: %q", old, now)
	}
}
