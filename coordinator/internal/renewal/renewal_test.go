//go:build unix

package renewal

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// codexSignIn returns a file of codex whose access ends at a time.
func codexSignIn(ends time.Time) string {
	claims := base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, `{"exp":%d}`, ends.Unix()))
	return `{"tokens":{"access_token":"h.` + claims + `.s","refresh_token":"r"}}`
}

func claudeSignIn(ends time.Time) string {
	return fmt.Sprintf(`{"claudeAiOauth":{"accessToken":"a","refreshToken":"r","expiresAt":%d}}`, ends.UnixMilli())
}

// TestEnds: a file says when the access ends. A file without a sign-in that can be renewed has no end.
func TestEnds(t *testing.T) {
	at := time.Unix(1800000000, 0)
	if got := claudeEnds([]byte(claudeSignIn(at))); !got.Equal(at) {
		t.Errorf("claude: %v", got)
	}
	if got := codexEnds([]byte(codexSignIn(at))); !got.Equal(at) {
		t.Errorf("codex: %v", got)
	}
	for _, bad := range []string{
		"", "{", "[]", "null", `"x"`, `{"claudeAiOauth":{"expiresAt":5}}`, `{"claudeAiOauth":{"refreshToken":7}}`,
		`{"tokens":{"access_token":"h.!!.s","refresh_token":"r"}}`, `{"tokens":{"access_token":"","refresh_token":"r"}}`,
		`{"tokens":{"access_token":"a.` + strings.Repeat("A", 1<<20) + `","refresh_token":"r"}}`,
		`{"OPENAI_API_KEY":"k","tokens":null}`, strings.Repeat("[", 1<<16),
	} {
		if a, b := claudeEnds([]byte(bad)), codexEnds([]byte(bad)); !a.IsZero() || !b.IsZero() {
			t.Errorf("%.60q ends at %v, %v", bad, a, b)
		}
	}
}

// TestKeep: a sign-in that is due is renewed by the agent's own program, once. One that is not due, that has a key
// in its place, or that is none, starts nothing.
func TestKeep(t *testing.T) {
	late, soon := time.Now().Add(100*time.Hour), time.Now().Add(time.Minute)
	programs := map[string]string{
		"claude": `case "$*" in *"-p /status"*) cp "$NEXT" "$HOME/.claude/.credentials.json" ;; esac`,
		// It renews when it is told to, and would lose the sign-in if its input ended before the answer.
		"codex": `while read -r line; do case $line in
*account/read*true*) cp "$NEXT" "$HOME/.codex/auth.json"; echo '{"id":2,"result":{}}' ;;
esac; done; echo ended >> "$HOME/ended"`,
	}
	files := map[string]func(time.Time) string{"claude": claudeSignIn, "codex": codexSignIn}
	for name, r := range renewals {
		for _, c := range []struct {
			name, file, key string
			starts          int
			waits           bool
		}{
			{"due", files[name](soon), "", 1, true},
			{"late", files[name](late), "", 0, true},
			{"key", files[name](soon), r.keys[0] + "=k", 0, false},
			{"none", "{}", "", 0, false},
		} {
			t.Run(name+" "+c.name, func(t *testing.T) {
				user := t.TempDir()
				path, next, program := filepath.Join(user, r.dir, r.file), user+"/next", user+"/program"
				text := "#!/bin/sh\necho start >> \"$HOME/starts\"\n" + programs[name] + "\n"
				for file, content := range map[string]string{path: c.file, next: files[name](late), program: text} {
					if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
						t.Fatal(err)
					}
					if err := os.WriteFile(file, []byte(content), 0o700); err != nil {
						t.Fatal(err)
					}
				}
				env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + user, "NEXT=" + next, c.key}
				wait, err := r.keep(user, program, env)
				if err != nil || (wait > 0) != c.waits || wait > 0 && wait < 80*time.Hour {
					t.Errorf("it waits %v (%v)", wait, err)
				}
				starts, _ := os.ReadFile(user + "/starts")
				if got := strings.Count(string(starts), "\n"); got != c.starts {
					t.Errorf("%d starts, want %d", got, c.starts)
				}
				if _, err := os.Stat(user + "/ended"); name == "codex" && c.starts > 0 && err != nil {
					t.Error("it was not ended by its input")
				}
				if wait2, _ := r.keep(user, program, env); wait2 > wait {
					t.Errorf("the next look is later: %v, %v", wait, wait2)
				}
			})
		}
	}
}
