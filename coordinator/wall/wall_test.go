package wall

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/home"
)

// placeIn returns the place of a project in a home.
func placeIn(user, dir string) Place {
	afar := filepath.Join(user, "afar-home")
	return Place{
		Dirs: home.Dirs{User: user, Config: afar, State: afar + "/state", Workspace: afar + "/workspace"},
		Dir:  dir, Getenv: func(string) string { return "" },
	}
}

func must(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

func hasPath(rows []Row, path string) bool {
	return slices.ContainsFunc(rows, func(r Row) bool { return r.Path == path })
}

// TestNew: the settings decide whether there is a wall, and add to its tables.
func TestNew(t *testing.T) {
	user := t.TempDir()
	for mode, want := range map[string]string{"": "", Off: "", On: On, Strict: Strict} {
		w, err := New(placeIn(user, user), Settings{Mode: mode})
		if err != nil || w.Mode != want || w.Exists() != (want != "") {
			t.Errorf("%q: %q, %v", mode, w.Mode, err)
		}
	}
	if _, err := New(placeIn(user, user), Settings{Mode: "high"}); err == nil {
		t.Error("an unknown mode is taken")
	}
	w, err := New(placeIn(user, "/srv/p"), Settings{
		Mode: On, Write: []string{"~/data"}, Read: []string{"~/.kube"}, Hide: []string{"/srv/keys"},
	})
	must(t, err)
	for _, ok := range []bool{
		hasPath(w.Write, "/srv/p"), hasPath(w.Write, user+"/data"), hasPath(w.Read, user+"/.kube"),
		hasPath(w.Hide, "/srv/keys"), hasPath(w.Hide, user+"/.ssh"), hasPath(w.Hide, user+"/afar-home/telegram.token"),
	} {
		if !ok {
			t.Errorf("a row is missing: %+v", w)
		}
	}
	if hasPath(w.Write, user) || hasPath(w.Write, user+"/.claude") || hasPath(w.Write, user+"/.claude.json") {
		t.Error("the home or the host's settings can be written")
	}
}

// TestInTheHome: a program that works in the home itself writes what is there, and not what a later
// shell or agent loads.
func TestInTheHome(t *testing.T) {
	user := real(t.TempDir())
	must(t, os.MkdirAll(user+"/notes", 0o700), os.MkdirAll(user+"/.ssh", 0o700), os.WriteFile(user+"/.bashrc", nil, 0o600),
		os.MkdirAll(user+"/.config/gcloud", 0o700), os.MkdirAll(user+"/.config/app", 0o700),
		os.Symlink(user+"/.ssh", user+"/keys"))
	w, err := New(placeIn(user, user), Settings{Mode: On})
	must(t, err)
	var reads, writes []string
	for _, a := range w.allowances() {
		if below, ok := strings.CutPrefix(a.path, user+"/"); ok && a.writes {
			writes = append(writes, below)
		} else if ok {
			reads = append(reads, below)
		}
	}
	if slices.Sort(writes); !slices.Equal(writes, []string{"notes"}) {
		t.Errorf("it writes %q", writes)
	}
	if slices.Sort(reads); !slices.Equal(reads, []string{".bashrc", ".config/app", "notes"}) {
		t.Errorf("it reads %q", reads)
	}
}

// TestHomeInTemporary: where the home is in /tmp, what lies beside it is open as ever, and the home and Afar's own
// files are not. Nothing new can be made in /tmp itself, so temporary files go elsewhere.
func TestHomeInTemporary(t *testing.T) {
	top, err := os.MkdirTemp("/tmp", "wall")
	must(t, err)
	defer os.RemoveAll(top)
	p := placeIn(top+"/home", top+"/home/project")
	p.Dirs.State = top + "/state"
	must(t, os.MkdirAll(p.Dir, 0o700), os.MkdirAll(top+"/beside", 0o700), os.MkdirAll(p.Dirs.State, 0o700))
	w, err := New(p, Settings{Mode: On})
	must(t, err)
	var writes []string
	for _, a := range w.allowances() {
		if a.writes && (within(a.path, top) || within(top, a.path)) {
			writes = append(writes, strings.TrimPrefix(a.path, top))
		}
	}
	if slices.Sort(writes); !slices.Equal(writes, []string{"/beside", "/home/project"}) {
		t.Errorf("it writes %q", writes)
	}
	if env := p.Env(nil); !slices.Equal(env, []string{"TMPDIR=" + hostTemp()}) {
		t.Errorf("its environment has %q", env)
	}
}

// TestWidens: a person opens what is closed for one run, and never the home, Afar's own or settings of agents, however
// they are named. What can be written already is told apart.
func TestWidens(t *testing.T) {
	user := real(t.TempDir())
	p := placeIn(user, user+"/project")
	must(t, os.MkdirAll(p.Dir, 0o700), os.MkdirAll(user+"/.npm", 0o700))
	w, err := New(p, Settings{Mode: On})
	must(t, err)
	for path, want := range map[string]bool{
		"/": false, user: false, filepath.Dir(user): false, user + "/.claude": false, user + "/.claude/settings.json": false,
		user + "/.codex/x": false, user + "/afar-home": false, user + "/afar-home/state/afar.db": false,
		user + "/data": true, user + "/.config/app": true, "/srv/data": true, user + "/.claude-data": true,
	} {
		if got := p.Widens(path); got != want {
			t.Errorf("%s: %t, want %t", path, got, want)
		}
	}
	for path, want := range map[string]bool{
		p.Dir: true, p.Dir + "/a/b": true, user + "/.npm/x": true, "/var/tmp/x": true, user: false, user + "/data": false,
		user + "/.claude/settings.json": false, p.Dir + "-2": false,
	} {
		if got := w.Writes(path); got != want {
			t.Errorf("%s can be written: %t, want %t", path, got, want)
		}
	}
}

// TestWorktree: the repository of a worktree or a submodule is open. What the worktree alone says does not count.
func TestWorktree(t *testing.T) {
	top := real(t.TempDir())
	own, tree, keys := top+"/repo/.git/worktrees/w", top+"/w", top+"/keys"
	must(t, os.MkdirAll(own, 0o700), os.MkdirAll(tree, 0o700), os.MkdirAll(keys+"/worktrees/w", 0o700),
		os.WriteFile(top+"/repo/.git/HEAD", nil, 0o600), os.WriteFile(own+"/gitdir", []byte(tree+"/.git\n"), 0o600),
		os.WriteFile(tree+"/.git", []byte("gitdir: "+own+"\n"), 0o600))
	if got := commonGit(tree); got != top+"/repo/.git" {
		t.Errorf("its repository is %q", got)
	}
	sub, module := top+"/repo/sub", top+"/repo/.git/modules/sub"
	must(t, os.MkdirAll(sub, 0o700), os.MkdirAll(module, 0o700), os.WriteFile(module+"/HEAD", nil, 0o600),
		os.WriteFile(sub+"/.git", []byte("gitdir: ../.git/modules/sub\n"), 0o600),
		os.WriteFile(module+"/config", []byte("[core]\n\tbare = false\n\tworktree = ../../../sub\n"), 0o600))
	if got := commonGit(sub); got != module {
		t.Errorf("the repository of a submodule is %q", got)
	}
	for _, forged := range []string{"gitdir: " + module, "gitdir: ../repo/.git", "gitdir: " + keys + "/worktrees/w", "gitdir: ../keys", "gitdir: /", "", "x"} {
		must(t, os.WriteFile(tree+"/.git", []byte(forged), 0o600))
		if got := commonGit(tree); got != "" {
			t.Errorf("%q opens %q", forged, got)
		}
	}
	dir := top + "/worktrees/project" // a directory that would open the one above its parent
	must(t, os.MkdirAll(dir, 0o700), os.WriteFile(dir+"/.git", []byte("gitdir: "+dir), 0o600),
		os.WriteFile(dir+"/gitdir", []byte(dir+"/.git"), 0o600))
	if got := commonGit(dir); got != "" {
		t.Errorf("a directory named so opens %q", got)
	}
}

// TestLink: a directory in a place that everybody writes may not have become a link.
func TestLink(t *testing.T) {
	user, shared := t.TempDir(), t.TempDir()
	link := filepath.Join(shared, "project")
	must(t, os.Symlink(user, link))
	if _, err := New(placeIn(user, link), Settings{Mode: On}); err == nil && strings.HasPrefix(shared, "/tmp/") {
		t.Error("a link in /tmp is taken for the project")
	}
}
