package callsite

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/guard"
	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/standin/long"
)

// A lostRepository is a repository with a file in each state. Its files are an hour old.
type lostRepository struct {
	t    *testing.T
	dir  string
	path string // where git is looked up, "" for $PATH
}

func newLostRepository(t *testing.T) lostRepository {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := lostRepository{t: t, dir: dir}
	r.git("init", "-q")
	for _, name := range []string{"src/kept.go", "src/changed.go", "src/gone.go", "old name.go"} {
		r.put(name, "first")
	}
	r.put(".gitignore", "*.o\n")
	r.git("add", "-A")
	r.git("commit", "-qm", "first")
	r.put("src/changed.go", "second")
	r.put("staged.go", "staged")
	r.put("drafts/a.md", "draft")
	r.put("x.o", "object")
	r.git("add", "staged.go")
	r.git("mv", "old name.go", "new name.go")
	if err := os.Remove(filepath.Join(dir, "src/gone.go")); err != nil {
		t.Fatal(err)
	}
	return r
}

func (r lostRepository) git(args ...string) {
	r.t.Helper()
	author := []string{"-C", r.dir, "-c", "user.name=n", "-c", "user.email=e@example.org"}
	cmd := exec.Command("git", append(author, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
	if out, err := cmd.CombinedOutput(); err != nil {
		r.t.Fatalf("git %v: %v %s", args, err, out)
	}
}

// put writes a file and dates it back.
func (r lostRepository) put(name, text string) {
	r.t.Helper()
	path := filepath.Join(r.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		r.t.Fatal(err)
	}
	hourAgo := time.Now().Add(-time.Hour)
	if err := os.Chtimes(path, hourAgo, hourAgo); err != nil {
		r.t.Fatal(err)
	}
}

// unsaved returns the unsaved files of the repository around a path, relative to its top.
func (r lostRepository) unsaved(path string) (names []string) {
	r.t.Helper()
	w := worktrees{git: repository{dirs: home.Dirs{Path: cmp.Or(r.path, os.Getenv("PATH")), User: r.t.TempDir()}}}
	for _, f := range w.unsaved(filepath.Join(r.dir, path)) {
		name := strings.TrimPrefix(f.Path, r.dir+"/")
		if f.Staged {
			name += " staged"
		}
		if f.Untracked {
			name += " untracked"
		}
		names = append(names, name)
	}
	return names
}

// TestUnsaved: changed, staged and untracked files are unsaved. What is ignored, deleted or only
// renamed is not.
func TestUnsaved(t *testing.T) {
	r := newLostRepository(t)
	want := []string{"src/changed.go", "staged.go staged", "drafts/ untracked"}
	for _, path := range []string{"", "src", "src/none/at/all"} {
		if got := r.unsaved(path); !slices.Equal(got, want) {
			t.Errorf("around %q: %q, want %q", path, got, want)
		}
	}
	r.put("new name.go", "changed again")
	if got := r.unsaved(""); !slices.Contains(got, "new name.go") {
		t.Errorf("renamed and changed: %q", got)
	}
}

// TestUnsavedSlowly: git may take a while, as in a large repository or on a busy machine.
func TestUnsavedSlowly(t *testing.T) {
	long.InCI(t)
	if runtime.GOOS == "windows" {
		t.Skip("the slow git is a shell script")
	}
	r := newLostRepository(t)
	git, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	r.path = t.TempDir()
	slow := "#!/bin/sh\nsleep 0.3\nexec " + git + " \"$@\"\n"
	path := filepath.Join(r.path, "git")
	if err := os.WriteFile(path, []byte(slow), 0o700); err != nil {
		t.Fatal(err)
	}
	r.path += string(filepath.ListSeparator) + os.Getenv("PATH")
	if got := r.unsaved(""); len(got) == 0 {
		t.Error("what git takes 0.3 s to tell is not known")
	}
}

// TestUnsavedNowhere: outside a repository nothing is unsaved.
func TestUnsavedNowhere(t *testing.T) {
	w := worktrees{git: repository{dirs: home.Dirs{Path: os.Getenv("PATH"), User: t.TempDir()}}}
	if got := w.unsaved(t.TempDir()); got != nil {
		t.Errorf("%v", got)
	}
}

// TestLosesWork asks the guard about a real repository, before and after the session has
// changed a file itself.
func TestLosesWork(t *testing.T) {
	r := newLostRepository(t)
	env := map[string]string{"HOME": t.TempDir(), "AFAR_HOME": t.TempDir(), "PATH": os.Getenv("PATH")}
	dirs, err := home.FromEnv(func(name string) string { return env[name] })
	if err != nil {
		t.Fatal(err)
	}
	judged := func(cmd string) guard.Verdict {
		ctx := Context(dirs, "/opt/afar/bin", r.dir, r.dir)
		ctx.Older = func(path string) bool { return holdsOlder(path, time.Now().Add(-time.Minute)) && exists(path) }
		return guard.Judge(guard.ShellCall(cmd), ctx).Verdict
	}
	for cmd, want := range map[string]guard.Verdict{
		"echo x > src/changed.go":              guard.Ask,
		"rm drafts/a.md":                       guard.Ask,
		"rm -rf drafts":                        guard.Ask,
		"cp x.o src/changed.go":                guard.Ask,
		"rm staged.go":                         guard.Ask,
		"git rm -f staged.go":                  guard.Ask,
		"echo x > staged.go":                   guard.Ask,
		"git restore -s HEAD src":              guard.Ask,
		"git checkout HEAD src/kept.go drafts": guard.Ask,
		"git checkout HEAD -- src/kept.go":     guard.None,
		"git restore -s HEAD src/kept.go":      guard.None,
		"git checkout -- staged.go drafts":     guard.None,
		"git restore --staged staged.go":       guard.None,
		"rm 'new name.go'":                     guard.None,
		"echo x > src/kept.go":                 guard.None,
		"echo x >> src/changed.go":             guard.None,
		"rm x.o":                               guard.None,
		"echo x > src/new.go":                  guard.None,
		"rm src/none.go":                       guard.None,
	} {
		if got := judged(cmd); got != want {
			t.Errorf("%s: %q, want %q", cmd, got, want)
		}
	}
	if err := os.WriteFile(filepath.Join(r.dir, "src/changed.go"), []byte("the session's"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := judged("echo x > src/changed.go"); got != guard.None {
		t.Errorf("the session's own change: %q", got)
	}
}

// TestOlder: a file is older than the session if it was last changed before its transcript
// was created; a directory counts only with a slash.
func TestOlder(t *testing.T) {
	r := newLostRepository(t)
	transcript := filepath.Join(t.TempDir(), "t.jsonl")
	if err := os.WriteFile(transcript, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	older := Older(transcript)
	if born(transcript).IsZero() {
		t.Skip("this system does not say when a file was created")
	}
	later := time.Now().Add(time.Hour)
	if err := os.Chtimes(filepath.Join(r.dir, "staged.go"), later, later); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{
		"src/kept.go": true, "src/": true, "src": false, "staged.go": false, "none.go": false, "none/": false,
	} {
		if got := older(r.dir + "/" + path); got != want {
			t.Errorf("%s: %v", path, got)
		}
	}
	if !Older("")(filepath.Join(r.dir, "staged.go")) {
		t.Error("without a transcript every file is older")
	}
}
