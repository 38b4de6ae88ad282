package home_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/afar-sh/afar/coordinator/home"
)

func pinned(t *testing.T, e env) (bin string, d home.Dirs) {
	t.Helper()
	bin, d = t.TempDir(), mustEnv(t, e)
	if err := home.WritePin(bin, d); err != nil {
		t.Fatal(err)
	}
	return bin, d
}

func TestPin(t *testing.T) {
	for _, e := range []env{
		{"AFAR_HOME": "/a dir/with = signs", "HOME": "/h", "PATH": "/bin:/usr/local/bin"},
		{"HOME": "/h"},
		{"AFAR_HOME": "/a"},
		{"HOME": "/h", "XDG_CONFIG_HOME": "/c", "XDG_STATE_HOME": "/s"},
	} {
		bin, d := pinned(t, e)
		if !home.Pinned(bin) {
			t.Error("the pin was written, but is not there")
		}
		wantMode(t, filepath.Join(bin, "afar.pin"), 0o600)
		got, pinned, err := home.ForHook(bin, e.get)
		if overruled := got.Overruled(e.get); !pinned || err != nil || len(overruled) > 0 {
			t.Errorf("%v: %v, %v, %v", e, pinned, overruled, err)
		}
		if diff := cmp.Diff(d, got); diff != "" {
			t.Errorf("%v: %s", e, diff)
		}
	}
}

func TestPinAgain(t *testing.T) {
	bin, d := pinned(t, env{"HOME": "/h"})
	path := filepath.Join(bin, "afar.pin")
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := home.WritePin(bin, d); err != nil {
		t.Fatal(err)
	}
	after, err := os.Stat(path)
	if err != nil || !os.SameFile(before, after) {
		t.Errorf("the same pin must leave the file as it is: %v", err)
	}
	if err := home.WritePin(bin, mustEnv(t, env{"HOME": "/other"})); err != nil {
		t.Fatal(err)
	}
	if got, _, err := home.ForHook(bin, env{}.get); err != nil || got.User != "/other" {
		t.Errorf("the new pin does not hold: %+v, %v", got, err)
	}
	if entries, err := os.ReadDir(bin); err != nil || len(entries) != 1 {
		t.Errorf("there are other files next to the pin: %v, %v", entries, err)
	}
}

func TestWritePinRefuses(t *testing.T) {
	if err := home.WritePin(filepath.Join(t.TempDir(), "none"), mustEnv(t, env{"HOME": "/h"})); err == nil {
		t.Error("WritePin accepts a directory that does not exist")
	}
	bin := t.TempDir()
	if err := home.WritePin(bin, mustEnv(t, env{"HOME": "/h\nroot /evil"})); err == nil || home.Pinned(bin) {
		t.Errorf("a path with a line break was pinned: %v", err)
	}
}

func TestPinDisagrees(t *testing.T) {
	inHome, inRoot := env{"HOME": "/h"}, env{"HOME": "/h", "AFAR_HOME": "/a"}
	for _, c := range []struct {
		name     string
		pin, env env
		want     []string
	}{
		{"another home", inHome, env{"HOME": "/evil"}, []string{"HOME=/evil"}},
		{"a root without a pinned one", inHome, env{"HOME": "/h", "AFAR_HOME": "/evil"}, []string{"AFAR_HOME=/evil"}},
		{"another root", inRoot, env{"HOME": "/h", "AFAR_HOME": "/evil"}, []string{"AFAR_HOME=/evil"}},
		{"a relative root", inHome, env{"HOME": "/h", "AFAR_HOME": "evil"}, []string{"AFAR_HOME=evil"}},
		{"another config", inHome, env{"HOME": "/h", "XDG_CONFIG_HOME": "/evil"}, []string{"XDG_CONFIG_HOME=/evil"}},
		{"another state", inHome, env{"HOME": "/h", "XDG_STATE_HOME": "/evil"}, []string{"XDG_STATE_HOME=/evil"}},
		{
			"another home and another root", inHome, env{"HOME": "/evil", "AFAR_HOME": "/evil"},
			[]string{"AFAR_HOME=/evil", "HOME=/evil"},
		},

		{"nothing set", inRoot, env{}, nil},
		{"the same, written otherwise", inRoot, env{"HOME": "/h/", "AFAR_HOME": "/x/../a"}, nil},
		{"the default config written out", inHome, env{"HOME": "/h", "XDG_CONFIG_HOME": "/h/.config"}, nil},
		{"installed under a root, used without", inRoot, env{"HOME": "/h", "XDG_CONFIG_HOME": "/c"}, nil},
		{"a login with a runtime directory", inHome, env{"HOME": "/h", "XDG_RUNTIME_DIR": "/run/user/1"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			bin, d := pinned(t, c.pin)
			got, _, err := home.ForHook(bin, c.env.get)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(d, got); diff != "" {
				t.Error("the pin must win: " + diff)
			}
			if diff := cmp.Diff(c.want, got.Overruled(c.env.get)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestPinDamaged(t *testing.T) {
	for _, text := range []string{
		"",
		"\n\n",
		"root\x00",
		"config relative\nstate /s\nrun /r\nworkspace /w\n",
		"state /s\nrun /r\nworkspace /w\n",
		"config /c\nstate /s\nrun\nworkspace /w\n",
		strings.Repeat("config /c", 100000),
	} {
		bin := t.TempDir()
		write(t, filepath.Join(bin, "afar.pin"), text)
		_, _, err := home.ForHook(bin, env{"HOME": "/h"}.get)
		if err == nil || !strings.Contains(err.Error(), "install.sh") {
			t.Errorf("%.40q: want an error that names install.sh, have %v", text, err)
		}
	}
	bin := t.TempDir()
	if err := os.Mkdir(filepath.Join(bin, "afar.pin"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, _, err := home.ForHook(bin, env{"HOME": "/h"}.get); err == nil {
		t.Error("ForHook reads the environment if the pin cannot be read")
	}
}

func TestWithoutPin(t *testing.T) {
	got, pinned, err := home.ForHook(t.TempDir(), env{"AFAR_HOME": "/a"}.get)
	if err != nil || got.Root != "/a" || pinned {
		t.Errorf("have %+v, %v, %v", got, pinned, err)
	}
}

func TestForPerson(t *testing.T) {
	bin, _ := pinned(t, env{"HOME": "/h"})
	for _, c := range []struct {
		name string
		env  env
		want string
	}{
		{"the environment counts", env{"HOME": "/h", "AFAR_HOME": "/a"}, "/a"},
		{"not inside a session", env{"HOME": "/h", "AFAR_HOME": "/a", "CLAUDECODE": "1"}, ""},
		{"nor in one that hides half of it", env{"HOME": "/h", "AFAR_HOME": "/a", "CLAUDE_CODE_SESSION_ID": "s"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := home.ForPerson(bin, c.env.get)
			if err != nil || d.Root != c.want {
				t.Errorf("have root %q, %v", d.Root, err)
			}
		})
	}
}

func TestBin(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	real, err := filepath.EvalSymlinks(exe)
	if err != nil {
		t.Fatal(err)
	}
	if bin, err := home.Bin(); err != nil || bin != filepath.Dir(real) {
		t.Errorf("have %s, %v", bin, err)
	}
}
