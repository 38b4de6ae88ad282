// Package renewal lets agents that work behind a wall keep their sign-ins: outside of the wall, it has the agent's own
// program renew one that is due.
package renewal

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/host/claude"
	"github.com/afar-sh/afar/coordinator/internal/child"
	"github.com/afar-sh/afar/coordinator/wall"
)

// A renewal says how an agent's sign-in is renewed outside of the wall. Behind it the folder of the sign-in is
// closed, so the agent cannot keep what it renews, and a token that was used once is worth nothing.
type renewal struct {
	dirVar, dir string   // the variable that moves the agent's folder, and the folder in the home
	file        string   // of the sign-in
	keys        []string // variables with which the agent needs no sign-in
	// ends returns when the access of a sign-in ends, zero for one that is not renewed.
	ends  func(file []byte) time.Time
	early time.Duration // how long before its end it is renewed
	// script is for sh, and gets the agent's program as $0. It is run in an empty directory.
	script string
}

var renewals = map[string]renewal{
	"claude": {
		dirVar: claude.ConfigDirName, dir: ".claude", file: ".credentials.json",
		keys: []string{"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"},
		ends: claudeEnds, early: 4 * time.Minute, // the client renews it in its last five minutes
		script: `exec "$0" -p /status --safe-mode --settings '{"disableAllHooks":true}' --strict-mcp-config ` +
			`--no-session-persistence --tools ''`, // it starts, and asks no model
	},
	"codex": {
		dirVar: "CODEX_HOME", dir: ".codex", file: "auth.json",
		keys: []string{"CODEX_API_KEY"},
		ends: codexEnds, early: 12 * time.Hour, // it renews what it is told to, and lives for days
		script: `mkfifo in && "$0" app-server <in | {
exec 3>in
printf '%s\n' '{"id":1,"method":"initialize","params":{"clientInfo":{"name":"afar","version":"1"}}}' ` +
			`'{"method":"initialized"}' '{"id":2,"method":"account/read","params":{"refreshToken":true}}' >&3
grep -q '"id":2[,}]'
exec 3>&-
cat >/dev/null
}`, // it ends when its input does, also in the midst of a renewal
	},
}

// claudeEnds reads the file of Claude Code.
func claudeEnds(file []byte) time.Time {
	var in struct {
		SignIn struct {
			Refresh string `json:"refreshToken"`
			Ends    int64  `json:"expiresAt"` // ms
		} `json:"claudeAiOauth"`
	}
	if json.Unmarshal(file, &in) != nil || in.SignIn.Refresh == "" {
		return time.Time{}
	}
	return time.UnixMilli(in.SignIn.Ends)
}

// codexEnds reads the file of codex. The access token says when it ends.
func codexEnds(file []byte) time.Time {
	var in struct {
		Tokens struct {
			Access  string `json:"access_token"`
			Refresh string `json:"refresh_token"`
		} `json:"tokens"`
	}
	var claims struct {
		Ends int64 `json:"exp"` // s
	}
	if json.Unmarshal(file, &in) != nil || in.Tokens.Refresh == "" {
		return time.Time{}
	}
	parts := strings.Split(in.Tokens.Access, ".")
	raw, err := base64.RawURLEncoding.DecodeString(parts[min(1, len(parts)-1)])
	if err != nil || json.Unmarshal(raw, &claims) != nil || claims.Ends == 0 {
		return time.Time{}
	}
	return time.Unix(claims.Ends, 0)
}

// Times of renewals.
const (
	renewFor   = 2 * time.Minute // one may take so long
	renewAgain = 5 * time.Minute // the least time to the next one
)

// Keep renews the sign-in of an agent, which is a name or a protocol, as often as it is due. It returns when the
// agent can start. fail gets what went wrong. stop ends it, and waits for a renewal that is on its way.
func Keep(agent, program, user string, env []string, fail func(error)) (stop func()) {
	r, ok := renewals[agent]
	if !ok {
		return func() {}
	}
	keep := func() time.Duration {
		wait, err := r.keep(user, program, env)
		if err != nil {
			fail(fmt.Errorf("renew the sign-in of %s: %w", agent, err))
		}
		return wait
	}
	wait, over, done := keep(), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for wait > 0 {
			select {
			case <-over:
				return
			case <-time.After(wait):
				wait = keep()
			}
		}
	}()
	return func() { close(over); <-done }
}

// keep renews a sign-in that is due, and returns how long to wait for the next look, 0 for no other one. Where its
// folder is closed, as behind another wall, nothing could be kept, so nothing is renewed.
func (r renewal) keep(user, program string, env []string) (wait time.Duration, err error) {
	getenv := wall.From(env)
	if slices.ContainsFunc(r.keys, func(name string) bool { return getenv(name) != "" }) {
		return 0, nil
	}
	path := filepath.Join(cmp.Or(getenv(r.dirVar), filepath.Join(user, r.dir)), r.file)
	ends := func() time.Time {
		file, _ := os.ReadFile(path) // without one there is no sign-in
		return r.ends(file)
	}
	end := ends()
	if end.IsZero() {
		return 0, nil
	}
	if rest := time.Until(end.Add(-r.early)); rest > 0 {
		return rest, nil
	}
	if !opens(filepath.Dir(path)) {
		return 0, nil
	}
	room, err := os.MkdirTemp("", "afar-renew-")
	if err != nil {
		return renewAgain, err
	}
	defer os.RemoveAll(room)
	_, err = child.Program{
		Path: "/bin/sh", Args: []string{"-c", r.script, program}, Dir: room, Env: append(slices.Clip(env), "AFAR_DISABLED=1"),
		Limit: renewFor, Grace: 10 * time.Second, Most: 64 << 10,
		Outlives: true, // to end it in the midst would lose the sign-in
	}.Run(context.Background())
	return max(time.Until(ends().Add(-r.early)), renewAgain), err
}

// opens reports whether a file can be made in a folder.
func opens(dir string) bool {
	f, err := os.CreateTemp(dir, ".afar-")
	if err != nil {
		return false
	}
	_ = errors.Join(f.Close(), os.Remove(f.Name()))
	return true
}
