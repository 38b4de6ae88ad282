//go:build linux

package server_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/birthmark"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/wire"
)

// client is a script for a stand-in of the host's client: it starts a session, then writes the
// birthmark of what it starts into the file "limit", then hands on a typed prompt.
const client = `AFAR_TEST_LINE="${AFAR_TEST_LINE//424242/$$}"; AFAR_TEST_NEXT="${AFAR_TEST_NEXT//424242/$$}"
	"$0"
	setsid env -i bash -c 'ulimit -H -x' > "$AFAR_TEST_LIMIT"
	AFAR_TEST_LINE="$AFAR_TEST_NEXT" `

// asWholeClient runs the script of a client after a preparation. It returns the birthmark of what
// the client starts, and the session.
func (r *rig) asWholeClient(prepare, hook string) (limit string, v session.Session) {
	r.t.Helper()
	file := r.t.TempDir() + "/limit"
	line := func(op fmt.Stringer, payload string) string {
		return r.line(op, hookCall(payload, func(h *hookRequest) { h.Client = 424242 }))
	}
	c := caller{name: "hook-test", shell: prepare + client + hook, env: []string{
		"AFAR_TEST_LIMIT=" + file,
		"AFAR_TEST_NEXT=" + line(wire.OpPrompt, `,"hook_event_name":"UserPromptSubmit","prompt":"do it"`),
	}}
	_, reply := r.start(c, line(wire.OpSessionStart, `,"hook_event_name":"SessionStart","source":"startup"`))
	select {
	case text := <-reply:
		if n := strings.Count(text, `"code":""`) + strings.Count(text, `"code":"denied"`); n != 2 {
			r.t.Fatalf("want two replies: %s", text)
		}
	case <-time.After(soon):
		r.t.Fatal("no reply")
	}
	raw, err := os.ReadFile(file)
	r.ok(err)
	v, err = r.core.Session("s")
	r.ok(err)
	return strings.TrimSpace(string(raw)), v
}

// TestClientMark: a client gets a birthmark when its session starts, and hands it on. It still is
// its person's: what they type counts. What a client of a session, or a hook of one, says does not
// count.
func TestClientMark(t *testing.T) {
	const own = "7357358"
	low := func(level birthmark.Level) string {
		n := strconv.FormatUint(uint64(level), 10)
		return "ulimit -S -x " + n + "; ulimit -H -x " + n + "; "
	}
	for name, c := range map[string]struct {
		prepare, hook string
		limit         string
		typed         bool
	}{
		"a client of the person":             {"", `"$0"; true`, own, true},
		"one that an MCP server started":     {low(birthmark.Client), `"$0"; true`, own, false},
		"one that a session's shell started": {low(birthmark.Shell), `"$0"; true`, "7357357", false},
		"one that a consulted model started": {low(birthmark.Consulted), `"$0"; true`, "7357356", false},
		"its shell became the hook":          {"", `bash -c '` + low(birthmark.Shell) + `exec "$0"' "$0"; true`, own, false},
		"its session lowered it":             {"", low(birthmark.Shell) + `"$0"; true`, own, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			limit, v := r.asWholeClient(c.prepare, c.hook)
			if typed := !v.TypedAt.IsZero(); limit != c.limit || typed != c.typed {
				t.Errorf("what the client starts has %s, want %s; typed is %t, want %t", limit, c.limit, typed, c.typed)
			}
		})
	}
}

// TestClientMarkLater: the client goes on to its next session, and a later coordinator knows that
// it had no birthmark.
func TestClientMarkLater(t *testing.T) {
	r := newRig(t)
	p := session.Process{PID: 77, Born: "b:1"}
	_, err := r.core.See(session.Sighting{ID: "s", Client: p.PID, ClientBorn: p.Born, Hooked: true, Starts: true,
		Unmarked: true})
	r.ok(err)
	r.ok(r.core.EndSession("s", "clear"))
	if !r.core.WasUnmarked(p) {
		t.Error("it is forgotten when its session ends")
	}
	for _, other := range []session.Process{{PID: 77, Born: "b:2"}, {PID: 77}, {PID: 78, Born: "b:1"}, {}} {
		if r.core.WasUnmarked(other) {
			t.Errorf("%+v counts", other)
		}
	}
}

// TestMarkOfAnother: a hook that names another process than the one that ran it gives that one no
// birthmark, such as the shell or the tmux server above the client.
func TestMarkOfAnother(t *testing.T) {
	r := newRig(t)
	line := r.line(wire.OpSessionStart, hookCall(`,"hook_event_name":"SessionStart"`, func(h *hookRequest) {
		h.Client = 424242
	}))
	_, reply := r.start(caller{name: "hook-test", shell: `AFAR_TEST_LINE="${AFAR_TEST_LINE//424242/$$}"
		bash -c '"$0"; ulimit -H -x >&3' "$0"; ulimit -H -x >&3`}, line)
	select {
	case text := <-reply:
		if !strings.Contains(text, `"code":""`) || strings.Count(text, "unlimited\n") != 2 {
			t.Errorf("have %q", text)
		}
	case <-time.After(soon):
		t.Fatal("no reply")
	}
}

// TestRefusedByMark: a person whose terminal has a birthmark is told so, and how to get out.
func TestRefusedByMark(t *testing.T) {
	r := newRig(t)
	r.ok(openAskOf(r, "a", nowhere))
	reply := r.as(caller{name: "afar", terminal: true, shell: birth + `exec "$0"`}, wire.OpAnswer,
		wire.AnswerRequest{ID: "a", Allow: true})
	want[any](t, reply, wire.CodeDenied)
	for _, part := range []string{"birthmark", "new terminal", "phone", "afar doctor"} {
		if !strings.Contains(reply.Error, part) {
			t.Errorf("%q does not say %q", reply.Error, part)
		}
	}
}

// TestTracedCaller: a decision below a traced shell does not count. The refusal names the tracer.
func TestTracedCaller(t *testing.T) {
	r := newRig(t)
	r.ok(openAskOf(r, "a", nowhere))
	begin := filepath.Join(t.TempDir(), "begin")
	cmd, reply := r.start(caller{
		name: "afar", terminal: true, env: []string{"AFAR_TEST_BEGIN=" + begin},
		shell: `until [ -e "$AFAR_TEST_BEGIN" ]; do :; done; "$0"; true`,
	}, r.line(wire.OpAnswer, wire.AnswerRequest{ID: "a", Allow: true}))
	runtime.LockOSThread() // a tracer is a thread
	defer runtime.UnlockOSThread()
	pid := cmd.Process.Pid
	if err := syscall.PtraceAttach(pid); err != nil {
		t.Skip("this system does not let a process be traced:", err)
	}
	r.ok(os.WriteFile(begin, nil, 0o600))
	for { // it stops at each signal, until it ends
		var status syscall.WaitStatus
		_, err := syscall.Wait4(pid, &status, 0, nil)
		r.ok(err)
		if !status.Stopped() {
			break
		}
		r.ok(syscall.PtraceCont(pid, 0))
	}
	text := r.reply(<-reply)
	want[any](t, text, wire.CodeDenied)
	if !strings.Contains(text.Error, "is traced by process "+strconv.Itoa(syscall.Gettid())) {
		t.Errorf("have %q", text.Error)
	}
}
