package agentrun

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/wire"
)

func TestParseEnv(t *testing.T) {
	for text, want := range map[string]string{
		"":                             "",
		"A=1\nB=2":                     "A=1|B=2",
		"# a comment\n\n  \nA=x=y\r\n": "A=x=y",
		`A="quoted # text"`:            "A=quoted # text",
		"A='":                          "A='",
		"A=":                           "A=",
		"A":                            "error",
		"1A=x":                         "error",
		"export A=x":                   "error",
		"A=x\x00y":                     "error",
		"AFAR_HOME=/tmp":               "error",
		"CLAUDECODE=1":                 "error",

		"CLAUDE_CODE_EXPERIMENTAL_CODE_MODE=1":      "error",
		"CLAUDE_CODE_DISABLE_DEFERRED_TOOL_RESUME=": "error",
	} {
		env, err := parseEnv(text)
		got := strings.Join(env, "|")
		if err != nil {
			got = "error"
		}
		if got != want {
			t.Errorf("%q: %q (%v), want %q", text, got, err, want)
		}
	}
}

func FuzzParseEnv(f *testing.F) {
	f.Add("A=1\n#\nB='x'")
	f.Fuzz(func(t *testing.T, text string) {
		env, err := parseEnv(text)
		for _, entry := range env {
			name, _, ok := strings.Cut(entry, "=")
			if err == nil && (!ok || !variable.MatchString(name) || allowed(name) != nil) {
				t.Fatalf("%q: %q", text, entry)
			}
		}
	})
}

// TestAgentEnv: an agent gets what it needs and its own file, and none of our secrets.
func TestAgentEnv(t *testing.T) {
	file := filepath.Join(t.TempDir(), "keys")
	if err := os.WriteFile(file, []byte("KEY=secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	dirs := home.Dirs{User: "/home/ann", Root: "/afar", Path: "/bin"}
	ours := map[string]string{"USER": "ann", "AFAR_TELEGRAM_TOKEN": "t", "CLAUDECODE": "1", "ANTHROPIC_API_KEY": "k",
		"LANG": "C"}
	env, err := turnEnv(dirs, func(name string) string { return ours[name] },
		wire.RunTurnReply{EnvFile: file, WebAddr: "127.0.0.1:7400"})
	slices.Sort(env)
	want := "AFAR_HOME=/afar AFAR_WEB_ADDR=127.0.0.1:7400 HOME=/home/ann KEY=secret LANG=C PATH=/bin USER=ann"
	if got := strings.Join(env, " "); got != want || err != nil {
		t.Errorf("the environment is %q (%v), want %q", got, err, want)
	}
	if err := os.Chmod(file, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Env(dirs, os.Getenv, file); err == nil || !strings.Contains(err.Error(), "chmod 600") {
		t.Errorf("a file that others can read: %v", err)
	}
}
