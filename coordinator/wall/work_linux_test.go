package wall

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/standin/long"
)

// projects are kinds of real work: what a project of the kind has, and how it is installed, built and tested. reach says
// outside of the wall whether its registry answers, "" for work without one.
var projects = []struct {
	name, tools, reach string
	files              map[string]string
	work               string
}{
	{
		name: "go", tools: "go git", reach: "GOFLAGS=-mod=mod GOMODCACHE=$PWD/cache go list -m rsc.io/quote@v1.5.2",
		files: map[string]string{
			"go.mod": "module example.org/a\n\ngo 1.21\n",
			"a.go":   "package a\n\nimport \"rsc.io/quote\"\n\nfunc Say() string { return quote.Hello() }\n",
			"a_test.go": "package a\n\nimport \"testing\"\n\n" +
				"func TestSay(t *testing.T) {\n\tif Say() == \"\" {\n\t\tt.Fatal()\n\t}\n}\n",
		},
		work: "go get rsc.io/quote@v1.5.2 && go mod tidy && go vet ./... && go build ./... && go test ./...",
	},
	{
		name: "node", tools: "node npm git", reach: "npm view is-number@7.0.0 version",
		files: map[string]string{
			"package.json": `{"name":"a","version":"1.0.0","scripts":{"build":"node -e \"require('fs').writeFileSync('out','1')\"",` +
				`"test":"node --test"}}`,
			"a.test.js": "require('node:test')('one', () => { if (!require('is-number')(1)) throw 1 })\n",
		},
		work: "npm install is-number@7.0.0 && npm run build && npm test",
	},
	{
		name: "python", tools: "python3 git",
		files: map[string]string{
			"wheel.py": "import zipfile\nz = zipfile.ZipFile('dep-1-py3-none-any.whl', 'w')\nd = 'dep-1.dist-info/'\n" +
				"z.writestr('dep.py', 'ONE = 1')\nz.writestr(d + 'METADATA', 'Metadata-Version: 2.1\\nName: dep\\nVersion: 1\\n')\n" +
				"z.writestr(d + 'WHEEL', 'Wheel-Version: 1.0\\nGenerator: x\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n')\n" +
				"z.writestr(d + 'RECORD', '')\nz.close()\n",
			"test_a.py": "import multiprocessing, unittest, dep\n\nclass A(unittest.TestCase):\n    def test_one(self):\n" +
				"        self.assertEqual(multiprocessing.Pool(2).map(abs, [-1]), [dep.ONE])\n",
		},
		work: "python3 wheel.py && python3 -m venv .venv && .venv/bin/pip install -q ./dep-1-py3-none-any.whl && " +
			".venv/bin/python -m unittest",
	},
	{
		name: "rust", tools: "cargo cc git",
		files: map[string]string{
			"Cargo.toml": "[package]\nname = \"a\"\nversion = \"0.1.0\"\nedition = \"2021\"\n" +
				"[dependencies]\ndep = { path = \"dep\" }\n",
			"src/lib.rs":     "#[test]\nfn one() { assert_eq!(dep::one(), 1) }\n",
			"dep/Cargo.toml": "[package]\nname = \"dep\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
			"dep/src/lib.rs": "pub fn one() -> u8 { 1 }\n",
		},
		work: "cargo build && cargo test",
	},
	{
		name: "java", tools: "javac java jar git",
		files: map[string]string{
			"dep/Dep.java": "package dep; public class Dep { public static int one() { return 1; } }\n",
			"A.java": "public class A { public static void main(String[] a) throws Exception { assert dep.Dep.one() == 1; " +
				"java.io.File.createTempFile(\"abc\", null); java.util.prefs.Preferences.userRoot(); } }\n",
		},
		work: "mkdir -p out && javac -d out dep/Dep.java && jar cf dep.jar -C out . && javac -cp dep.jar -d out A.java && " +
			"java -ea -cp out:dep.jar A",
	},
	{
		name: "c", tools: "make cc git",
		files: map[string]string{
			"Makefile": "test: a\n\t./a\na: a.o\n\tcc -o a a.o\n",
			"a.c":      "#include <stdio.h>\nint main(void) { FILE *f = tmpfile(); return !f; }\n",
		},
		work: "make -j2 test",
	},
	{
		name: "monorepo", tools: "go node npm make git",
		files: map[string]string{
			"go.work":          "go 1.21\n\nuse ./api\n\nuse ./lib\n",
			"lib/go.mod":       "module example.org/lib\n\ngo 1.21\n",
			"lib/lib.go":       "package lib\n\nconst One = 1\n",
			"api/go.mod":       "module example.org/api\n\ngo 1.21\n",
			"api/main.go":      "package main\n\nimport \"example.org/lib\"\n\nfunc main() { println(lib.One) }\n",
			"package.json":     `{"private":true,"workspaces":["web","kit"]}`,
			"kit/package.json": `{"name":"kit","version":"1.0.0","main":"kit.js"}`,
			"kit/kit.js":       "exports.one = 1\n",
			"web/package.json": `{"name":"web","version":"1.0.0","scripts":{"test":"node -e \"require('kit').one\""},` +
				`"dependencies":{"kit":"1.0.0"}}`,
			"Makefile": "all:\n\tcd api && go build -o ../bin/ . && ../bin/api\n\tnpm install --offline\n\tnpm test -w web\n",
		},
		work: "make",
	},
	{
		name: "worktree", tools: "git make sh",
		files: map[string]string{"Makefile": "test:\n\techo made > out\n"},
		work: "git worktree add -q -b side .worktrees/side && make -C .worktrees/side && git -C .worktrees/side add -A && " +
			"git -C .worktrees/side commit -qm side && git merge -q side && git stash list && git gc -q && make",
	},
}

