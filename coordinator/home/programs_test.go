package home_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/afar-sh/afar/coordinator/home"
)

// TestFindPrograms: a program stays where it was found, whatever appears in other folders, until it is
// gone there or found anew.
func TestFindPrograms(t *testing.T) {
	base := t.TempDir()
	at := func(name string) string { return filepath.Join(base, name) }
	put := func(name string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(at(name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at(name), []byte("#!/bin/sh\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	d := home.Dirs{State: at("state"), Path: at("first") + ":relative:" + at("second")}
	put("state/afar.db")
	put("second/git")
	put("second/codex")
	put("own/agent")
	find := func() {
		t.Helper()
		if err := d.FindPrograms([]string{at("own/agent"), "codex", ""}); err != nil {
			t.Fatal(err)
		}
	}
	want := func(when string, files ...string) {
		t.Helper()
		var got []string
		for _, p := range d.Programs() {
			got = append(got, p.File)
		}
		for i := range files {
			files[i] = at(files[i])
		}
		if !slices.Equal(got, files) {
			t.Errorf("%s: %v, want %v", when, got, files)
		}
	}
	want("nothing noted", "second/git", "second/codex")
	find()
	want("found", "second/git", "second/codex", "own/agent")
	put("first/git")
	put("first/gh")
	want("a later one", "second/git", "first/gh", "second/codex", "own/agent")
	find()
	want("at the next start", "second/git", "first/gh", "second/codex", "own/agent")
	if err := os.Remove(at("second/git")); err != nil {
		t.Fatal(err)
	}
	want("it is gone", "first/git", "first/gh", "second/codex", "own/agent")
	put("second/git")
	d.ForgetPrograms()
	find()
	want("found anew", "first/git", "first/gh", "second/codex", "own/agent")
	for _, text := range []string{"", "git", "git\trelative", "git\t/none\n\t\n", "\x00\n"} {
		if err := os.WriteFile(at("state/programs"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := d.Program("git"); got != at("first/git") {
			t.Errorf("with the list %q git is %s", text, got)
		}
	}
	for file, want := range map[string]bool{"/usr/bin/git": true, "/home/a/.local/bin/git": false, "/usrx/git": false} {
		if (home.UsedProgram{File: file}).IsSystems() != want {
			t.Errorf("%s: want %t", file, want)
		}
	}
}
