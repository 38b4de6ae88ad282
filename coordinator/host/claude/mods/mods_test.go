package mods_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/afar-sh/afar/coordinator/host/claude/mods"
)

const own = "afar@afar"

// write writes files into a new directory. DIR in a text stands for the directory.
func write(t *testing.T, files map[string]string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(strings.ReplaceAll(text, "DIR", dir)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const module = `{"modules":["./m.mjs"]}`

// TestFind checks that enabled plugins with a deciding module are found in each place.
// Other plugins and Afar's own are not.
func TestFind(t *testing.T) {
	dir := write(t, map[string]string{
		"h/settings.json": `{"enabledPlugins":{"copied@m":true,"off@m":false,"placed@m":true,"quiet@m":true,
			"afar@afar":true,"gone@m":true,"odd@m":["1.0"]}}`,
		"h/plugins/installed_plugins.json": `{"plugins":{
			"copied@m":[{"installPath":"DIR/copied"}],
			"off@m":[{"installPath":"DIR/copied"}],
			"quiet@m":[{"installPath":"DIR/quiet"}],
			"afar@afar":[{"installPath":"DIR/copied"}],
			"odd@m":[{"installPath":"DIR/odd"}]}}`,
		"h/plugins/known_marketplaces.json":      `{"m":{"installLocation":"DIR/market"}}`,
		"copied/hooks/hooks.json":                module,
		"copied/hooks/m.mjs":                     `export const register = (on) => { on("tool.check", f); on('x', f) }`,
		"market/.claude-plugin/marketplace.json": `{"plugins":[{"name":"placed","source":"./sub"}]}`,
		"market/sub/.claude-plugin/plugin.json":  `{"hooks":["./x/hooks.json"]}`,
		"market/sub/x/hooks.json":                module,
		"market/sub/x/m.mjs":                     "on(`classic.*`, f)",
		"quiet/hooks/hooks.json":                 module,
		"quiet/hooks/m.mjs":                      `on("turn.start", f)`,
		"odd/hooks/hooks.json":                   `{"modules":["./none.mjs"]}`,
		"h/skills/local/hooks/hooks.json":        module,
		"h/skills/local/hooks/m.mjs":             `on("*", f)`,
		"h/dev-mods/s1/own/hooks/hooks.json":     module,
		"h/dev-mods/s1/own/hooks/m.mjs":          `on("plugin.register", f)`,
		"p/.claude/skills/near/hooks/hooks.json": module,
		"p/.claude/skills/near/hooks/m.mjs":      `on("tool.call", f)`,
	})
	var got []string
	for _, m := range mods.Find(filepath.Join(dir, "h"), filepath.Join(dir, "p"), own) {
		got = append(got, m.ID+" "+strings.Join(m.Events, ","))
	}
	want := []string{
		"copied@m tool.check",
		"local@skills-dir *",
		"near@skills-dir tool.call",
		"odd@m unreadable",
		"own@dev-mods plugin.register",
		"placed@m classic.*",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	broken := write(t, map[string]string{
		"settings.json":                  `[`,
		"plugins/installed_plugins.json": `{"plugins":5}`,
		"skills":                         "a file",
	})
	if got := mods.Find(broken, "", own); len(got) != 0 {
		t.Errorf("broken files have the mods %v", got)
	}
}

// TestStanding checks that only a plugin that comes first and has the hold is Held.
func TestStanding(t *testing.T) {
	if _, err := os.Stat(mods.ManagedDir()); err == nil {
		t.Skip("this machine has managed settings of its own, which decide")
	}
	root := write(t, map[string]string{"plugin/hooks.json": `{"modules":["./hold.mjs"]}`, "plugin/hold.mjs": ""})
	for settings, want := range map[string]mods.Grade{
		`{"prependPlugins":["afar@afar","x@y"]}`: mods.Held,
		`{"prependPlugins":["x@y","afar@afar"]}`: mods.Plain,
		`{"prependPlugins":"afar@afar"}`:         mods.Plain,
		`{}`:                                     mods.Plain,
		`not JSON`:                               mods.Plain,
	} {
		host := write(t, map[string]string{"settings.json": settings})
		if got, why := mods.GradeOf(host, root, own); got != want || want == mods.Plain && why == "" {
			t.Errorf("%s: %s (%s), want %s", settings, got, why, want)
		}
		if got, _ := mods.GradeOf(host, t.TempDir(), own); got != mods.Plain {
			t.Errorf("%s: %s without a hold", settings, got)
		}
	}
}

// TestLocks checks that a lock counts only if each byte is as Lock writes it.
func TestLocks(t *testing.T) {
	text := mods.Lock("/a b/\"c", own)
	if root, ok := mods.Locks(text, own); !ok || root != "/a b/\"c" {
		t.Errorf("%q %v", root, ok)
	}
	for _, other := range []string{
		"", "{}", "null",
		`{"extraKnownMarketplaces":{"afar":{"source":{"path":"/x"}}}}`,
		strings.Replace(string(text), "false", "true", 1),
		string(text) + " ",
	} {
		if _, ok := mods.Locks([]byte(other), own); ok {
			t.Errorf("%q is a lock", other)
		}
	}
}

// TestSandboxed: the settings nearest to the project decide whether the host's sandbox is on.
func TestSandboxed(t *testing.T) {
	const on, off = `{"sandbox":{"enabled":true}}`, `{"sandbox":{"enabled":false}}`
	for _, c := range []struct {
		user, project, local string
		want                 bool
	}{{"{}", "{", "", false}, {on, "{}", "", true}, {on, off, "", false}, {"", off, on, true}} {
		dir := write(t, map[string]string{"h/settings.json": c.user, "p/.claude/settings.json": c.project,
			"p/.claude/settings.local.json": c.local})
		if got := mods.Sandboxed(filepath.Join(dir, "h"), filepath.Join(dir, "p")); got != c.want {
			t.Errorf("%+v: %t", c, got)
		}
	}
}