// TestWork: real projects are installed, built, tested and committed behind the wall, without a setting. One that is a
// worktree commits into its repository elsewhere.
func TestWork(t *testing.T) {
	long.Only(t)
	if why := Missing(); why != "" {
		t.Skip(why)
	}
	for _, c := range projects {
		t.Run(c.name, func(t *testing.T) {
			for _, tool := range strings.Fields(c.tools) {
				if _, err := exec.LookPath(tool); err != nil {
					t.Skip(tool + " is not installed")
				}
			}
			cache, err := os.UserCacheDir() // the home is in no temporary directory
			must(t, err, os.MkdirAll(cache, 0o700))
			user, err := os.MkdirTemp(cache, "afar-work")
			must(t, err)
			t.Cleanup(func() { os.RemoveAll(user) })
			dir := filepath.Join(user, "project")
			env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + user, "LANG=C.UTF-8"}
			for _, name := range []string{"RUSTUP_HOME", "PYENV_ROOT"} { // where a tool is in another home
				if at := os.Getenv(name); at != "" {
					env = append(env, name+"="+at)
				}
			}
			if at := filepath.Join(os.Getenv("HOME"), ".rustup"); os.Getenv("RUSTUP_HOME") == "" && isDir(at) {
				env = append(env, "RUSTUP_HOME="+at)
			}
			c.files[".gitignore"] = "node_modules\ntarget\n.venv\n.worktrees\n"
			for name, text := range c.files {
				path := filepath.Join(dir, name)
				must(t, os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600))
			}
			must(t, os.WriteFile(user+"/.gitconfig", []byte("[user]\n\tname = Ann\n\temail = ann@localhost\n"), 0o600))
			outside := func(dir, line string) error {
				cmd := exec.Command("/bin/sh", "-ec", line)
				cmd.Dir, cmd.Env = dir, append(env, "GOFLAGS=-modcacherw")
				return cmd.Run()
			}
			must(t, outside(dir, "git init -q -b main && git add -A && git commit -qm first"))
			if c.name == "worktree" {
				must(t, outside(dir, "git worktree add -q -b own ../tree"))
				dir = filepath.Join(user, "tree")
			}
			if c.reach != "" && outside(t.TempDir(), c.reach) != nil {
				t.Skip("its registry does not answer")
			}
			p := Place{
				Dirs: home.Dirs{User: user, Config: user + "/.afar", State: user + "/.afar", Path: os.Getenv("PATH")}, Dir: dir,
				Program: "/bin/sh", Getenv: From(env),
			}
			w, err := New(p, Settings{Mode: On})
			must(t, err)
			cmd := exec.Command("/bin/sh", "-ec", c.work+"\ngit add -A\ngit commit -q --allow-empty -m done\ngit status --short")
			cmd.Dir, cmd.Env = dir, p.Env(append(env, "GOFLAGS=-modcacherw")) // the test removes the cache
			var out strings.Builder
			cmd.Stdout, cmd.Stderr = &out, &out
			must(t, w.Start(cmd))
			if err := cmd.Wait(); err != nil {
				t.Errorf("%v\n%s", err, &out)
			}
			cmd = exec.Command("/bin/sh", "-c", "echo x > ../outside")
			cmd.Dir, cmd.Env = dir, env
			must(t, w.Start(cmd))
			if cmd.Wait() == nil {
				t.Error("there is no wall")
			}
		})
	}
}

