package callsite

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/afar-sh/afar/coordinator/guard"
	"github.com/afar-sh/afar/coordinator/home"
)

func TestResolve(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	real := filepath.Join(dir, "real")
	if err := os.Mkdir(real, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("real/not-yet", filepath.Join(dir, "dangling")); err != nil {
		t.Fatal(err)
	}
	for to, name := range map[string]string{"../real": "real/up", "real/up/x": "far", "loop": "loop",
		"far/../y": "twice"} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]string{
		"/real/up/a":        "/real/a",
		"/far":              "/real/x",
		"/loop":             "/loop",
		"/dangling":         "/real/not-yet", // a write through the link would create the file
		"/link":             "/real",
		"/link/new/file":    "/real/new/file",
		"/nothing/at/all":   "/nothing/at/all",
		"/link/../link/new": "/real/new",
	} {
		if got := newResolver().resolve(filepath.Join(dir, path)); got != filepath.Join(dir, want) {
			t.Errorf("%s: %s", path, got)
		}
	}
}

// newRepository returns a directory, and a function that runs git in it.
func newRepository(t *testing.T) (dir string, run func(args ...string)) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	dir = t.TempDir()
	return dir, func(args ...string) {
		t.Helper()
		author := []string{"-C", dir, "-c", "user.name=n", "-c", "user.email=e@example.org"}
		cmd := exec.Command("git", append(author, args...)...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v %s", args, err, out)
		}
	}
}

// TestFacts asks a real repository in each of its states.
func TestFacts(t *testing.T) {
	dir, run := newRepository(t)
	facts := func() guard.GitFacts {
		return repository{dirs: home.Dirs{Path: os.Getenv("PATH"), User: t.TempDir()}}.ask(t.Context(), dir)
	}
	if got := facts(); got.Known {
		t.Errorf("no repository: %+v", got)
	}
	run("init", "-q", "-b", "work")
	run("commit", "-q", "--allow-empty", "-m", "first")
	if got, want := facts(), (guard.GitFacts{Known: true, Branch: "work"}); got != want {
		t.Errorf("clean: %+v", got)
	}
	run("checkout", "-q", "-b", "side")
	run("commit", "-q", "--allow-empty", "-m", "second")
	run("checkout", "-q", "work")
	run("branch", "old")
	merged := func(commit, branch string) bool {
		return repository{dirs: home.Dirs{Path: os.Getenv("PATH"), User: t.TempDir()}}.merged(dir, commit, branch)
	}
	if !merged("HEAD", "old") || !merged("HEAD", "none") || !merged("side", "work") || !merged("side", "side") {
		t.Error("merged: old and one that does not exist are, and both are in side")
	}
	if merged("HEAD", "side") || merged("HEAD", "Side") || merged("none", "old") || merged("--all", "old") {
		t.Error("merged: side is not, and nothing is merged into what does not exist")
	}
	run("update-ref", "refs/remotes/origin/main", "HEAD")
	run("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main")
	if err := os.WriteFile(filepath.Join(dir, "new"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	untracked := guard.GitFacts{Known: true, Branch: "work", Untracked: true, Default: "main"}
	if got := facts(); got != untracked {
		t.Errorf("an untracked file: %+v", got)
	}
	run("add", "new")
	staged := guard.GitFacts{Known: true, Branch: "work", Dirty: true, Default: "main"}
	if got := facts(); got != staged {
		t.Errorf("a staged file: %+v", got)
	}
	run("commit", "-q", "-m", "third")
	run("checkout", "-q", "--detach")
	if got := facts(); got.Branch != "" || !got.Known {
		t.Errorf("detached: %+v", got)
	}
}

// TestNoGit: nothing is known of a repository if git is neither in the PATH of the
// installation nor in an absolute directory of it.
func TestNoGit(t *testing.T) {
	if got := (repository{dirs: home.Dirs{Path: t.TempDir() + ":relative"}}).facts(t.TempDir()); got.Known {
		t.Errorf("%+v", got)
	}
}

// TestContext: the guard protects every file of Afar and every policy file.
func TestContext(t *testing.T) {
	env := map[string]string{"HOME": "/h", "AFAR_HOME": "/afar"}
	dirs, err := home.FromEnv(func(name string) string { return env[name] })
	if err != nil {
		t.Fatal(err)
	}
	ctx := Context(dirs, "/opt/afar/bin", "/p/sub", "/p")
	for _, path := range []string{
		"/afar/config.toml",
		"/afar/state/afar.db",
		"/afar/guard.toml",
		"/afar/state/guard.trust",
		"/p/guard.toml",
		"/p/sub/guard.toml",
		"/opt/afar/bin/hook-stop",
		"/opt/afar/plugin/hooks.json",
	} {
		args := []guard.Arg{{Path: "file_path", Value: path}, {Path: "content", Value: "x"}}
		d := guard.Judge(guard.Call{Tool: "Write", Args: args}, ctx)
		if d.Verdict != guard.Deny {
			t.Errorf("writing %s: %q", path, d.Verdict)
		}
	}
	if d := guard.Judge(guard.ShellCall("afar allow ask_1"), ctx); d.Rule != "afar.decide" {
		t.Errorf("a session may answer: %q by %q", d.Verdict, d.Rule)
	}
}

// TestPage: the guard knows the page under the address that the coordinator noted, and under
// the names of this machine and of proxies.
func TestPage(t *testing.T) {
	env := map[string]string{"HOME": t.TempDir(), "AFAR_HOME": t.TempDir()}
	dirs, err := home.FromEnv(func(name string) string { return env[name] })
	if err != nil {
		t.Fatal(err)
	}
	denied := func(url string) bool {
		ctx := Context(dirs, "/opt/afar/bin", "/p", "/p")
		return guard.Judge(guard.ShellCall("curl "+url), ctx).Verdict == guard.Deny
	}
	machine, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	if !denied("http://localhost:7357/") || denied("http://localhost:8123/") || !denied("http://"+machine+":7357/") {
		t.Error("before a coordinator ran, the page has its usual address")
	}
	if err := os.MkdirAll(dirs.State, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := dirs.NotePage("127.0.0.1:8123", []string{"box.ts.net"}); err != nil {
		t.Fatal(err)
	}
	for url, want := range map[string]bool{
		"http://localhost:8123/":      true,
		"http://" + machine + ":8123": true,
		"https://box.ts.net/":         true,
		"http://localhost:7357/":      false,
		"https://other.ts.net/":       false,
	} {
		if denied(url) != want {
			t.Errorf("%s: denied is %t", url, !want)
		}
	}
	t.Setenv("AFAR_WEB_ADDR", "off")
	if !denied("http://localhost:8123/") {
		t.Error("a session's variable moves the page")
	}
}
