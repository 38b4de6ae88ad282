//go:build unix

package child

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFind checks that programs in the person's PATH are found, except those of the
// project.
func TestFind(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	at := func(name string) string { return filepath.Join(base, filepath.FromSlash(name)) }
	for name, mode := range map[string]os.FileMode{
		"bin/x":       0o755,
		"usr/x":       0o755,
		"plain/x":     0o644,
		"repo/bin/x":  0o755,
		"home/repo/x": 0o755,
		"repo-2/x":    0o755,
	} {
		if err := os.MkdirAll(filepath.Dir(at(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at(name), []byte("#!/bin/sh\n"), mode); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{"by": "repo", "link": "repo/bin"} {
		if err := os.Symlink(at(to), at(link)); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(at("repo"))
	for _, c := range []struct{ name, path, repo, home, want string }{
		{"x", "none:plain:bin:usr", "", "home", "bin/x"},
		{"x", "", "", "home", ""},
		{"y", "bin:usr", "", "home", ""},
		{"x", "repo/bin:usr", "repo", "home", "usr/x"},
		{"x", "repo/bin", "repo/bin", "home", ""},
		{"x", "repo-2", "repo", "home", "repo-2/x"},
		{"x", "repo/bin", "", "home", "repo/bin/x"},
		{"x", "link", "repo", "home", ""},
		{"x", "repo/bin", "by", "home", ""},
		{"x", "home/repo", "home", "home", "home/repo/x"}, // a home under git
		{"x", "home/repo", "home/repo", "home", ""},
		{"bin/x", "", "repo", "home", "bin/x"},
		{"repo/bin/x", "", "repo", "home", "repo/bin/x"}, // the person's own word
		{"bin/y", "", "", "home", ""},
	} {
		t.Setenv("HOME", at(c.home))
		name, repo := c.name, c.repo
		if strings.Contains(name, "/") {
			name = at(name)
		}
		if repo != "" {
			repo = at(repo)
		}
		dirs := []string{"", ".", "bin"} // relative to the project, the working directory
		for _, dir := range filepath.SplitList(c.path) {
			dirs = append(dirs, at(dir))
		}
		got, err := Find(name, strings.Join(dirs, string(filepath.ListSeparator)), repo)
		if c.want == "" && !errors.Is(err, ErrAbsent) || c.want != "" && (err != nil || got != at(c.want)) {
			t.Errorf("%+v: %q, %v", c, got, err)
		}
	}
	if _, err := Find(at("plain/x"), "", ""); err == nil || errors.Is(err, ErrAbsent) {
		t.Errorf("what is there and cannot be run: %v", err)
	}
}

// TestFindOnce checks that a file that appears later, in a folder that comes first, does not
// take the place of a program, and that a program that was removed is searched again.
func TestFindOnce(t *testing.T) {
	first, second := t.TempDir(), t.TempDir()
	path := first + ":" + second
	put := func(dir string) string {
		name := filepath.Join(dir, "x")
		if err := os.WriteFile(name, []byte("#!/bin/sh\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		return name
	}
	find := func(want string) {
		t.Helper()
		if got, err := Find("x", path, ""); err != nil || got != want {
			t.Errorf("found %s, %v, want %s", got, err, want)
		}
	}
	own := put(second)
	find(own)
	later := put(first)
	find(own)
	if err := os.Remove(own); err != nil {
		t.Fatal(err)
	}
	find(later)
}

// TestFindUsed checks that the program of Use comes first where its folder is in the path, as long as it
// is there.
func TestFindUsed(t *testing.T) {
	first, second := t.TempDir(), t.TempDir()
	for _, dir := range []string{first, second} {
		if err := os.WriteFile(filepath.Join(dir, "used"), []byte("#!/bin/sh\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	own := filepath.Join(second, "used")
	Use("used", own)
	for path, want := range map[string]string{first + ":" + second: own, first: filepath.Join(first, "used")} {
		if got, err := Find("used", path, ""); err != nil || got != want {
			t.Errorf("in %s: %s, %v, want %s", path, got, err, want)
		}
	}
	if err := os.Remove(own); err != nil {
		t.Fatal(err)
	}
	if got, err := Find("used", first+":"+second, ""); err != nil || filepath.Dir(got) != first {
		t.Errorf("it is gone: %s, %v", got, err)
	}
}
