package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/afar-sh/afar/coordinator/standin/botapi"
	"github.com/afar-sh/afar/coordinator/standin/host"
	"github.com/afar-sh/afar/coordinator/standin/model"
)

// The variables by which .ci/run --release names what it has built, and by which these tests tell
// that they run in namespaces of their own.
const (
	released = "AFAR_TEST_DIST"     // dist/ of this commit
	earlier  = "AFAR_TEST_DIST_OLD" // dist/ of an earlier commit, for the update
	inside   = "AFAR_TEST_INSIDE"
)

// dist returns the folder with what was built for a release. It skips the test if there is none.
// The test runs again as a process of its own that has only a loopback network and sees no Go;
// dist returns "" in the outer process, when that is done.
func dist(t *testing.T) string {
	t.Helper()
	dir := os.Getenv(released)
	if dir == "" {
		t.Skip("needs the archives that .ci/run --release builds")
	}
	if os.Getenv(inside) != "" {
		seal(t)
		return dir
	}
	if os.Getuid() != 0 {
		host.Skip(t, "needs root to leave the network and to hide Go")
	}
	cmd := exec.CommandContext(t.Context(), "/proc/self/exe", "-test.run", "^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), inside+"=1", staged+"="+root)
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS | syscall.CLONE_NEWNET}
	out, err := cmd.CombinedOutput()
	t.Logf("in namespaces of its own:\n%s", out)
	if err != nil || strings.Contains(string(out), "--- SKIP") {
		t.Fatalf("it did not pass: %v", err)
	}
	return ""
}

// seal raises the loopback interface, takes Go away, and checks that there is no other network.
func seal(t *testing.T) {
	t.Helper()
	if err := syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		t.Fatal(err)
	}
	socket, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_DGRAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(socket)
	up := struct { // ifreq
		name  [16]byte
		flags uint16
		_     [22]byte
	}{[16]byte{'l', 'o'}, syscall.IFF_UP | syscall.IFF_RUNNING, [22]byte{}}
	if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, uintptr(socket), syscall.SIOCSIFFLAGS,
		uintptr(unsafe.Pointer(&up))); errno != 0 {
		t.Fatal(errno)
	}
	if _, err := net.DialTimeout("tcp", "192.0.2.1:80", time.Second); err == nil {
		t.Fatal("there is a network")
	}
	hide(t, "go")
}

// hide puts an empty file over each program of this name in the PATH.
func hide(t *testing.T, name string) {
	t.Helper()
	empty := filepath.Join(t.TempDir(), "empty")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for {
		path, err := exec.LookPath(name)
		if err != nil {
			return
		}
		if path, err = filepath.EvalSymlinks(path); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Mount(empty, path, "", syscall.MS_BIND, ""); err != nil {
			t.Fatal(err)
		}
	}
}

// newStranger returns a person with a phone, a client and an empty home, whose coordinator will be
// in that home. Nothing is installed.
func newStranger(t *testing.T) *rig {
	t.Helper()
	m, err := model.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	bot := botapi.New(t)
	r := &rig{t: t, model: m, bot: bot, ann: bot.User(annID, "Ann")}
	client := host.Need(t, host.Current)
	t.Setenv("PATH", filepath.Dir(client)+":"+os.Getenv("PATH"))
	r.lab = host.NewLab(t, client, m.URL(), host.Opts{})
	return r
}

