package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
)

// TestRelease: the program and the plugin have the same version.
func TestRelease(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join("..", "..", ".claude-plugin", "plugin.json"))
	if err != nil {
		t.Fatal(err)
	}
	var manifest struct{ Version string }
	if err := json.Unmarshal(raw, &manifest); err != nil {
		t.Fatal(err)
	}
	if manifest.Version != release {
		t.Errorf("the plugin is of version %q, the program of %q", manifest.Version, release)
	}
}

func TestVCSCommit(t *testing.T) {
	info := func(revision, modified string) *debug.BuildInfo {
		return &debug.BuildInfo{Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: revision},
			{Key: "vcs.modified", Value: modified}}}
	}
	for _, c := range []struct {
		info *debug.BuildInfo
		want string
	}{
		{nil, ""}, {&debug.BuildInfo{}, ""}, {info("", "true"), ""}, {info("abc", "false"), "abc"},
		{info("0123456789abcdef", "false"), "0123456789ab"}, {info("0123456789abcdef", "true"), "0123456789ab-changed"},
	} {
		if got := vcsCommit(c.info); got != c.want {
			t.Errorf("vcsCommit = %q, want %q", got, c.want)
		}
	}
}

// TestCommitScript: install.sh builds in the commit of its own folder, whatever the
// variables of git say, and nothing if the folder is not a checkout.
func TestCommitScript(t *testing.T) {
	git, err := exec.LookPath("git")
	if _, noShell := exec.LookPath("sh"); err != nil || noShell != nil {
		t.Skip("needs git and sh")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	script, err := os.ReadFile(filepath.Join("..", "..", "plugin", "commit.sh"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "plugin"), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "plugin", "commit.sh"), string(script), 0o700)
	run := func(name string, args ...string) string {
		c := exec.Command(name, args...)
		c.Dir = dir
		c.Env = append(os.Environ(), "HOME="+dir, "GIT_DIR=/nowhere", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b",
			"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
		if name == git {
			c.Env = append(c.Env, "GIT_DIR="+filepath.Join(dir, ".git"))
		}
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %q: %v: %s", name, args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	if got := run("sh", "plugin/commit.sh"); got != "" {
		t.Errorf("without a repository: %q", got)
	}
	run(git, "init", "-q", ".")
	run(git, "add", ".")
	run(git, "commit", "-qm", "x")
	want := run(git, "rev-parse", "--short=12", "HEAD")
	if got := run("sh", "plugin/commit.sh"); got != want {
		t.Errorf("commit.sh says %q, want %q", got, want)
	}
	write(t, filepath.Join(dir, "plugin", "commit.sh"), string(script)+"# changed\n", 0o700)
	if got := run("sh", "plugin/commit.sh"); got != want+"-changed" {
		t.Errorf("commit.sh says %q, want %q", got, want+"-changed")
	}
}
