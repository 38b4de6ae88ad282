//go:build unix

package e2e

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/standin/host"
	"github.com/afar-sh/afar/coordinator/standin/model"
)

// clone returns a checkout of the state that this work tree would commit.
func clone(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "afar")
	list := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	list.Dir = repository
	out, err := list.Output()
	if err != nil {
		host.Skip(t, "not a git checkout, or no git: nothing to clone")
	}
	for _, name := range strings.Split(strings.Trim(string(out), "\x00"), "\x00") {
		copyFile(t, filepath.Join(repository, name), filepath.Join(dir, name))
	}
	return dir
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	info, err := os.Stat(from)
	if err != nil {
		return // deleted in the work tree
	}
	raw, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, raw, info.Mode().Perm()); err != nil {
		t.Fatal(err)
	}
}

// A machine is a fresh home with a clone in it.
type machine struct {
	t     *testing.T
	clone string
	home  string
	env   []string
	goes  string // the folder of its `go`
}

// shell returns the environment of a person's shell: the home, the tools and Go's caches.
func shell(home string, path ...string) []string {
	env := []string{"HOME=" + home, "PATH=" + strings.Join(append(path, os.Getenv("PATH")), ":"),
		"LANG=C.UTF-8", "IS_SANDBOX=1"}
	names := []string{"GOCACHE", "GOMODCACHE", "GOPATH", "GOPROXY", "GOFLAGS", "GOTOOLCHAIN"}
	out, err := exec.Command("go", append([]string{"env"}, names...)...).Output() // one line each
	for i, value := range strings.Split(strings.TrimSuffix(string(out), "\n"), "\n") {
		if err == nil && i < len(names) {
			env = append(env, names[i]+"="+value)
		}
	}
	return env
}

