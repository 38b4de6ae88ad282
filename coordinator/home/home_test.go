package home_test

import (
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/afar-sh/afar/coordinator/home"
)

// env is the environment of a test.
type env map[string]string

func (e env) get(name string) string { return e[name] }

func mustEnv(t *testing.T, e env) home.Dirs {
	t.Helper()
	d, err := home.FromEnv(e.get)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestFromEnv(t *testing.T) {
	runtime := t.TempDir()
	belowHome := home.Dirs{
		User:      "/h",
		Config:    "/h/.config/afar",
		State:     "/h/.local/state/afar",
		Run:       "/h/.local/state/afar/run",
		Workspace: "/h/afar",
	}
	xdg := belowHome
	xdg.Config, xdg.State, xdg.Run = "/c/afar", "/s/afar", filepath.Join(runtime, "afar")
	belowRoot := home.Dirs{Root: "/a", Config: "/a", State: "/a/state", Run: "/a/run", Workspace: "/a/workspace"}
	everything := env{
		"AFAR_HOME":       "/a/",
		"HOME":            "/h",
		"XDG_CONFIG_HOME": "/c",
		"XDG_STATE_HOME":  "/s",
		"XDG_RUNTIME_DIR": runtime,
		"PATH":            "/bin",
	}
	moved := belowRoot
	moved.User, moved.Path = "/h", "/bin"
	for _, c := range []struct {
		name string
		env  env
		want home.Dirs
	}{
		{"AFAR_HOME moves everything", everything, moved},
		{"only AFAR_HOME", env{"AFAR_HOME": "/b/../a"}, belowRoot},
		{"only HOME", env{"HOME": "/h"}, belowHome},
		{"USERPROFILE without HOME", env{"USERPROFILE": "/h"}, belowHome},
		{"XDG", env{"HOME": "/h", "XDG_CONFIG_HOME": "/c", "XDG_STATE_HOME": "/s", "XDG_RUNTIME_DIR": runtime}, xdg},
		{
			"relative XDG directories are ignored",
			env{"HOME": "/h", "XDG_CONFIG_HOME": "c", "XDG_STATE_HOME": "./s", "XDG_RUNTIME_DIR": "r"}, belowHome,
		},
		{"a missing runtime directory", env{"HOME": "/h", "XDG_RUNTIME_DIR": "/no/such/dir"}, belowHome},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := mustEnv(t, c.env)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
			files := []string{got.Socket(), got.LifeLock(), got.Database(), got.Log(), got.TokenFile()}
			for _, path := range append(files, got.All()...) {
				if !filepath.IsAbs(path) {
					t.Errorf("%s is not absolute", path)
				}
			}
		})
	}
}

func TestFromEnvRefuses(t *testing.T) {
	for _, c := range []struct {
		name string
		env  env
		want string
	}{
		{"nothing", env{}, "neither AFAR_HOME nor HOME"},
		{"relative AFAR_HOME", env{"AFAR_HOME": "x", "HOME": "/h"}, `AFAR_HOME must be an absolute path, not "x"`},
		{"relative HOME", env{"HOME": "h"}, `HOME must be an absolute path, not "h"`},
		{"relative HOME with AFAR_HOME", env{"AFAR_HOME": "/a", "HOME": "."}, `HOME must be an absolute path`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := home.FromEnv(c.env.get); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("want an error with %q, have %v", c.want, err)
			}
		})
	}
}

// TestEnv: a process with the environment Dirs.Env resolves the same directories.
func TestEnv(t *testing.T) {
	runtime := t.TempDir()
	for _, e := range []env{
		{"AFAR_HOME": "/a", "HOME": "/h", "PATH": "/bin", "AFAR_TELEGRAM_TOKEN": "x", "CLAUDECODE": "1"},
		{"HOME": "/h", "PATH": "/bin"},
		{"HOME": "/h", "XDG_CONFIG_HOME": "/c", "XDG_STATE_HOME": "/s", "XDG_RUNTIME_DIR": runtime},
	} {
		d, clean := mustEnv(t, e), env{}
		for _, v := range d.Env() {
			name, value, _ := strings.Cut(v, "=")
			clean[name] = value
		}
		if diff := cmp.Diff(d, mustEnv(t, clean)); diff != "" {
			t.Errorf("%v: %s", e, diff)
		}
		if clean["AFAR_TELEGRAM_TOKEN"] != "" || clean["CLAUDECODE"] != "" {
			t.Errorf("it passes on variables of the session: %v", clean)
		}
	}
}

