package doctor

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/config"
	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/wall"
	"github.com/afar-sh/afar/coordinator/wire"
)

// TestDoctorLiveManaged: doctor --live finds the managed settings file that loads Afar's
// plugin. It would also load it into a trial, with the pin of the person's own home.
func TestDoctorLiveManaged(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(dir+"/managed-settings.d", 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, dir+"/managed-settings.json", `{"disableAllHooks":false}`)
	if found := managing([]string{dir + "/none", dir}); found != "" {
		t.Errorf("%s loads Afar, it says", found)
	}
	path := dir + "/managed-settings.d/50-afar.json"
	write(t, path, `{"enabledPlugins":{"afar@afar":true}}`)
	if found := managing([]string{dir + "/none", dir}); found != path {
		t.Errorf("it finds %q, want %s", found, path)
	}
}

func TestPluginCheck(t *testing.T) {
	root := t.TempDir()
	for out, want := range map[string]string{
		`[{"id":"afar@afar","enabled":true,"readFromFolder":"` + root + `"}]`: "ok",
		`[{"id":"afar@afar","enabled":true,"readFromFolder":"/elsewhere"}]`:   "bad",
		``:                                     "off",
		`[]`:                                   "off",
		`[{"id":"other@afar","enabled":true}]`: "off",
		`[{"id":"afar@afar","enabled":true}]`:  "ok",
		`[{"id":"afar@afar"}]`:                 "ok",
		`[{"id":"afar@afar","enabled":false}]`: "bad",
		`[{"id":"afar@afar","enabled":false},{"id":"afar@afar","enabled":true}]`:       "ok",
		`[{"id":"afar@afar","enabled":true,"errors":["no hooks"]}]`:                    "bad",
		`[{"id":"afar@afar","enabled":true,"errors":[{"type":"x"}]}]`:                  "bad",
		"Installed plugins:\n  > afar@afar\n    Version: 0.1.0\n    Status: enabled\n": "ok",
		"No plugins installed. Use `claude plugin install` to install a plugin.\n":     "off",
		`{"plugins":[{"id":"afar@afar"}]}`:                                             "ok",
	} {
		if got := pluginCheck([]byte(out), root); got.State != want {
			t.Errorf("%q: %+v, want %s", out, got, want)
		}
	}
}

// TestHooksOfThePlugin: the plugin and the source name the same hooks. The settings of other agents name the one
// for them.
func TestHooksOfThePlugin(t *testing.T) {
	var named []string
	for _, file := range []string{"hooks.json", "newer-hooks.json"} {
		raw, err := os.ReadFile("../../plugin/" + file)
		if err != nil {
			t.Fatal(err)
		}
		named = append(named, namedHooks(raw)...)
	}
	slices.Sort(named)
	named = append(slices.Compact(named), "hook-agent")
	for _, name := range named {
		if _, err := os.Stat("../../cmd/" + name + "/main.go"); err != nil {
			t.Errorf("the plugin names %s: %v", name, err)
		}
	}
	dirs, _ := filepath.Glob("../../cmd/hook-*")
	if len(dirs) != len(named) {
		t.Errorf("%d hooks in the source, %d in the plugin", len(dirs), len(named))
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestWall: doctor says whether runs are behind a wall.
func TestWall(t *testing.T) {
	if missing := wall.Missing(); missing != "" {
		t.Skip(missing)
	}
	dir := t.TempDir()
	x := Exam{Dirs: home.Dirs{Config: dir}}
	for text, state := range map[string]string{
		"": "ok", "[runs]\nwall = \"off\"": "off", "[runs]\nwall = \"on\"": "ok", "[runs]\nwall = \"strict\"": "ok",
	} {
		write(t, x.Dirs.ConfigFile(), text)
		x.set, x.unset = config.Load(x.Dirs.ConfigFile())
		if check := x.wall(); check.State != state || !strings.Contains(check.Text, "ABI") {
			t.Errorf("%q: %+v, want %s", text, check, state)
		}
	}
}

// TestSandboxes: doctor names the sessions with the host's own sandbox, and them alone.
func TestSandboxes(t *testing.T) {
	got := sandboxes([]wire.Session{{Token: "a1", Sandbox: true}, {Token: "b2"}, {Token: "c3", Sandbox: true}})
	if len(got) != 1 || got[0].State != "ok" || !strings.Contains(got[0].Text, "in a1, c3. ") {
		t.Errorf("it says %+v", got)
	}
	if got := sandboxes([]wire.Session{{Token: "b2"}}); got != nil {
		t.Errorf("without one it says %+v", got)
	}
}
