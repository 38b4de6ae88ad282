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

func TestPrintTouchesAFile(t *testing.T) {
	host.Each(t, func(t *testing.T, client string) {
		m := newModel(t)
		lab := host.NewLab(t, client, m.URL(), host.Opts{})
		prompt := "go " + model.Play(model.Bash("touch f; echo made it"), model.Say("fin"))
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
		if got := last.ToolResults(); !slices.Equal(got, []string{"made it"}) {
			t.Errorf("the model received %q", got)
		}
		if last.Prompt() != prompt || last.Turns() != 1 {
			t.Errorf("prompt %q, %d turns", last.Prompt(), last.Turns())
		}
	})
}

func TestPrintReportsAFailure(t *testing.T) {
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

func TestOnlyTheLabsEnvironmentReachesTheClient(t *testing.T) {
	t.Setenv("AFAR_LAB_LEAK", "leaked")
	host.Each(t, func(t *testing.T, client string) {
		m := newModel(t)
		lab := host.NewLab(t, client, m.URL(), host.Opts{Env: map[string]string{"AFAR_HOME": "/given"}})
		prompt := model.Play(model.Bash(`echo "$AFAR_LAB_LEAK|$AFAR_HOME|$HOME|$TMUX"`))
		want := "|/given|" + lab.Home + "|"
		if _, err := lab.Print(within(t, time.Minute), prompt, "--permission-mode", "bypassPermissions"); err != nil {
			t.Fatal(err)
		}
		if got := m.Turns()[1].ToolResults(); !slices.Equal(got, []string{want}) {
			t.Errorf("-p: got %q, want %q", got, want)
		}
		x := lab.Terminal("--permission-mode", "bypassPermissions")
		x.Submit(prompt)
		r, err := m.Await(within(t, time.Minute), func(r model.Request) bool { return r.N > 2 && len(r.ToolResults()) > 0 })
		if err != nil {
			t.Fatal(err, x.Screen())
		}
		if got := r.ToolResults()[0]; got != want {
			t.Errorf("terminal: got %q, want %q", got, want)
		}
	})
}

func TestTerminalGetsAYes(t *testing.T) {
	host.Each(t, func(t *testing.T, client string) {
		m := newModel(t)
		lab := host.NewLab(t, client, m.URL(), host.Opts{})
		// The newer client calls this mode "manual", takes "default" too; the older knows only that.
		x := lab.Terminal("--permission-mode", "default")
		x.Submit("go " + model.Play(model.Bash("touch f"), model.Say("all finished")))
		x.Await(`Do you want to proceed\?`, 30*time.Second)
		if _, err := os.Stat(filepath.Join(lab.Project, "f")); err == nil {
			t.Fatal("the tool ran before it was allowed")
		}
		x.Settle(`Do you want to proceed\?`, "Enter") // "Yes" is the first choice
		x.Await(`all finished`, 30*time.Second)
		if _, err := os.Stat(filepath.Join(lab.Project, "f")); err != nil {
			t.Error(err)
		}
		x.Close()
		if x.Running() {
			t.Error("the client outlived its terminal")
		}
	})
}

func TestStopHookKeepsTheConversationGoing(t *testing.T) {
	host.Each(t, func(t *testing.T, client string) {
		m := newModel(t)
		var turns []int
		m.Script(func(r model.Request) model.Turn {
			turns = append(turns, r.Turns())
			return model.Say("answer " + r.Prompt())
		})
		count := filepath.Join(t.TempDir(), "count")
		hook := `echo x >> ` + count + `; [ $(wc -l < ` + count + `) -gt 3 ] || echo '{"decision":"block","reason":"go on"}'`
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

func TestTypedTextArrives(t *testing.T) {
	host.Each(t, func(t *testing.T, client string) {
		m := newModel(t)
		lab := host.NewLab(t, client, m.URL(), host.Opts{})
		x := lab.Terminal()
		for _, text := range []string{
			`-x it's "quoted" $HOME $(ls) \n;`,
			strings.Repeat("a long line that the terminal wraps ", 12) + "end.",
			"two\nlines",
		} {
			x.Submit(text)
			_, err := m.Await(within(t, 30*time.Second), func(r model.Request) bool { return r.Prompt() == text })
			if err != nil {
				t.Fatalf("%q: %v\n%s", text, err, x.Screen())
			}
		}
	})
}

// plugin writes the smallest repository that is a plugin named afar.
func plugin(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range map[string]string{
		".claude-plugin/plugin.json":      `{"name":"afar","version":"0.0.1","description":"d","author":{"name":"a"},"commands":["./plugin/commands/"]}`,
		".claude-plugin/marketplace.json": `{"name":"afar","description":"d","owner":{"name":"a"},"plugins":[{"name":"afar","source":"./","description":"d"}]}`,
		"plugin/commands/greet.md":        "---\nname: greet\ndescription: d\n---\nGREETED $ARGUMENTS\n",
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

func TestPluginIsLoaded(t *testing.T) {
	host.Each(t, func(t *testing.T, client string) {
		for name, opts := range map[string]host.Opts{
			"installed":  {},
			"plugin-dir": {PluginDir: plugin(t)},
		} {
			t.Run(name, func(t *testing.T) {
				m := newModel(t)
				lab := host.NewLab(t, client, m.URL(), opts)
				if opts.PluginDir == "" {
					list := lab.InstallPlugin(plugin(t))
					if !regexp.MustCompile(`(?s)afar@afar.*enabled`).MatchString(list) {
						t.Fatalf("plugin list says: %s", list)
					}
				}
				if _, err := lab.Print(within(t, time.Minute), "/afar:greet it's me"); err != nil {
					t.Fatal(err)
				}
				if !m.Turns()[0].Has("GREETED it's me") {
					t.Errorf("the model received %q", m.Turns()[0].From("user"))
				}
			})
		}
	})
}
