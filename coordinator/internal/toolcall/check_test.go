//go:build unix

package toolcall_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/internal/toolcall"
)

// TestJudgeWake: the digest of a check changes with the files that it runs, and with nothing else.
func TestJudgeWake(t *testing.T) {
	files := map[string]string{
		"own/named":           "#!/bin/sh\nexit 1",
		"check.sh":            "sh ./deep.sh",
		"deep.sh":             "exit 1",
		"check.py":            "import helper\nhelper.run()",
		"helper.py":           "def run(): pass",
		"prog":                "\x7fELF\x00\x01",
		"node_modules/.bin/x": "#!/bin/sh\nexit 1",
		"check.lua":           "os.exit(1)",
		"Makefile":            "check:\n\tsh ./deep.sh\n",
		"package.json":        `{"scripts":{"check":"sh ./deep.sh"}}`,
		"build.log":           "still building",
		"built":               "no",
	}
	for command, c := range map[string]struct {
		run  string // files, each of which changes the digest
		data string // a file that does not
	}{
		"named build.log":                         {"own/named", "build.log"},
		"./check.sh":                              {"check.sh deep.sh", "build.log"},
		"sh check.sh":                             {"check.sh deep.sh", "build.log"},
		"cd . && . ./check.sh":                    {"check.sh deep.sh", "build.log"},
		"bash -c 'timeout 5 ./check.sh'":          {"check.sh deep.sh", "build.log"},
		"python3 check.py build.log":              {"check.py", "build.log"},
		"./prog build.log":                        {"prog", "build.log"},
		"node_modules/.bin/x":                     {"node_modules/.bin/x", "build.log"},
		"lua check.lua":                           {"check.lua", "build.log"},
		"make check":                              {"Makefile deep.sh", "build.log"},
		"npm run check":                           {"package.json deep.sh", "build.log"},
		"env X=1 nice ./prog":                     {"prog", "build.log"},
		"find . -name built -exec ./prog {} +":    {"prog", "build.log"},
		"test -e built && grep -q done build.log": {"", "build.log"},
	} {
		t.Run(command, func(t *testing.T) {
			dir := t.TempDir()
			dirs := dirsOf(t, dir, filepath.Join(dir, "own")+":/usr/bin:/bin")
			ok := func(err error) {
				t.Helper()
				if err != nil {
					t.Fatal(err)
				}
			}
			write := func(name, text string) {
				path := filepath.Join(dir, name)
				ok(os.MkdirAll(filepath.Dir(path), 0o700))
				ok(os.WriteFile(path, []byte(text), 0o700))
				if filepath.Ext(name) == ".log" || name == "built" {
					ok(os.Chmod(path, 0o600))
				}
			}
			for name, text := range files {
				write(name, text)
			}
			digest := func() string {
				runs, err := toolcall.JudgeCheck(dirs, dir, command, dir, dir).Runs(t.Context())
				ok(err)
				return runs
			}
			before := digest()
			if digest() != before || len(before) != 64 {
				t.Fatalf("the digest is %q, then %q", before, digest())
			}
			for name, text := range files {
				write(name, text+" ")
				changed := digest() != before
				write(name, text)
				if want := strings.Contains(" "+c.run+" ", " "+name+" "); want != changed && (want || name == c.data) {
					t.Errorf("%s: changed %t, want %t", name, changed, want)
				}
			}
		})
	}
}

// dirsOf returns the directories of a person with a home and a PATH.
func dirsOf(t *testing.T, user, path string) home.Dirs {
	t.Helper()
	env := map[string]string{"HOME": user, "AFAR_HOME": t.TempDir(), "PATH": path}
	dirs, err := home.FromEnv(func(name string) string { return env[name] })
	if err != nil {
		t.Fatal(err)
	}
	return dirs
}

// TestJudgeCheck: what the guard denies is refused, what it would ask about has a risk, and the state of the work tree
// at this moment changes nothing, because the check runs many times.
func TestJudgeCheck(t *testing.T) {
	own := t.TempDir()
	dirs := dirsOf(t, own, "/usr/bin:/bin")
	clean := t.TempDir()
	for _, args := range []string{"init -q", "-c user.name=Ada -c user.email=a@x.example commit -q --allow-empty -m x"} {
		if out, err := exec.Command("git", append([]string{"-C", clean}, strings.Fields(args)...)...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	for command, c := range map[string]struct{ refused, risky bool }{
		"go test ./...":                 {},
		"rm -rf ~":                      {refused: true, risky: true},
		"npm publish":                   {risky: true},
		"git reset --hard && go test .": {refused: true, risky: true},
	} {
		check := toolcall.JudgeCheck(dirs, own, command, clean, clean)
		if refused := check.Refused() != nil; refused != c.refused || (check.Risk() != "") != c.risky {
			t.Errorf("%s: refused %v, the risk is %q; want %+v", command, check.Refused(), check.Risk(), c)
		}
	}
}