// unpack unpacks the archive for this platform in a folder of its own and returns its tree.
func unpack(t *testing.T, dist string) string {
	t.Helper()
	archives, _ := filepath.Glob(filepath.Join(dist, "afar_*_linux_"+runtime.GOARCH+".tar.gz"))
	if len(archives) != 1 {
		t.Fatalf("%v in %s", archives, dist)
	}
	dir := t.TempDir()
	if out, err := exec.Command("tar", "xzf", archives[0], "-C", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return filepath.Join(dir, names(t, dir)[0])
}

// TestRealRelease is a stranger's way: an archive is unpacked and installed, the guard denies, a
// question is answered on the phone, a loop ends, a newer archive is installed over it, and all is
// taken away. There is no Go, no git, and no network.
func TestRealRelease(t *testing.T) {
	dist := dist(t)
	if dist == "" {
		return
	}
	r := newStranger(t)
	hide(t, "git")
	write(t, r.lab.Home, ".config/afar/config.toml", "[web]\naddr = \"off\"\n[checkin]\nhold = \"0s\"\n")
	before := snapshot(t, r.lab.Home, ownData)
	place := filepath.Join(r.lab.Home, ".local", "share", "afar")
	r.bin = filepath.Join(place, "bin")
	if old := os.Getenv(earlier); old != "" {
		installRelease(r, unpack(t, old))
		was, pid := r.must("version"), r.status().Coordinator.PID
		installRelease(r, unpack(t, dist))
		if now := r.must("version"); now == was || r.status().Coordinator.PID == pid {
			t.Errorf("after the update afar says %q, before it %q; pid %d, before it %d", now, was,
				r.status().Coordinator.PID, pid)
		}
	}
	begun := time.Now()
	tree := unpack(t, dist)
	installRelease(r, tree)
	if err := os.RemoveAll(tree); err != nil { // what was installed does not need it
		t.Fatal(err)
	}
	r.pair()
	r.must("away", "on")
	r.term = r.lab.Terminal("--permission-mode", "default")
	r.part("a question is answered", func() {
		r.ask("question", model.Bash("touch made; touch refused"))
		r.tap(r.card("touch made"), "Allow")
		r.did("question")
		r.t.Logf("from the archive to the first answered question: %v, in 6 steps: "+
			"unpack, install.sh, connect, pair, claude, tap", time.Since(begun).Round(time.Second))
	})
	r.part("the guard denies", func() {
		r.ask("push", model.Bash("git push --force origin main; touch pushed"))
		r.did("push")
		if r.exists("pushed") || !strings.Contains(r.refusal(), "PreToolUse") {
			r.t.Errorf("the guard did not refuse: the model was told %q", r.refusal())
		}
	})
	r.term.Submit("/loop say it once")
	r.said("Loop stuck: say it once") // the stand-in for the model only talks
	r.term.Close()
	soon(t, "the end of the client", func() bool { return !running(r.term.Pid()) })
	pid := r.status().Coordinator.PID
	wants(t, r.must("uninstall"), "Removed.", ".local/state/afar")
	soon(t, "the end of the coordinator", func() bool { return !running(pid) })
	for _, name := range changes(before, snapshot(t, r.lab.Home, ownData)) {
		if !hostsOwn.MatchString(name) && name != ".claude/settings.json" {
			t.Errorf("uninstall left or changed %s", name)
		}
	}
	if there(place) {
		t.Errorf("uninstall left %s", place)
	}
}

// installRelease installs a tree as the person does.
func installRelease(r *rig, tree string) {
	r.t.Helper()
	cmd := exec.Command(filepath.Join(tree, "install.sh"))
	cmd.Env = r.env()
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "Installed.") {
		r.t.Fatalf("install.sh: %v\n%s", err, out)
	}
	ctx, cancel := context.WithTimeout(r.t.Context(), within)
	defer cancel()
	list, err := r.lab.Command(ctx, "plugin", "list").CombinedOutput()
	if err != nil || !strings.Contains(string(list), "afar@afar") || strings.Contains(string(list), "failed") {
		r.t.Fatalf("the host does not load the plugin: %v\n%s", err, list)
	}
}

