package callsite

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/home"
)

// A baitedRepository has a program of its own wherever git can have one. Each leaves a file in ran.
type baitedRepository struct {
	dir, ran string
	run      func(args ...string)
}

// newBaitedRepository returns a repository with a file that differs from the index only in its time
// and its case, so that git must read it.
func newBaitedRepository(t *testing.T) baitedRepository {
	t.Helper()
	dir, run := newRepository(t)
	r := baitedRepository{dir: dir, ran: t.TempDir(), run: run}
	run("init", "-q", "-b", "main")
	r.put(t, "a.txt", "one\n")
	r.put(t, ".gitattributes", "*.txt filter=x diff=x merge=x\n")
	run("add", "-A")
	run("commit", "-qm", "first")
	run("branch", "other")
	r.put(t, "a.txt", "two\n")
	r.bait(run)
	return r
}

func (r baitedRepository) put(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(r.dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// program returns a command that leaves a file of that name.
func (r baitedRepository) program(name string) string {
	return "touch '" + filepath.Join(r.ran, name) + "'; cat"
}

// bait sets every setting that names a program, with run.
func (r baitedRepository) bait(run func(args ...string)) {
	for _, key := range []string{
		"filter.x.clean", "filter.x.smudge", "core.fsmonitor", "core.sshCommand", "core.pager", "pager.status",
		"core.editor", "core.askPass", "diff.external", "diff.x.textconv", "diff.x.command", "merge.x.driver",
		"credential.helper", "gpg.program", "core.alternateRefsCommand", "core.gitProxy",
	} {
		run("config", key, r.program(key))
	}
	run("config", "filter.x.required", "true")
	run("config", "filter.y=z.clean", r.program("filter.y"))
	run("config", "alias.status", "!"+r.program("alias"))
	run("config", "remote.origin.url", "ext::sh -c touch% "+filepath.Join(r.ran, "ext"))
	run("config", "remote.origin.promisor", "true")
	run("config", "protocol.ext.allow", "always")
	run("config", "extensions.partialClone", "origin")
	run("config", "remote.origin.uploadpack", r.program("uploadpack"))
}

// TestLookingRunsNothing checks that no program of a repository's configuration runs while the
// guard asks git, in the repository itself, in one with a submodule, and in a bare one that a
// clone brings.
func TestLookingRunsNothing(t *testing.T) {
	for name, make := range map[string]func(*testing.T) (baitedRepository, string){
		"repository": func(t *testing.T) (baitedRepository, string) {
			r := newBaitedRepository(t)
			return r, r.dir
		},
		"hooks": func(t *testing.T) (baitedRepository, string) {
			r := newBaitedRepository(t)
			for _, hook := range []string{"post-index-change", "fsmonitor-watchman", "reference-transaction"} {
				path := filepath.Join(r.dir, ".git/hooks", hook)
				if err := os.WriteFile(path, []byte("#!/bin/sh\n"+r.program(hook)+"\n"), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			return r, r.dir
		},
		"submodule": func(t *testing.T) (baitedRepository, string) {
			outer, inner := newBaitedRepository(t), newBaitedRepository(t)
			inner.ran = outer.ran
			outer.run("-c", "filter.x.clean=cat", "-c", "protocol.file.allow=always", "-c", "filter.x.smudge=cat",
				"-c", "core.fsmonitor=false", "submodule", "add", "-q", inner.dir, "sub")
			sub := func(args ...string) { outer.run(append([]string{"-C", "sub"}, args...)...) }
			inner.bait(sub)
			outer.put(t, "sub/a.txt", "three\n")
			return outer, outer.dir
		},
		"embedded bare repository": func(t *testing.T) (baitedRepository, string) {
			r := newBaitedRepository(t)
			docs := filepath.Join(r.dir, "docs")
			if err := os.Rename(filepath.Join(r.dir, ".git"), docs); err != nil {
				t.Fatal(err)
			}
			r.run("--git-dir", docs, "config", "core.bare", "false")
			r.run("--git-dir", docs, "config", "core.worktree", r.dir)
			return r, docs
		},
	} {
		t.Run(name, func(t *testing.T) {
			r, dir := make(t)
			clear := func() {
				t.Helper()
				if err := os.RemoveAll(r.ran); err != nil {
					t.Fatal(err)
				}
				if err := os.Mkdir(r.ran, 0o700); err != nil {
					t.Fatal(err)
				}
			}
			clear()
			plain := exec.Command("git", "-C", dir, "status")
			if _ = plain.Run(); !r.anyRan(t) {
				t.Error("git status runs none of the programs; the test shows nothing")
			}
			clear()
			git := repository{dirs: home.Dirs{Path: os.Getenv("PATH"), User: t.TempDir()}}
			git.facts(dir)
			git.merged(dir, "HEAD", "other")
			git.unsaved(dir)
			git.kept(time.Now())(filepath.Join(r.dir, "a.txt"))
			if r.anyRan(t) {
				t.Error("a program of the repository ran while the guard looked")
			}
		})
	}
}

// anyRan reports whether a program of the repository ran, and logs which.
func (r baitedRepository) anyRan(t *testing.T) bool {
	t.Helper()
	files, err := os.ReadDir(r.ran)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		t.Logf("%s ran", f.Name())
	}
	return len(files) > 0
}

// TestFactsOfFilteredFiles checks that a repository with a filter is known, and that a file that
// differs is told, although no filter runs.
func TestFactsOfFilteredFiles(t *testing.T) {
	r := newBaitedRepository(t)
	git := repository{dirs: home.Dirs{Path: os.Getenv("PATH"), User: t.TempDir()}}
	if facts := git.ask(t.Context(), r.dir); !facts.Known || !facts.Dirty || facts.Branch != "main" {
		t.Errorf("%+v", facts)
	}
	if files := git.unsaved(r.dir); len(files) != 1 || files[0].Path != r.dir+"/a.txt" {
		t.Errorf("%+v", files)
	}
}
