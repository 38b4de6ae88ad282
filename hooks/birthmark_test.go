package hooks_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/afar-sh/afar/coordinator/birthmark"
)

// TestBirthmark: the hook writes the mark once into the file that a session's shells read,
// and into no other file.
func TestBirthmark(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("no process shows its limits here")
	}
	const session = "9b84dedd-112a-4f6c-91a2-0fc3fad1e5c7"
	for path, marked := range map[string]bool{
		"session-env/" + session + "/sessionstart-hook-0.sh": true,
		"session-env/another/sessionstart-hook-0.sh":         false,
		"elsewhere/" + session + "/x.sh":                     false,
		".bashrc":                                            false,
	} {
		t.Run(path, func(t *testing.T) {
			dir := homeDir(t)
			file := filepath.Join(dir, path)
			if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte("export THEIRS=1"), 0o600); err != nil {
				t.Fatal(err)
			}
			for range 2 { // a resumed session starts again
				env := append(attended, "CLAUDE_ENV_FILE="+file)
				runHook(t, "hook-session-start", dir, env, payload("SessionStart", `,"source":"startup"`))
			}
			want := "export THEIRS=1"
			if marked {
				want += "\n" + birthmark.Line
			}
			if raw, err := os.ReadFile(file); err != nil || string(raw) != want {
				t.Errorf("the file holds %q, want %q", raw, want)
			}
		})
	}
	script := birthmark.Line + `ulimit -S -x; env -i bash -c "ulimit -H -x"`
	out, err := exec.Command("bash", "-c", script).CombinedOutput()
	if string(out) != "7357357\n7357357\n" || err != nil || birthmark.Shell != 7357357 {
		t.Errorf("the limits are %q, %v", out, err)
	}
}