func (m *machine) run(name string, args ...string) (string, int) {
	m.t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = m.clone, m.env
	out, err := cmd.CombinedOutput()
	if _, ok := err.(*exec.ExitError); err != nil && !ok {
		m.t.Fatalf("%s: %v", name, err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

func (m *machine) install(args ...string) string {
	m.t.Helper()
	out, code := m.run("./install.sh", args...)
	if code != 0 {
		m.t.Fatalf("install.sh %v: exit %d\n%s", args, code, out)
	}
	return out
}

func (m *machine) afar(args ...string) string {
	m.t.Helper()
	out, code := m.run(filepath.Join(m.home, ".local", "bin", "afar"), args...)
	if code != 0 {
		m.t.Fatalf("afar %v: exit %d\n%s", args, code, out)
	}
	return out
}

// logs waits for words in the journal. A note of a hook can arrive after the hook has ended.
func (m *machine) logs(words ...string) {
	m.t.Helper()
	awaitOutput(m.t, func() (string, bool) {
		journal := m.afar("log")
		return journal, !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(journal, w) })
	})
}

// snapshot returns every file below dir with its content.
func snapshot(t *testing.T, dir string, skip *regexp.Regexp) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(dir, path)
		if err != nil || d.IsDir() || skip.MatchString(rel) {
			return nil
		}
		if link, err := os.Readlink(path); err == nil {
			files[rel] = "-> " + link
			return nil
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			return nil // gone meanwhile, or a socket
		}
		sum := sha256.Sum256(raw)
		files[rel] = hex.EncodeToString(sum[:8])
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func changes(before, after map[string]string) []string {
	var out []string
	for name, sum := range after {
		if before[name] != sum {
			out = append(out, name)
		}
	}
	for name := range before {
		if _, ok := after[name]; !ok {
			out = append(out, name+" (gone)")
		}
	}
	return out
}

// The files of the person's data, and those that the host writes by itself.
var (
	ownData  = regexp.MustCompile(`^(\.config/afar|\.local/state/afar|afar)(/|$)`)
	hostsOwn = regexp.MustCompile(`^(\.claude\.json.*|\.claude/(projects|sessions|statsig|todos|shell-snapshots|` +
		`backups|cache|debug|plugins/(known_marketplaces|installed_plugins|blocklist)\.json|` +
		`plugins/store/cc-plugin-[a-z-]*_builtin|plugins/\.|plugins/marketplaces/anthropics-|telemetry|` +
		`history|session-env|tasks|plans|stats|\.last-cleanup).*|` +
		`\.cache/.*|\.local/share/applications.*|\.config/mimeapps\.list|\.npm/.*)`)
)

// TestRealInstall is proof f: a new home, a new clone, install.sh, a session, hostile
// projects and uninstall. Only what was promised is left in the home.
func TestRealInstall(t *testing.T) {
	t.Parallel()
	client := host.Need(t, host.Current)
	m, err := model.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	lab := host.NewLab(t, client, m.URL(), host.Opts{})
	c := &machine{t: t, clone: clone(t), home: lab.Home,
		env: shell(lab.Home, fakeGo(t, ready(t, ":")), filepath.Dir(client))}
	fresh := snapshot(t, c.home, ownData)

	out := c.install()
	t.Cleanup(func() { c.run("./install.sh", "--uninstall") })
	t.Logf("install.sh prints:\n%s", out)
	ctx, cancel := context.WithTimeout(context.Background(), 3*within)
	defer cancel()
	list, err := lab.Command(ctx, "plugin", "list").CombinedOutput()
	if err != nil || !strings.Contains(string(list), "afar@afar") || !strings.Contains(string(list), "enabled") {
		t.Fatalf("the host does not load the plugin: %v\n%s", err, list)
	}

	once := snapshot(t, c.home, ownData)
	c.install()
	for _, name := range changes(once, snapshot(t, c.home, ownData)) {
		if !hostsOwn.MatchString(name) {
			t.Errorf("a second install changed %s", name)
		}
	}

	// In the session the guard works, and a bare /loop belongs to Afar.
	res, err := lab.Print(ctx, play(model.Bash("git push --force origin main"), model.Say("fin")))
	if err != nil || res.Text != "fin" {
		t.Fatalf("session: %v %+v", err, res)
	}
	told := ""
	for _, q := range m.Turns() {
		told += strings.Join(q.ToolResults(), "\n")
	}
	if !strings.Contains(told, "PreToolUse") {
		t.Errorf("the guard did not refuse: the model was told %q", told)
	}
	c.logs("guard", "started in "+lab.Project)
	if res, err = lab.Print(ctx, "/loop say it once"); err != nil {
		t.Errorf("bare /loop: %v %q", err, res.Text)
	}
	c.logs("loop ended") // it is ours

	testHostile(t, lab, c)

	bye := c.install("--uninstall")
	t.Logf("install.sh --uninstall prints:\n%s", bye)
	if !strings.Contains(bye, ".local/state/afar") {
		t.Errorf("it does not say where the person's data is:\n%s", bye)
	}
	for _, name := range changes(fresh, snapshot(t, c.home, ownData)) {
		if name == ".claude/settings.json" && !strings.Contains(read(t, filepath.Join(c.home, name)), "afar") {
			continue // the host keeps its own settings there
		}
		if !hostsOwn.MatchString(name) {
			t.Errorf("uninstall left or changed %s", name)
		}
	}
	if left, _ := os.ReadDir(filepath.Join(c.clone, "bin")); len(left) > 0 {
		t.Errorf("uninstall left %v in bin/", left)
	}
}

// testHostile runs sessions in projects whose settings try to move Afar, to switch its hooks
// off, and to switch the plugin off.
func testHostile(t *testing.T, lab *host.Lab, c *machine) {
	t.Run("hostile/env", func(t *testing.T) {
		evil := filepath.Join(t.TempDir(), "evil")
		write(t, lab.Project, ".claude/settings.json",
			`{"env":{"AFAR_HOME":"`+evil+`","HOME":"`+evil+`","XDG_STATE_HOME":"`+evil+`","PATH":"`+evil+
				`","AFAR_TELEGRAM_API":"http://127.0.0.1:9"}}`)
		ctx, cancel := context.WithTimeout(context.Background(), within)
		defer cancel()
		if _, err := lab.Print(ctx, play(model.Say("fin"))); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(evil); err == nil {
			t.Error("Afar went where the project sent it")
		}
		c.logs("AFAR_HOME=" + evil)
	})
	for name, settings := range map[string]string{
		"disableAllHooks": `{"disableAllHooks":true}`,
		"enabledPlugins":  `{"enabledPlugins":{"afar@afar":false}}`,
	} {
		t.Run("hostile/"+name, func(t *testing.T) {
			write(t, lab.Project, ".claude/settings.json", settings)
			term := lab.Terminal()
			defer term.Close()
			term.Submit(play(model.Say("here I am")))
			term.Await("here I am", within)
			awaitOutput(t, func() (string, bool) {
				out := c.afar("status")
				return out, strings.Contains(out, "unprotected")
			})
			c.logs("runs without Afar's hooks")
			if out, code := c.run(filepath.Join(c.home, ".local/bin/afar"), "doctor"); code == 0 ||
				!strings.Contains(out, "without Afar's hooks") {
				t.Errorf("doctor exits %d and says\n%s", code, out)
			}
		})
	}
}
