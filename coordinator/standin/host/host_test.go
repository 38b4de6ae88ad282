//go:build unix

package host_test

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/standin/host"
	"github.com/afar-sh/afar/coordinator/standin/model"
)

func newModel(t *testing.T) *model.Server {
	t.Helper()
	m, err := model.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	return m
}

func within(t *testing.T, d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

func TestClientIsNamedByTheEnvironment(t *testing.T) {
	dir := t.TempDir()
	good, plain := filepath.Join(dir, "good"), filepath.Join(dir, "plain")
	for path, mode := range map[string]os.FileMode{good: 0o755, plain: 0o644} {
		if err := os.WriteFile(path, nil, mode); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		name, value, path, why string
		ok                     bool
	}{
		{name: "an executable", value: good, path: good, ok: true},
		{name: "no file", value: filepath.Join(dir, "none"), why: "AFAR_TEST_CLAUDE_9_9_9 names no executable"},
		{name: "not executable", value: plain, why: "names no executable"},
		{name: "a directory", value: dir, why: "names no executable"},
		{name: "unset", why: ".ci/cache/claude-9.9.9/node_modules/.bin/claude"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv("AFAR_TEST_CLAUDE_9_9_9", tt.value)
			path, ok, why := host.Client("9.9.9")
			if path != tt.path || ok != tt.ok || !strings.Contains(why, tt.why) {
				t.Errorf("got %q %v %q", path, ok, why)
			}
		})
	}
}

// leak is a variable in the environment of the tests that no client may see.
const leak = "AFAR_LAB_LEAK"

func TestMain(m *testing.M) {
	os.Setenv(leak, "leaked")
	os.Exit(m.Run())
}

// seen is a command that prints what reached the client. wanted is its expected output.
const seen = `echo "$` + leak + `|$AFAR_HOME|$HOME|$TMUX"`

func wanted(lab *host.Lab) string { return "|/given|" + lab.Home + "|" }

func TestPrintTouchesAFile(t *testing.T) {
	host.Each(t, func(t *testing.T, client string) {
		t.Parallel()
		m := newModel(t)
		lab := host.NewLab(t, client, m.URL(), host.Opts{Env: map[string]string{"AFAR_HOME": "/given"}})
		prompt := "go " + model.Play(model.Bash("touch f; echo made it"), model.Bash(seen), model.Say("fin"))
		r, err := lab.Print(within(t, time.Minute), prompt, "--permission-mode", "bypassPermissions")
		if err != nil {
			t.Fatal(err)
		}
		if r.Exit != 0 || r.IsError || r.Text != "fin" || r.Session == "" {
			t.Errorf("got %+v", r)
		}
		if _, err := os.Stat(filepath.Join(lab.Project, "f")); err != nil {
			t.Error(err)
		}
		last := m.Turns()[len(m.Turns())-1]
		if got := last.ToolResults(); !slices.Equal(got, []string{"made it", wanted(lab)}) {
			t.Errorf("the model received %q", got)
		}
		if last.Prompt() != prompt || last.Turns() != 2 {
			t.Errorf("prompt %q, %d turns", last.Prompt(), last.Turns())
		}
	})
}

func TestPrintReportsAFailure(t *testing.T) {
	t.Parallel()
	m := newModel(t)
	m.Script(func(model.Request) model.Turn { return model.Fail(400, "boom") })
	lab := host.NewLab(t, host.Need(t, host.Current), m.URL(), host.Opts{})
	r, err := lab.Print(within(t, time.Minute), "x")
	if err != nil {
		t.Fatal(err)
	}
	if r.Exit == 0 || !r.IsError || !strings.Contains(r.Text, "boom") {
		t.Errorf("got %+v", r)
	}
}

func TestPrintEndsWithItsContext(t *testing.T) {
	t.Parallel()
	m := newModel(t)
	m.Script(func(model.Request) model.Turn { return model.Turn{Delay: time.Hour} })
	lab := host.NewLab(t, host.Need(t, host.Current), m.URL(), host.Opts{})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		m.Await(t.Context(), func(r model.Request) bool { return !r.Errand() })
		cancel()
	}()
	if r, err := lab.Print(ctx, "x"); err == nil {
		t.Errorf("got %+v", r)
	}
}

