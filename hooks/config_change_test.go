package hooks_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/standin/long"
)

// A desk is a person's home with one project, and the host's settings in both.
type desk struct {
	t             *testing.T
	home, project string
}

func newDesk(t *testing.T) desk {
	d := desk{t, homeDir(t), homeDir(t)}
	for _, dir := range []string{d.home, d.project} {
		if err := os.Mkdir(filepath.Join(dir, ".claude"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return d
}

// file returns the path of the settings file of a source.
func (d desk) file(source string) string {
	return map[string]string{
		"user_settings":    filepath.Join(d.home, ".claude", "settings.json"),
		"project_settings": filepath.Join(d.project, ".claude", "settings.json"),
		"local_settings":   filepath.Join(d.project, ".claude", "settings.local.json"),
	}[source]
}

func (d desk) write(source, text string) {
	d.t.Helper()
	if err := os.WriteFile(d.file(source), []byte(text), 0o600); err != nil {
		d.t.Fatal(err)
	}
}

// hold leaves the mark that the plugin must load first.
func (d desk) hold() {
	d.t.Helper()
	dirs, err := home.FromEnv(func(name string) string {
		return map[string]string{"HOME": d.home, "AFAR_HOME": filepath.Join(d.home, "afar")}[name]
	})
	if err == nil {
		err = dirs.Make()
	}
	if err == nil {
		err = os.WriteFile(dirs.HoldMark(), nil, 0o600)
	}
	if err != nil {
		d.t.Fatal(err)
	}
}

// changed runs the hook after a change of a file. It returns why the hook blocked the
// change, "" if it did not.
func (d desk) changed(source string) string {
	d.t.Helper()
	const form = `{"session_id":"s","transcript_path":%q,"cwd":%q,` +
		`"hook_event_name":"ConfigChange","source":%q,"file_path":%q}`
	transcript := filepath.Join(d.home, ".claude", "projects", "p", "s.jsonl")
	in := fmt.Sprintf(form, transcript, d.project, source, d.file(source))
	r := runHook(d.t, "hook-config-change", d.home, []string{"CLAUDE_PROJECT_DIR=" + d.project}, in)
	if r.code != 0 {
		d.t.Fatalf("exit %d: %s", r.code, r.stderr)
	}
	var out struct{ Decision, Reason string }
	if r.stdout == "" {
		return ""
	}
	if err := json.Unmarshal([]byte(r.stdout), &out); err != nil || out.Decision != "block" || out.Reason == "" {
		d.t.Fatalf("the hook printed %q", r.stdout)
	}
	return out.Reason
}

// TestConfigChange: the hook blocks a change that would switch the guard off, and says
// why. Every other change passes.
func TestConfigChange(t *testing.T) {
	t.Parallel()
	const user, project, local = "user_settings", "project_settings", "local_settings"
	for _, c := range []struct {
		name, source, text string
		want               string // part of the reason; "" for a change that passes
	}{
		{"another key", user, `{"model":"opus","permissions":{"allow":["Bash"]}}`, ""},
		{"no hooks, user", user, `{"disableAllHooks":true}`, `"disableAllHooks" is true`},
		{"no hooks, project", project, `{"disableAllHooks": true}`, `"disableAllHooks" is true`},
		{"no hooks, local", local, `{"disableAllHooks": true}`, `"disableAllHooks" is true`},
		{"hooks stay on", local, `{"disableAllHooks": false}`, ""},
		{"no hooks, a wrong type", project, `{"disableAllHooks":"yes"}`, `"disableAllHooks" is "yes"`},
		{"no hooks, named twice", project, `{"disableAllHooks":false,"disableAllHooks":true}`, "is true"},
		{"no hooks, an escaped name", project, `{"disableAll\u0048ooks":true}`, `"disableAllHooks" is true`},
		{"no hooks, after a byte order mark", project, "\ufeff" + `{"disableAllHooks":true}`, "is true"},
		{"no hooks, below another key", project, `{"a":{"disableAllHooks":true}}`, ""},
		{"our plugin off", project, `{"enabledPlugins":{"x@y":true,"afar@afar":false}}`, `sets "afar@afar" to false`},
		{"our plugin off, named twice", project, `{"enabledPlugins":{"afar@afar":true,"afar@afar":false}}`, `to false`},
		{"our plugin on", project, `{"enabledPlugins":{"afar@afar":true}}`, ""},
		{"another plugin off", project, `{"enabledPlugins":{"x@y":false,"afar@other":false}}`, ""},
		{"plugins, a wrong type", project, `{"enabledPlugins":[]}`, `"enabledPlugins" is not an object`},
		{"another home", local, `{"env":{"AFAR_HOME":"/tmp/x"}}`, `"env" sets AFAR_HOME to "/tmp/x"`},
		{"another host directory", local, `{"env":{"CLAUDE_CONFIG_DIR":"/tmp/x"}}`, `"env" sets CLAUDE_CONFIG_DIR`},
		{"other variables", local, `{"env":{"XDG_CACHE_HOME":"/tmp/x","CI":"1"}}`, ""},
		{"empty", project, "", ""},
		{"blank", project, " \n", ""},
		{"cut off", project, `{"disableAllHooks": fal`, "it is not valid JSON in UTF-8"},
		{"not an object", project, `[1]`, "it is not a JSON object"},
		{"not UTF-8", project, "{\"a\":\"\xff\"}", "it is not UTF-8"},
		{"UTF-16", project, "\xff\xfe{\x00}\x00", "it is not UTF-8"},
		{"too deep", project, strings.Repeat("[", 100) + strings.Repeat("]", 100), "nested deeper"},
		{"huge", project, `{"a":"` + strings.Repeat("x", 2<<20) + `"}`, "larger than"},
		{"prependPlugins without a hold", user, `{"prependPlugins":["x@y"]}`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			d.write(c.source, c.text)
			got := d.changed(c.source)
			if c.want == "" && got != "" || !strings.Contains(got, c.want) {
				t.Errorf("have %q, want %q", got, c.want)
			}
			if c.want != "" && !strings.Contains(got, d.file(c.source)) {
				t.Errorf("%q does not name the file", got)
			}
		})
	}
}

// TestConfigChangeLooksAtEveryFile: the hook looks at all settings files, because the host
// reads them all after a change that passes, including a file that was blocked before.
func TestConfigChangeLooksAtEveryFile(t *testing.T) {
	t.Parallel()
	sources := []string{"user_settings", "project_settings", "local_settings"}
	for _, bad := range sources {
		for _, changed := range append(sources, "skills", "policy_settings") {
			d := newDesk(t)
			d.write(bad, `{"disableAllHooks":true}`)
			if changed != bad && d.file(changed) != "" {
				d.write(changed, `{"theme":"dark"}`)
			}
			if got := d.changed(changed); !strings.Contains(got, d.file(bad)) {
				t.Errorf("%s changed next to a bad %s: %q", changed, bad, got)
			}
		}
	}
	d := newDesk(t)
	d.write("project_settings", `{ // the host ignores this file
"disableAllHooks":true}`)
	if got := d.changed("user_settings"); got != "" {
		t.Errorf("a file that the host cannot read blocks another change: %s", got)
	}
}

// TestConfigChangeHeld: if Afar's plugin must load first, it stays first.
func TestConfigChangeHeld(t *testing.T) {
	t.Parallel()
	for text, blocked := range map[string]bool{
		`{"prependPlugins":["afar@afar"]}`:       false,
		`{"prependPlugins":["afar@afar","x@y"]}`: false,
		`{"prependPlugins":["x@y","afar@afar"]}`: true,
		`{"prependPlugins":"afar@afar"}`:         true,
		`{"prependPlugins":[]}`:                  true,
		`{}`:                                     true,
		``:                                       true,
	} {
		d := newDesk(t)
		d.hold()
		d.write("user_settings", text)
		if got := d.changed("user_settings"); strings.Contains(got, "prependPlugins") != blocked {
			t.Errorf("%s: %q", text, got)
		}
	}
}

// TestConfigChangeUnreadable: the hook blocks a path that is not a regular file, and does
// not wait for it.
func TestConfigChangeUnreadable(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	path := d.file("project_settings")
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if got := d.changed("project_settings"); !strings.Contains(got, "not a regular file") {
		t.Errorf("a directory: %q", got)
	}
	d = newDesk(t)
	target := filepath.Join(d.home, "elsewhere.json")
	if err := os.Symlink(target, d.file("local_settings")); err != nil {
		t.Skip(err)
	}
	if got := d.changed("local_settings"); got != "" {
		t.Errorf("a link to nothing: %q", got)
	}
	if err := os.WriteFile(target, []byte(`{"disableAllHooks":true}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := d.changed("local_settings"); !strings.Contains(got, "disableAllHooks") {
		t.Errorf("a link to a file: %q", got)
	}
	if err := errors.Join(os.Remove(target), os.Symlink(d.file("local_settings"), target)); err != nil {
		t.Fatal(err)
	}
	if got := d.changed("local_settings"); !strings.Contains(got, "cannot be read") {
		t.Errorf("a circle of links: %q", got)
	}
}

// TestConfigChangeHung: the hook does not wait for a coordinator that hangs.
func TestConfigChangeHung(t *testing.T) {
	long.InCI(t)
	t.Parallel()
	d := newDesk(t)
	impostor(t, d.home, conditions["hung"])
	d.write("project_settings", `{"disableAllHooks":true}`)
	began := time.Now()
	if d.changed("project_settings") == "" {
		t.Error("it passed")
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("it took %v", took)
	}
}
