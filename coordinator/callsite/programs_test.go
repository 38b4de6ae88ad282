package callsite

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/afar-sh/afar/coordinator/guard"
	"github.com/afar-sh/afar/coordinator/home"
)

// TestPrograms: a program that Afar uses is protected with what its link leads to, in a folder of the
// person's, and not in the project. The first folder of the PATH that has it counts.
func TestPrograms(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	project := filepath.Join(dir, "proj")
	bin, later, inProject := filepath.Join(dir, "bin"), filepath.Join(dir, "later"), filepath.Join(project, "bin")
	target := filepath.Join(dir, "share/claude/2.1.332")
	for _, file := range []string{
		filepath.Join(bin, "git"), filepath.Join(later, "git"), filepath.Join(inProject, "codex"), target,
	} {
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte("#!/bin/sh\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(target, filepath.Join(bin, "claude")); err != nil {
		t.Fatal(err)
	}
	dirs := home.Dirs{User: dir, Path: bin + ":" + later + ":" + inProject + ":relative:/usr/bin"}
	want := []string{filepath.Join(bin, "git"), filepath.Join(bin, "claude"), target}
	got := programs(dirs, project)()
	if got = slices.DeleteFunc(got, func(file string) bool { return filepath.Dir(file) == "/usr/bin" }); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got := folders(dirs.Path); !slices.Equal(got, []string{bin, later, inProject, "/usr/bin"}) {
		t.Errorf("folders: %v", got)
	}
	for file, want := range map[string]guard.Verdict{
		filepath.Join(bin, "git"):         guard.Deny,
		target:                            guard.Deny,
		filepath.Join(later, "git"):       guard.Ask,
		filepath.Join(bin, "new"):         guard.Ask,
		filepath.Join(inProject, "codex"): guard.None,
	} {
		call, err := guard.ReadCall("Write", `{"file_path":"`+file+`","content":"x"}`)
		if err != nil {
			t.Fatal(err)
		}
		if d := guard.Judge(call, Context(dirs, filepath.Join(dir, "afar/bin"), project, project)); d.Verdict != want {
			t.Errorf("Write %s: %q by %s, want %q", file, d.Verdict, d.Rule, want)
		}
	}
}
