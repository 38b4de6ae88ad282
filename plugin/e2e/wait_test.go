//go:build linux

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/afar-sh/afar/coordinator/standin/botapi"
	"github.com/afar-sh/afar/coordinator/standin/host"
	"github.com/afar-sh/afar/coordinator/standin/long"
	"github.com/afar-sh/afar/coordinator/standin/model"
)

// readsRecipe is a command that the guard asks about in every mode. It writes a line into
// the file made.
const readsRecipe = "bash -c \"$(awk 1 recipe.txt)\""

// asking starts a print session that makes the risky call n times.
func (r *rig) asking(n int, args ...string) <-chan host.Result {
	r.t.Helper()
	write(r.t, r.lab.Project, "recipe.txt", "echo run >> made\n")
	var turns []model.Turn
	for range n {
		turns = append(turns, model.Bash(readsRecipe))
	}
	return r.printing(play(append(turns, model.Say("fin"))...), args...)
}

// TestRealWait: if the client fails closed, a print session also waits for its person in the
// modes without questions. An answer counts at once, and a call does not run if its hook is
// killed while it waits.
func TestRealWait(t *testing.T) {
	t.Parallel()
	cases := map[string]string{
		"bypassPermissions": host.Current, "auto": host.Current, "dontAsk": host.Current,
		"previous": host.Previous,
	}
	for name, version := range cases {
		t.Run(name, func(t *testing.T) {
			mode := name
			if name == "auto" || name == "dontAsk" {
				long.Only(t)
			}
			if version == host.Previous {
				mode = "bypassPermissions"
			}
			r := newRig(t, host.Need(t, version))
			done := r.asking(3, "--permission-mode", mode)
			denied := r.card("recipe.txt")
			r.tap(denied, "Deny")
			allowed := r.after(denied)
			if told := r.refusal(); r.exists("made") || !strings.Contains(told, "Denied by Ann") {
				t.Errorf("after Deny: made %v, the model was told %q", r.exists("made"), told)
			}
			r.tap(allowed, "Allow")
			r.after(allowed)
			r.killGuard()
			<-done
			if n := r.lines("made"); n != 1 {
				t.Errorf("the call was allowed once and ran %d times\n%s", n, r.trail())
			}
			if told := r.refusal(); !strings.Contains(told, `blocking because onFailure is "block"`) {
				t.Errorf("after the hook was killed the model was told %q", told)
			}
		})
	}
}

// after waits for another question than before.
func (r *rig) after(before botapi.Message) botapi.Message {
	r.t.Helper()
	return r.seen(func(m botapi.Message) bool { return m.ID > before.ID && len(m.Keyboard) > 0 }, "another question")
}

// killGuard kills the guard of this rig's session.
func (r *rig) killGuard() {
	r.t.Helper()
	guards := r.processes("hook-pre-tool-use")
	if len(guards) != 1 {
		r.t.Fatalf("%d guards wait, want 1", len(guards))
	}
	if err := syscall.Kill(guards[0], syscall.SIGKILL); err != nil {
		r.t.Fatal(err)
	}
}

// TestRealWaitExpires: if nobody answers a session in bypass mode in time, its call is
// refused and parked. A later Allow lets its next try run.
func TestRealWaitExpires(t *testing.T) {
	long.Only(t)
	r := newRig(t, host.Need(t, host.Current))
	r.configure("[asks]\nunattended = \"10s\"")
	id := "0a1b2c3d-0000-4000-8000-000000000002"
	done := r.asking(1, "--permission-mode", "bypassPermissions", "--session-id", id)
	card := r.card("recipe.txt")
	<-done
	r.becomes(card, "Allow permits one retry")
	if told := r.refusal(); r.exists("made") || !strings.Contains(told, "Park this step") {
		t.Errorf("made %v, the model was told %q", r.exists("made"), told)
	}
	r.tap(card, "Allow")
	r.becomes(card, "for one try")
	<-r.asking(1, "--permission-mode", "bypassPermissions", "--resume", id)
	if n := r.lines("made"); n != 1 {
		t.Errorf("after the late yes the tool ran %d times\n%s", n, r.trail())
	}
}

// TestRealWaitNot: a session does not wait if its client fails open, whatever a project's
// settings say about the version, or if hooks.json does not have the key.
func TestRealWaitNot(t *testing.T) {
	long.Only(t)
	t.Parallel()
	parks := func(t *testing.T, r *rig) {
		t.Helper()
		done := r.asking(1, "--permission-mode", "bypassPermissions")
		r.card("recipe.txt")
		r.asked("parked")
		r.endWait(done)
		if r.exists("made") {
			t.Error("the call ran")
		}
	}
	t.Run("forged version", func(t *testing.T) {
		r := newRig(t, host.Need(t, host.Oldest))
		write(t, r.lab.Project, ".claude/settings.json", `{"env":{"AI_AGENT":"claude-code_2-1-330_agent",
			"CLAUDE_CODE_VERSION":"`+host.Current+`","CLAUDE_CODE_EXECPATH":"`+host.Need(t, host.Current)+`","CLAUDE_PID":"1"}}`)
		parks(t, r)
	})
	t.Run("old hooks.json", func(t *testing.T) {
		dir := faulty(t)
		path := filepath.Join(dir, "plugin", "hooks.json")
		text := read(t, path)
		text = strings.Replace(text, `"--on-failure=block", `, ``, 1)
		text = strings.Replace(text, `, "onFailure": "block"`, ``, 1)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		parks(t, newRigOf(t, host.Need(t, host.Current), dir))
	})
}