func TestSocket(t *testing.T) {
	long := "/" + strings.Repeat("d", 90)
	short := mustEnv(t, env{"AFAR_HOME": "/a"})
	if got := short.Socket(); got != "/a/run/afar.sock" {
		t.Errorf("have %s", got)
	}
	// 103 bytes is the longest path that every system takes.
	at := mustEnv(t, env{"AFAR_HOME": "/" + strings.Repeat("d", 103-len("//run/afar.sock"))})
	if got := at.Socket(); len(got) != 103 || !strings.HasPrefix(got, at.Run) {
		t.Errorf("a path of 103 bytes must be used as it is, have %d: %s", len(got), got)
	}
	one, two := mustEnv(t, env{"AFAR_HOME": long}), mustEnv(t, env{"AFAR_HOME": long + "e"})
	if got := one.Socket(); len(got) > 103 || got == two.Socket() || got != one.Socket() {
		t.Errorf("long paths need short, different and lasting names: %s, %s", got, two.Socket())
	}
}

func TestLongSocketCanBeListenedOn(t *testing.T) {
	d := mustEnv(t, env{"AFAR_HOME": filepath.Join(t.TempDir(), strings.Repeat("d", 110))})
	if err := d.Make(); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Dir(d.Socket())
	t.Cleanup(func() { os.RemoveAll(dir) })
	wantMode(t, dir, 0o700)
	l, err := net.Listen("unix", d.Socket())
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
}

func TestMake(t *testing.T) {
	root := filepath.Join(t.TempDir(), "a")
	d := mustEnv(t, env{"AFAR_HOME": root})
	for range 2 {
		if err := d.Make(); err != nil {
			t.Fatal(err)
		}
	}
	for _, dir := range append(d.All(), filepath.Dir(d.Log())) {
		wantMode(t, dir, 0o700)
	}
}

func TestMakeRepairs(t *testing.T) {
	d := mustEnv(t, env{"AFAR_HOME": t.TempDir()})
	if err := os.MkdirAll(d.Run, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(d.Run, 0o777); err != nil { // MkdirAll obeys the umask
		t.Fatal(err)
	}
	if err := d.MakeRun(); err != nil {
		t.Fatal(err)
	}
	wantMode(t, d.Run, 0o700)
}

func TestMakeRefuses(t *testing.T) {
	for _, c := range []struct {
		name string
		make func(t *testing.T, run string)
	}{
		{"a file", func(t *testing.T, run string) { write(t, run, "x") }},
		{"a link to a directory", func(t *testing.T, run string) {
			if err := os.Symlink(t.TempDir(), run); err != nil {
				t.Fatal(err)
			}
		}},
		{"another user's directory", func(t *testing.T, run string) {
			if os.Getuid() != 0 {
				t.Skip("only root can give a directory away")
			}
			if err := os.Mkdir(run, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.Chown(run, 65534, 65534); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := mustEnv(t, env{"AFAR_HOME": t.TempDir()})
			c.make(t, d.Run)
			if err := d.MakeRun(); err == nil || !strings.Contains(err.Error(), d.Run) {
				t.Errorf("want an error that names %s, have %v", d.Run, err)
			}
			if err := d.Make(); err == nil {
				t.Error("Make accepts it")
			}
		})
	}
}

func wantMode(t *testing.T, path string, want fs.FileMode) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := info.Mode().Perm(); got != want {
		t.Errorf("%s is %o, want %o", path, got, want)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
