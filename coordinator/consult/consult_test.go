package consult

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/birthmark"
	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/standin/consultant"
	"github.com/afar-sh/afar/coordinator/wall"
)

func TestMain(m *testing.M) {
	consultant.Main()
	if os.Getenv("CONSULT_TEST_NESTED") != "" {
		_, err := ask(context.Background(), Config{}, "and what do you think?")
		os.Stdout.WriteString(err.Error())
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// with installs programs with their answers. It returns their directory and a configuration
// that finds only them.
func with(t *testing.T, says map[string]string) (dir string, c Config) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range says {
		if err := consultant.Install(dir, name, text); err != nil {
			t.Fatal(err)
		}
	}
	return dir, Config{Timeout: 20 * time.Second, Env: []string{"PATH=" + dir, "HOME=" + dir,
		"SECRET_KEY=of-the-person", "AFAR_TELEGRAM_TOKEN=of-the-bot"}}
}

func TestAskInOrder(t *testing.T) {
	for _, c := range []struct {
		name   string
		says   map[string]string
		by     string
		missed string // part of
	}{
		{"all there", map[string]string{"codex": "c", "gemini": "g", "claude": "k"}, "codex", ""},
		{"no codex", map[string]string{"gemini": "g", "claude": "k"}, "gemini", "codex: not installed"},
		{"claude alone", map[string]string{"claude": "k"}, "claude", "codex: not installed; gemini: not installed"},
		{"codex fails", map[string]string{"codex": "exit 3\nnot logged\n in", "claude": "k"}, "claude",
			"codex: exit status 3: not logged in; gemini: not installed"},
		{"codex says nothing", map[string]string{"codex": " \n", "gemini": "g"}, "gemini", "codex: it said nothing"},
		{"none", nil, "", "codex: not installed; gemini: not installed; claude: not installed"},
		{"all fail", map[string]string{"codex": "exit 1\nx", "gemini": "exit 41\nno auth", "claude": "exit 1\ny"}, "",
			"gemini: exit status 41: no auth"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, config := with(t, c.says)
			a, err := ask(t.Context(), config, "is it right?")
			if (err == nil) != (c.by != "") || a.By != c.by || !strings.Contains(describe(a.Missed), c.missed) ||
				c.missed == "" && a.Missed != nil {
				t.Fatalf("by %q, missed %q, error %v", a.By, describe(a.Missed), err)
			}
			if err != nil && (!errors.Is(err, ErrNone) || !strings.Contains(err.Error(), c.missed)) {
				t.Errorf("error %v does not say what is missing", err)
			}
			if err == nil && (a.Text != c.says[c.by] || a.Digest != digest(a.Text) || len(a.Digest) != 64) {
				t.Errorf("answer %+v", a)
			}
		})
	}
}

// TestAskBehindWall: a program that is asked cannot write in the home, and answers. The same program can,
// without a wall.
func TestAskBehindWall(t *testing.T) {
	if why := wall.Missing(); why != "" {
		t.Skip(why)
	}
	for mode, written := range map[string]bool{wall.On: false, wall.Strict: false, wall.Off: true} {
		t.Run(mode, func(t *testing.T) {
			user, bin := t.TempDir(), t.TempDir()
			text := "#!/bin/sh\ncat > question\n(echo x > \"$HOME/out\") 2> said\ncat question said\n"
			if err := os.WriteFile(filepath.Join(bin, "codex"), []byte(text), 0o700); err != nil {
				t.Fatal(err)
			}
			afar := filepath.Join(user, "afar")
			c := Config{
				Timeout: 20 * time.Second, Env: []string{"PATH=" + bin + ":/usr/bin:/bin", "HOME=" + user}, Path: bin,
				Wall: wall.Settings{Mode: mode},
				Dirs: home.Dirs{User: user, Config: afar, State: afar, Run: afar, Workspace: afar, Path: bin},
			}
			a, err := ask(t.Context(), c, "is it right?")
			_, missing := os.Stat(filepath.Join(user, "out"))
			if err != nil || !strings.Contains(a.Text, "is it right?") || (missing == nil) != written {
				t.Errorf("it said %q and wrote: %t (%v)", a.Text, missing == nil, err)
			}
		})
	}
}