// TestSignInsStay: gh and npm use the person's sign-in behind the wall, and can neither change nor remove it there.
func TestSignInsStay(t *testing.T) {
	needWall(t)
	user, dir := t.TempDir(), t.TempDir()
	asked := make(chan string, 10)
	registry := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- r.Header.Get("Authorization")
		_, _ = w.Write([]byte(`{"username":"ada"}`))
	}))
	defer registry.Close()
	signIns := map[string]string{
		".npmrc":               strings.TrimPrefix(registry.URL, "http:") + "/:_authToken=mine\n",
		".config/gh/hosts.yml": "github.com:\n    user: ada\n    oauth_token: mine\n    git_protocol: https\n",
	}
	for name, text := range signIns {
		path := filepath.Join(user, name)
		must(t, os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600))
	}
	for _, c := range []struct{ command, want string }{
		{"gh auth token", "mine"},
		{"gh config set editor vi", "permission denied"},
		{"gh auth logout --hostname github.com", ""},
		{"npm whoami --registry " + registry.URL, "ada"},
		{"npm config set fund false", "EACCES"},
		{"npm config delete " + strings.TrimPrefix(registry.URL, "http:") + "/:_authToken", ""},
	} {
		program, err := exec.LookPath(strings.Fields(c.command)[0])
		if err != nil {
			t.Log(err)
			continue
		}
		env := []string{"HOME=" + user, "PATH=" + os.Getenv("PATH"), "NPM_CONFIG_UPDATE_NOTIFIER=false"}
		p := Place{Dirs: home.Dirs{User: user, Path: os.Getenv("PATH")}, Dir: dir, Program: program, Getenv: From(env)}
		w, err := New(p, Settings{Mode: On})
		must(t, err)
		cmd := exec.Command(program, strings.Fields(c.command)[1:]...)
		var out strings.Builder
		cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, p.Env(env), &out, &out
		must(t, w.Start(cmd))
		if _ = cmd.Wait(); !strings.Contains(out.String(), c.want) {
			t.Errorf("%s says %s, want %s", c.command, &out, c.want)
		}
	}
	for name, text := range signIns {
		if now, err := os.ReadFile(filepath.Join(user, name)); string(now) != text {
			t.Errorf("%s is %q (%v)", name, now, err)
		}
	}
	if _, err := exec.LookPath("npm"); err == nil && (len(asked) == 0 || <-asked != "Bearer mine") {
		t.Error("the registry was not asked with the sign-in")
	}
}