// TestRealNpm installs the plugin by `claude plugin install` alone, from a registry on loopback that
// is gone afterwards. Two sessions start at once, and the guard judges the first call of both.
func TestRealNpm(t *testing.T) {
	dist := dist(t)
	if dist == "" {
		return
	}
	for name, missing := range map[string]string{"whole": "", "without the platform": "linux-"} {
		t.Run(name, func(t *testing.T) {
			r := newStranger(t)
			registry := newRegistry(t, filepath.Join(dist, "npm"), missing)
			write(t, r.lab.Home, ".npmrc", "registry="+registry.URL+"/\n")
			ctx, cancel := context.WithTimeout(t.Context(), within)
			defer cancel()
			install := r.lab.Command(ctx, "plugin", "install", "afar", "--marketplace", registry.URL+"/marketplace.json")
			if out, err := install.CombinedOutput(); err != nil {
				t.Fatalf("plugin install: %v\n%s", err, out)
			}
			registry.Close()
			versions, _ := filepath.Glob(filepath.Join(r.lab.Home, ".claude/plugins/cache/afar/afar/*"))
			if len(versions) != 1 {
				t.Fatalf("the plugin is in %v", versions)
			}
			r.bin = filepath.Join(versions[0], "bin")
			t.Cleanup(r.stop)
			const push = "git push --force origin main; touch pushed"
			one := r.printing(play(model.Bash(push), model.Say("fin")), bypass...)
			two := r.printing(play(model.Bash(push), model.Say("fin")), bypass...)
			for _, res := range []host.Result{<-one, <-two} {
				if res.Text != "fin" {
					t.Errorf("a session ends with %q: %s", res.Text, res.Stderr)
				}
			}
			if r.exists("pushed") || strings.Count(r.refusal(), "PreToolUse") < 2 {
				t.Errorf("pushed: %v; the model was told %q", r.exists("pushed"), r.refusal())
			}
			if missing != "" {
				return // the host blocked the calls, because there is no guard
			}
			if !strings.Contains(r.refusal(), "Afar") {
				t.Errorf("it was not the guard that refused: %q", r.refusal())
			}
			wants(t, r.must("status"), "Afar ")
			if left, _ := filepath.Glob(filepath.Join(r.bin, ".hook*")); len(left) > 0 {
				t.Errorf("left in bin/: %v", left)
			}
		})
	}
}

// newRegistry serves the packages in a folder as the npm registry does, and the marketplace that
// names them. Packages whose name contains missing are not there.
func newRegistry(t *testing.T, dir, missing string) *httptest.Server {
	t.Helper()
	packages := map[string][]byte{} // by the path of the file
	listings := map[string]string{} // the listing of each package, by name
	files, _ := filepath.Glob(filepath.Join(dir, "*.tgz"))
	for _, file := range files {
		if missing != "" && strings.Contains(file, missing) {
			continue
		}
		manifest, err := exec.Command("tar", "xzOf", file, "package/package.json").Output()
		var named struct{ Name, Version string }
		if err != nil || json.Unmarshal(manifest, &named) != nil {
			t.Fatalf("%s: %v", file, err)
		}
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, bare, _ := strings.Cut(named.Name, "/")
		path := "/" + named.Name + "/-/" + bare + "-" + named.Version + ".tgz"
		packages[path] = raw
		listings[named.Name] = `{"name":"` + named.Name + `","dist-tags":{"latest":"` + named.Version + `"},"versions":{"` +
			named.Version + `":` + strings.TrimSuffix(strings.TrimSpace(string(manifest)), "}") +
			`,"dist":{"tarball":"http://HOST` + path + `"}}}}`
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		name := strings.TrimPrefix(req.URL.Path, "/") // npm writes @afar-sh%2fafar, which is decoded here
		switch {
		case name == "marketplace.json":
			http.ServeFile(w, req, filepath.Join(dir, name))
		case packages[req.URL.Path] != nil:
			http.ServeContent(w, req, "", time.Time{}, bytes.NewReader(packages[req.URL.Path]))
		case listings[name] != "":
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(strings.ReplaceAll(listings[name], "HOST", req.Host)))
		default:
			http.NotFound(w, req)
		}
	}))
	t.Cleanup(server.Close)
	return server
}