// TestAskCalls: each program gets the question only on stdin, runs in a directory without
// any file of a project, and is told that it is consulted.
func TestAskCalls(t *testing.T) {
	for _, name := range consultant.Names {
		dir, c := with(t, map[string]string{name: "{{input}}"})
		a, err := ask(t.Context(), c, "a question")
		if err != nil || a.Text != "a question" {
			t.Fatalf("%s: %+v, %v", name, a, err)
		}
		call := strings.Join(consultant.Calls(dir, name), "")
		args, rest, _ := strings.Cut(call, "\n")
		cwd, env, _ := strings.Cut(rest, "\n")
		if strings.Contains(args, "question") || strings.Contains(args, "of-the-person") {
			t.Errorf("%s: shows in the list of processes: %s", name, args)
		}
		if !strings.Contains(env, "SECRET_KEY=of-the-person") || !strings.Contains(env, "AFAR_CONSULTED=1") ||
			!strings.Contains(env, "AFAR_DISABLED=1") || strings.Contains(env, "of-the-bot") {
			t.Errorf("%s: environment %s", name, env)
		}
		where := strings.Fields(cwd)[1]
		if _, err := os.Stat(where); !strings.Contains(where, "afar-consult-") || err == nil {
			t.Errorf("%s: ran in %s, which is still there", name, cwd)
		}
	}
}

func TestAskRefuses(t *testing.T) {
	dir, c := with(t, map[string]string{"codex": "x"})
	for _, q := range []string{"", " \n\t", strings.Repeat("x", maxQuestion+1)} {
		if _, err := ask(t.Context(), c, q); !errors.Is(err, errQuestion) {
			t.Errorf("a question of %d bytes: %v", len(q), err)
		}
	}
	if calls := consultant.Calls(dir, "codex"); calls != nil {
		t.Errorf("asked all the same: %q", calls)
	}
}

// TestAskSlow: a program that takes too long is ended, even if it ignores signals, and the
// next one is asked. The end of the context ends everything.
func TestAskSlow(t *testing.T) {
	_, c := with(t, map[string]string{"codex": "sleep", "gemini": "g"})
	c.Timeout = 3 * time.Second
	a, err := ask(t.Context(), c, "well?")
	if err != nil || a.By != "gemini" || describe(a.Missed) != "codex: no answer within 3s" {
		t.Fatalf("%+v, %v", a, err)
	}
	c.Timeout = time.Minute
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if _, err := ask(ctx, c, "well?"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
}

// TestAskHuge: an endless answer is cut, and Cut is true.
func TestAskHuge(t *testing.T) {
	_, c := with(t, map[string]string{"codex": strings.Repeat("ä\xff", maxAnswer)})
	a, err := ask(t.Context(), c, "well?")
	if err != nil || !a.Cut || len(a.Text) > 3*maxAnswer || !strings.HasPrefix(a.Text, "ä\uFFFD") {
		t.Errorf("cut %v, %d bytes, %v", a.Cut, len(a.Text), err)
	}
}

// TestAskFindsOwnPrograms: ask runs programs only from directories in the person's PATH
// that are outside the project.
func TestAskFindsOwnPrograms(t *testing.T) {
	dir, c := with(t, map[string]string{"codex": "forged"})
	t.Chdir(dir)
	for _, path := range []string{".:" + filepath.Join(dir, "none") + ":", dir} {
		c.Env, c.Repo = []string{"PATH=" + path}, filepath.Dir(dir)
		if _, err := ask(t.Context(), c, "well?"); !errors.Is(err, ErrNone) || c.Installed() != nil {
			t.Errorf("in %s: %v, %q", path, err, c.Installed())
		}
	}
}

func TestNamed(t *testing.T) {
	for word, want := range map[string]string{
		"codex": "codex exec", "gemini": "gemini --prompt", "claude": "claude --print",
		"/opt/bin/claude-key": "claude --print",
		"/opt/my-model":       "my-model", "gpt": "", "./codex": "", "": "", "..": "", "bin/claude": "",
	} {
		p, err := Named(word)
		got := p.Name
		if len(p.Args) > 0 {
			got += " " + p.Args[0]
		}
		if got != want || (err == nil) != (want != "") || err == nil && p.Path != word {
			t.Errorf("%q: %q, %v", word, got, err)
		}
	}
}

// TestNested: a program that a consulted model starts cannot consult, even with an empty
// environment.
func TestNested(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for name, script := range map[string]string{
		"as it is":               "exec " + self,
		"without an environment": "exec env -i CONSULT_TEST_NESTED=1 " + self,
		"cut off":                "exec env -i CONSULT_TEST_NESTED=1 setsid -w " + self,
	} {
		t.Run(name, func(t *testing.T) {
			if name != "as it is" && !birthmark.Supported {
				t.Skip("processes cannot be marked here")
			}
			c := Config{Programs: []Program{{Name: "sh", Path: "/bin/sh",
				Args: []string{"-c", "sleep 0.2; " + script}}}, Env: append(os.Environ(), "CONSULT_TEST_NESTED=1")}
			a, err := ask(t.Context(), c, "well?")
			if err != nil || !strings.HasPrefix(a.Text, errNested.Error()) {
				t.Errorf("%+v, %v", a, err)
			}
		})
	}
}
