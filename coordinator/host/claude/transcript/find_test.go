package transcript

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const conversation = "11111111-2222-4333-8444-555555555555"

// TestFind: a conversation is found by its id, with the first directory that its lines name.
func TestFind(t *testing.T) {
	const line = `{"type":"user","cwd":"/work/a","sessionId":"x"}` + "\n"
	for name, c := range map[string]struct{ text, want string }{
		"usual":            {`{"type":"summary"}` + "\n" + line + `{"cwd":"/work/b"}` + "\n", "/work/a"},
		"a broken line":    {`{"cwd":"/wo` + "\n" + line, "/work/a"},
		"another type":     {`{"cwd":7}` + "\n" + line, "/work/a"},
		"not absolute":     {`{"cwd":"../a"}` + "\n" + line, "/work/a"},
		"not clean":        {`{"cwd":"/work/x/../a"}`, "/work/a"},
		"a long line":      {`{"text":"` + strings.Repeat("x", 600<<10) + `"}` + "\n" + line, "/work/a"},
		"empty":            {"", ""},
		"none":             {`{"type":"summary"}`, ""},
		"null":             {"null\n[]\n\x00", ""},
		"beyond the bound": {`{"text":"` + strings.Repeat("x", findHead) + `"}` + "\n" + line, ""},
	} {
		dir := t.TempDir()
		project := filepath.Join(dir, "projects", "-work-a")
		if err := os.MkdirAll(project, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(project, conversation+".jsonl"), []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, ok := Find(dir, conversation); got != c.want || ok != (c.want != "") {
			t.Errorf("%s: %q, %t", name, got, ok)
		}
		if got, ok := Find(dir, "other"); ok {
			t.Errorf("%s: another conversation is in %q", name, got)
		}
	}
	if got, ok := Find(filepath.Join(t.TempDir(), "none"), conversation); ok {
		t.Errorf("without a directory: %q", got)
	}
}

func FuzzFind(f *testing.F) {
	f.Add([]byte(`{"cwd":"/a"}` + "\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		path := filepath.Join(t.TempDir(), "x.jsonl")
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		if cwd := beganIn(path); cwd != "" && (!filepath.IsAbs(cwd) || filepath.Clean(cwd) != cwd) {
			t.Errorf("it began in %q", cwd)
		}
	})
}
