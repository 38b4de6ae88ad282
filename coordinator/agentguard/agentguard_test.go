package agentguard

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func none(string) string { return "" }

// TestInstall: a hook is installed once, beside what is there, and is taken away without a trace.
func TestInstall(t *testing.T) {
	const before = "{\n  \"theme\": \"dark\", \"version\": 1,\n  \"hooks\": {\"PreToolUse\": [{\"hooks\": []}], \"BeforeTool\": [1]," +
		" \"preToolUse\": [2]}\n}\n"
	for _, a := range Agents {
		t.Run(a.Name, func(t *testing.T) {
			home := t.TempDir()
			bin := filepath.Join(home, "a b", "bin")
			put(t, filepath.Join(bin, "hook-agent"), "")
			file := a.File(home, none)
			if a.own == "" {
				put(t, file, before)
			}
			for range 2 { // the second time in place of the first
				if err := a.Install(file, bin); err != nil {
					t.Fatal(err)
				}
			}
			text := read(t, file)
			if n := strings.Count(text, "--agent="+a.Name); n != max(1, len(a.hooks)) {
				t.Errorf("%d hooks in\n%s", n, text)
			}
			if strings.HasSuffix(file, ".json") && !json.Valid([]byte(text)) {
				t.Errorf("no JSON:\n%s", text)
			}
			installed, wrong := a.State(file, bin)
			if !installed || wrong != "" && a.Name != "codex" {
				t.Errorf("installed %t, but %s", installed, wrong)
			}
			if _, wrong := a.State(file, "/elsewhere"); !strings.Contains(wrong, "not the program") {
				t.Errorf("of another installation: %q", wrong)
			}
			if err := a.Remove(file); err != nil {
				t.Fatal(err)
			}
			if after := read(t, file); a.own == "" && after != before || a.own != "" && after != "" {
				t.Errorf("after it was removed:\n%s", after)
			}
			if err := a.Remove(file); err != nil {
				t.Errorf("removed again: %v", err)
			}
		})
	}
}

// TestLink: a settings file that is a link stays one.
func TestLink(t *testing.T) {
	a, err := Named("gemini")
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	file, kept := a.File(home, none), filepath.Join(home, "dotfiles", "settings.json")
	put(t, kept, "{}")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(kept, file); err != nil {
		t.Skip(err)
	}
	if err := a.Install(file, "/bin"); err != nil {
		t.Fatal(err)
	}
	if to, err := os.Readlink(file); to != kept || !a.isOurs(read(t, kept)) {
		t.Errorf("it leads to %q (%v), which holds %s", to, err, read(t, kept))
	}
}

// TestForeignFiles: a file that is no JSON object, or has comments, is left as it is.
func TestForeignFiles(t *testing.T) {
	for _, text := range []string{"[]", "{\"a\": 1, // mine\n}", "x", "{\"a\"", ""} {
		a, err := Named("gemini")
		if err != nil {
			t.Fatal(err)
		}
		file := a.File(t.TempDir(), none)
		put(t, file, text)
		if err := a.Install(file, "/bin"); err == nil {
			t.Errorf("%q was changed", text)
		}
		if got := read(t, file); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
	if _, err := Named("vim"); err == nil || !strings.Contains(err.Error(), "codex, copilot") {
		t.Errorf("an unknown agent: %v", err)
	}
}

// TestTrust: the hook in codex counts only when the person has trusted it there.
func TestTrust(t *testing.T) {
	a, err := Named("codex")
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	bin := filepath.Join(home, "bin")
	file := a.File(home, none)
	if err := a.Install(file, bin); err != nil {
		t.Fatal(err)
	}
	if _, wrong := a.State(file, bin); !strings.Contains(wrong, "is gone") {
		t.Errorf("without the program: %q", wrong)
	}
	put(t, filepath.Join(bin, "hook-agent"), "")
	if _, wrong := a.State(file, bin); !strings.Contains(wrong, "nobody has trusted it") {
		t.Errorf("before: %q", wrong)
	}
	put(t, filepath.Join(home, ".codex", "config.toml"),
		"[hooks.state.\""+file+":pre_tool_use:0:0\"]\ntrusted_hash = \"sha256:ca3e\"\n")
	if _, wrong := a.State(file, bin); wrong != "" {
		t.Errorf("after: %q", wrong)
	}
	moved := a.File("/x", func(name string) string { return map[string]string{"CODEX_HOME": home}[name] })
	if moved != filepath.Join(home, "hooks.json") {
		t.Errorf("with CODEX_HOME it is %s", moved)
	}
}

func put(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o640); err != nil {
		t.Fatal(err)
	}
}

// read returns the text of a file, "" for none.
func read(t *testing.T, file string) string {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return string(raw)
}