// TestTerminal does everything at a terminal in one session, because a client starts
// slowly.
func TestTerminal(t *testing.T) {
	host.Each(t, func(t *testing.T, client string) {
		t.Parallel()
		m := newModel(t)
		lab := host.NewLab(t, client, m.URL(), host.Opts{Env: map[string]string{"AFAR_HOME": "/given"}})
		// The newer client calls this mode "manual", takes "default" too; the older knows only that.
		x := lab.Terminal("--permission-mode", "default")
		typedTextArrives(t, m, x)

		x.Submit("go " + model.Play(model.Bash("touch f; "+seen), model.Say("all finished")))
		x.Await(`Do you want to proceed\?`, time.Minute)
		if _, err := os.Stat(filepath.Join(lab.Project, "f")); err == nil {
			t.Fatal("the tool ran before it was allowed")
		}
		x.Settle(`Do you want to proceed\?`, "Enter") // "Yes" is the first choice
		x.Await(`all finished`, time.Minute)
		if _, err := os.Stat(filepath.Join(lab.Project, "f")); err != nil {
			t.Error(err)
		}
		turns := m.Turns()
		if got := turns[len(turns)-1].ToolResults(); !slices.Equal(got, []string{wanted(lab)}) {
			t.Errorf("got %q, want %q", got, wanted(lab))
		}
		x.Close()
		if x.Running() {
			t.Error("the client outlived its terminal")
		}
	})
}

func typedTextArrives(t *testing.T, m *model.Server, x *host.Terminal) {
	t.Helper()
	for _, text := range []string{
		`-x it's "quoted" $HOME $(ls) \n;`,
		strings.Repeat("a long line that the terminal wraps ", 12) + "end.",
		"two\nlines",
	} {
		x.Submit(text)
		_, err := m.Await(within(t, time.Minute), func(r model.Request) bool { return r.Prompt() == text })
		if err != nil {
			t.Fatalf("%q: %v\n%s", text, err, x.Screen())
		}
	}
}

func TestStopHookKeepsTheConversationGoing(t *testing.T) {
	host.Each(t, func(t *testing.T, client string) {
		t.Parallel()
		m := newModel(t)
		var turns []int
		m.Script(func(r model.Request) model.Turn {
			turns = append(turns, r.Turns())
			return model.Say("answer " + r.Prompt())
		})
		count := filepath.Join(t.TempDir(), "count")
		hook := `echo x >> ` + count + `; [ $(wc -l < ` + count + `) -gt 3 ] ||
			echo '{"decision":"block","reason":"go on"}'`
		lab := host.NewLab(t, client, m.URL(), host.Opts{Settings: map[string]any{"hooks": map[string]any{
			"Stop": []any{map[string]any{"hooks": []any{map[string]any{"type": "command", "command": hook}}}},
		}}})
		r, err := lab.Print(within(t, time.Minute), "loop")
		if err != nil {
			t.Fatal(err)
		}
		if want := []int{0, 1, 2, 3}; !slices.Equal(turns, want) {
			t.Errorf("the script saw turns %v, want %v", turns, want)
		}
		if r.Text != "answer loop" || !m.Turns()[3].Has("Stop hook feedback:\ngo on") {
			t.Errorf("result %q", r.Text)
		}
	})
}

// plugin writes a minimal repository that is a plugin named afar.
func plugin(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range map[string]string{
		".claude-plugin/plugin.json": `{"name":"afar","version":"0.0.1","description":"d","author":{"name":"a"},
			"commands":["./plugin/commands/"]}`,
		".claude-plugin/marketplace.json": `{"name":"afar","description":"d","owner":{"name":"a"},
			"plugins":[{"name":"afar","source":"./","description":"d"}]}`,
		"plugin/commands/greet.md": "---\nname: greet\ndescription: d\n---\nGREETED $ARGUMENTS\n",
	} {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// TestPluginIsLoaded tries each way to load a plugin on one client; the tests of
// the plugin itself try both ways on both.
func TestPluginIsLoaded(t *testing.T) {
	loaded := func(t *testing.T, version string, o host.Opts, install func(*host.Lab)) {
		t.Parallel()
		m := newModel(t)
		lab := host.NewLab(t, host.Need(t, version), m.URL(), o)
		install(lab)
		if _, err := lab.Print(within(t, time.Minute), "/afar:greet it's me"); err != nil {
			t.Fatal(err)
		}
		if !m.Turns()[0].Has("GREETED it's me") {
			t.Errorf("the model received %q", m.Turns()[0].From("user"))
		}
	}
	t.Run("installed", func(t *testing.T) {
		loaded(t, host.Oldest, host.Opts{}, func(lab *host.Lab) {
			lab.InstallPlugin(plugin(t))
			list := lab.Run("plugin", "list")
			if !regexp.MustCompile(`(?s)afar@afar.*enabled`).MatchString(list) {
				t.Fatalf("plugin list says: %s", list)
			}
		})
	})
	t.Run("plugin-dir", func(t *testing.T) {
		loaded(t, host.Current, host.Opts{PluginDir: plugin(t)}, func(*host.Lab) {})
	})
}
