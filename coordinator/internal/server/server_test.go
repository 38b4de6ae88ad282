//go:build unix

package server_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/grant"
	"github.com/afar-sh/afar/coordinator/internal/loop"
	"github.com/afar-sh/afar/coordinator/internal/server"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/store"
	"github.com/afar-sh/afar/coordinator/wire"
)

// TestRequests sends requests that no client of ours sends. The server must answer and go on.
func TestRequests(t *testing.T) {
	r := newRig(t)
	for _, c := range []struct{ name, text, code, says string }{
		{"unknown operation", `{"v":1,"op":"later.version"}` + "\n", wire.CodeUnknownOp,
			`does not know "later.version"`},
		{"no operation", `{}` + "\n", wire.CodeUnknownOp, `""`},
		{"not JSON", "hello\n", wire.CodeBadRequest, "not JSON"},
		{"an empty line", "\n", wire.CodeBadRequest, "not JSON"},
		{"wrong types", `{"v":"1","op":5}` + "\n", wire.CodeBadRequest, "not JSON"},
		{"a list", `[1]` + "\n", wire.CodeBadRequest, "not JSON"},
		{"zeros", strings.Repeat("\x00", 100) + "\n", wire.CodeBadRequest, "not JSON"},
		{"deeply nested", strings.Repeat(`{"a":`, 20000) + "\n", wire.CodeBadRequest, "not JSON"},
		{"too long", strings.Repeat("x", wire.MaxLine+1) + "\n", wire.CodeBadRequest, "longer than 67108864 bytes"},
		{"too long without an end", strings.Repeat(" ", wire.MaxLine+(1<<20)), wire.CodeBadRequest,
			"longer than 67108864 bytes"},
		{"a body that is not the operation's", `{"v":1,"op":"log","body":[1]}` + "\n", wire.CodeBadRequest, "log:"},
		{"no body", `{"v":1,"op":"report"}` + "\n", wire.CodeBadRequest, "a report needs"},
		{"no body where none is needed", `{"v":1,"op":"log"}` + "\n", wire.CodeOK, ""},
		{"a newer version with more fields", `{"v":99,"op":"status","later":true,"body":{"more":1}}` + "\n",
			wire.CodeOK, ""},
		{"two lines", `{"v":1,"op":"status"}` + "\n" + `{"v":1,"op":"nonsense"}` + "\n", wire.CodeOK, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			reply := r.reply(r.raw(c.text))
			if reply.Code != c.code || !strings.Contains(reply.Error, c.says) {
				t.Errorf("have %q %q, want %q %q", reply.Code, reply.Error, c.code, c.says)
			}
		})
	}
}

// TestLongestRequest checks that a line of the maximum length is accepted.
func TestLongestRequest(t *testing.T) {
	r := newRig(t)
	head, tail := `{"v":1,"op":"status","pad":"`, `"}`+"\n"
	reply := r.reply(r.raw(head + strings.Repeat("x", wire.MaxLine-len(head)-len(tail)) + tail))
	want[wire.StatusReply](t, reply, wire.CodeOK)
}

// TestHalfRequest checks that a caller that disappears in the middle of its request leaves
// nothing behind.
func TestHalfRequest(t *testing.T) {
	r := newRig(t)
	for _, text := range []string{"", `{"v":1,"op":"sta`, `{"v":1,"op":"status"}`} {
		conn, err := net.Dial("unix", r.socket)
		r.ok(err)
		_, err = io.WriteString(conn, text)
		r.ok(err)
		r.ok(conn.(*net.UnixConn).CloseWrite())
		reply, err := io.ReadAll(conn)
		r.ok(err)
		if got := r.reply(string(reply)); got.Code != wire.CodeBadRequest || !strings.Contains(got.Error, "broke off") {
			t.Errorf("%q: %+v", text, got)
		}
		conn.Close()
	}
	conn, err := net.Dial("unix", r.socket)
	r.ok(err)
	conn.Close()
	want[wire.StatusReply](t, r.ask(wire.OpStatus, nil), wire.CodeOK)
}

// TestServeEnds checks that current callers are answered at the end, and later ones are not.
func TestServeEnds(t *testing.T) {
	r := newRig(t)
	r.ok(openAsk(r, "a"))
	line := r.line(wire.OpAskWait, hookCall("", func(h *hookRequest) { h.Ask, h.WaitMS = "a", 20_000 }))
	_, err := r.core.LoseAsk("a")
	r.ok(err)
	_, waiting := r.start(hookBinary, line)
	r.until("the hook waits", func() bool { return r.askState("a").LostAt.IsZero() })
	r.stop()
	if got := want[wire.AskState](t, r.reply(<-waiting), wire.CodeOK); got.State != "open" {
		t.Errorf("have %+v", got)
	}
	r.served <- <-r.served // ended; close looks at it again
	if _, err := net.Dial("unix", r.socket); err == nil {
		t.Error("somebody still listens")
	}
}

// TestServeWaits checks that the end waits for running work.
func TestServeWaits(t *testing.T) {
	r := newRig(t)
	r.gate = make(chan struct{})
	_, err := r.core.See(session.Sighting{ID: "s", Hooked: true, Starts: true})
	r.ok(err)
	_, err = r.core.StartLoop("s", loop.Options{Task: "x", Max: 2})
	r.ok(err)
	_, reply := r.start(hookBinary, r.line(wire.OpStop, hookCall("", nil)))
	<-r.gate
	r.stop()
	select {
	case <-r.served:
		t.Fatal("it ended with a call in hand")
	case <-time.After(200 * time.Millisecond):
	}
	r.gate <- struct{}{}
	if got := want[hookReply](t, r.reply(<-reply), wire.CodeOK); !got.Block {
		t.Errorf("have %+v", got)
	}
}

// TestWrongUser checks that a process of another user is refused, whatever it asks for.
func TestWrongUser(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can play two users")
	}
	r := newRig(t)
	r.ok(os.Chmod(filepath.Dir(r.socket), 0o755)) // the directory would stop it before
	r.ok(os.Chmod(r.socket, 0o777))
	reply := r.as(caller{name: "afar", env: []string{"AFAR_TEST_NOBODY=1"}}, wire.OpStatus, nil)
	want[wire.StatusReply](t, reply, wire.CodeDenied)
	if !strings.Contains(reply.Error, "user 65534") {
		t.Errorf("have %q", reply.Error)
	}
}

// TestHookOperations checks that hook operations are accepted only from the hook binaries.
func TestHookOperations(t *testing.T) {
	r := newRig(t)
	for op, body := range map[fmt.Stringer]string{
		wire.OpSessionStart: "", wire.OpSessionEnd: "", wire.OpPrompt: "", wire.OpExpand: "", wire.OpGuarded: "",
		wire.OpOutcome: "", wire.OpStop: "",
		wire.OpStopFailure: "", wire.OpPreCompact: "", wire.OpSubagentStop: "", wire.OpSubagentStart: "",
		wire.OpNotification: "",
		wire.OpRetry:        "", wire.OpTurn: "", wire.OpAskOpen: "", wire.OpAskWait: "", wire.OpAskClaim: "",
		wire.OpAskEnded: "",
	} {
		reply := r.ask(op, hookCall(body, nil))
		want[any](t, reply, wire.CodeDenied)
		if !strings.Contains(reply.Error, r.bin) {
			t.Errorf("%s: %q", op, reply.Error)
		}
	}
	if got := r.core.Sessions(); len(got) != 0 {
		t.Errorf("a refused hook made a session: %+v", got)
	}
	for _, name := range []string{"afar", "other/hook-test", "../hook-test", "not-hook-test"} {
		want[any](t, r.as(caller{name: name}, wire.OpSessionStart, hookCall("", nil)), wire.CodeDenied)
	}
	want[hookReply](t, r.as(hookBinary, wire.OpSessionStart, hookCall("", nil)), wire.CodeOK)
}

// TestConsultOperations checks that consultations are accepted only from our own afar program,
// not from a hook binary, a copy elsewhere or another program.
func TestConsultOperations(t *testing.T) {
	r := newRig(t)
	for _, name := range []string{"other", "../afar", "sub/afar", "hook-test"} {
		for _, op := range []fmt.Stringer{wire.OpConsultBegin, wire.OpConsultEnd} {
			want[any](t, r.as(caller{name: name}, op, wire.ConsultEndRequest{ID: "x", By: "codex"}), wire.CodeDenied)
		}
	}
	if n := strings.Count(strings.Join(r.kinds(), " "), "refused"); n == 0 {
		t.Error("nobody is told of a forged consultation")
	}
	got := want[wire.ConsultBeginReply](t, r.as(person, wire.OpConsultBegin, nil), wire.CodeOK)
	other := r.as(person, wire.OpConsultEnd,
		wire.ConsultEndRequest{ID: got.ID, By: "codex", Digest: strings.Repeat("0", 64), Bytes: 1})
	want[any](t, other, wire.CodeBadRequest) // the same program, another process
	if strings.Contains(strings.Join(r.kinds(), " "), "consult.answered") {
		t.Error("it counts")
	}
}

// decisions lists the calls that only a person may make.
var decisions = map[fmt.Stringer]any{
	wire.OpAnswer: wire.AnswerRequest{ID: "a"}, wire.OpAway: wire.AwayRequest{Mode: "off"},
	wire.OpPause:     wire.PauseRequest{On: true},
	wire.OpConfigSet: wire.ConfigSetRequest{Values: map[string]string{"runs.day_budget": ""}},
	wire.OpLoopStart: wire.LoopStartRequest{Session: "s", Args: "x"}, wire.OpShutdown: nil,
	wire.OpTelegramConnect: wire.TelegramConnectRequest{Token: "t"}, wire.OpTelegramPair: nil,
	wire.OpTelegramDisconnect: nil,
}

// The tricks that a session's shell can use on itself and on everything that it starts.
const birth = "ulimit -S -x 7357357; ulimit -H -x 7357357; "

// detached starts the caller and exits before the caller makes its call.
const detached = `( ( sleep 0.1; exec setsid "$0" ) & )`

// TestDecisionsFromSessions checks that no program can answer an ask from inside a session.
func TestDecisionsFromSessions(t *testing.T) {
	for name, prepare := range map[string]func(r *rig) caller{
		"marked by the host": func(*rig) caller {
			return caller{name: "afar", env: []string{"CLAUDECODE=1"}}
		},
		"marked by the session's id": func(*rig) caller {
			return caller{name: "other", env: []string{"CLAUDE_CODE_SESSION_ID=x"}}
		},
		"by a hook binary": func(*rig) caller {
			return caller{name: "hook-test", env: []string{"CLAUDECODE=1"}}
		},
		"with a terminal of its own": func(*rig) caller {
			return caller{name: "afar", env: []string{"CLAUDECODE=1"}, terminal: true}
		},
		"below the client of another": func(r *rig) caller { r.ok(openAsk(r, "b")); return person },
		"below it, a copy under another name": func(r *rig) caller {
			r.ok(openAsk(r, "b"))
			return caller{name: "other/ls", terminal: true}
		},
		"with a clean environment": func(*rig) caller {
			return caller{
				name: "afar", env: []string{"CLAUDECODE=1"},
				shell: `env -i AFAR_TEST_DIAL="$AFAR_TEST_DIAL" AFAR_TEST_LINE="$AFAR_TEST_LINE" "$0"; true`,
			}
		},
		"cut off": func(*rig) caller { return born(caller{name: "afar", shell: birth + detached}) },
		"cut off, with a terminal of its own": func(*rig) caller {
			return born(caller{name: "afar", terminal: true, shell: birth + `exec "$0"`})
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			c := prepare(r)
			if !strings.HasPrefix(name, "below") {
				r.ok(openAskOf(r, "a", nowhere))
			}
			for op, body := range decisions {
				before := len(r.kinds())
				reply := r.as(c, op, body)
				want[any](t, reply, wire.CodeDenied)
				if got := r.kinds()[before:]; !slices.Equal(got, []string{"refused " + op.String()}) {
					t.Errorf("%s: the journal says %v", op, got)
				}
			}
			if set := r.core.Settings(); set.Paused || set.Away.Mode != session.Auto || r.lastConnect()[0] != "" {
				t.Errorf("something was decided: %+v", set)
			}
			select {
			case <-r.shutdown:
				t.Error("it was shut down")
			default:
			}
		})
	}
}

// born returns a caller that only its birthmark identifies.
func born(c caller) caller {
	if runtime.GOOS != "linux" {
		c.env = append(c.env, "CLAUDECODE=1") // nothing does, there
	}
	return c
}

// TestHookOfCoordinator checks that what the coordinator starts and that becomes a hook, such as a
// check or a filter of git, speaks for no session.
func TestHookOfCoordinator(t *testing.T) {
	r := newRigAs(t, os.Getpid())
	for op, payload := range map[fmt.Stringer]string{
		wire.OpSessionStart: `,"hook_event_name":"SessionStart","source":"startup"`,
		wire.OpExpand:       `,"hook_event_name":"UserPromptExpansion","command_name":"afar:away","command_args":"off"`,
		wire.OpAskOpen:      bash,
	} {
		want[any](t, r.as(hookBinary, op, hookCall(payload, func(h *hookRequest) {
			h.Client, h.Ask, h.Kind = os.Getpid(), "a", "permission"
		})), wire.CodeDenied)
	}
	if _, err := r.core.Session("s"); err == nil {
		t.Error("the session is known")
	}
}

// TestHooksOfOthers checks that a process that a session starts speaks only for that session.
func TestHooksOfOthers(t *testing.T) {
	nested := `"$0"; true`
	for _, c := range []struct {
		name    string
		caller  caller
		session string
		client  func(shell int) int
		denied  bool
	}{
		{"the client's own hook", hookBinary, "s", self, false},
		{"from the session's shell", caller{name: "hook-test", env: []string{"CLAUDECODE=1"}, shell: nested},
			"s", self, true},
		{"from its shell, which says that it is the client",
			caller{name: "hook-test", env: []string{"CLAUDECODE=1"}, shell: nested}, "s", shell, true},
		{"from its shell, which cleaned its environment", caller{name: "hook-test", shell: nested}, "s", self, true},
		{"for the first process", caller{name: "hook-test", shell: nested}, "s", func(int) int { return 1 }, true},
		{"its shell became the hook", born(caller{name: "hook-test", shell: birth + `exec "$0"`}), "s", self, true},
		{"cut off", born(caller{name: "hook-test", shell: birth + detached}), "s", self, true},
		{"for another session", caller{name: "hook-test", env: []string{"CLAUDECODE=1"}, shell: nested},
			"other", shell, true},
		{"of a client that the session started",
			caller{name: "hook-test", env: []string{"CLAUDECODE=1"}, shell: nested}, "new", shell, false},
		{"for somebody else's process", caller{name: "hook-test", env: []string{"CLAUDECODE=1"}, shell: nested}, "new",
			func(int) int { return os.Getppid() }, true},
		{"of a client that a session's shell started", born(caller{name: "hook-test", shell: birth + nested}),
			"new", shell, false},
		{"of a session that has ended", caller{name: "hook-test", env: []string{"CLAUDECODE=1"}, shell: nested},
			"over", shell, false},
		{"of a session whose client is gone", caller{name: "hook-test", env: []string{"CLAUDECODE=1"}, shell: nested},
			"left", shell, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t)
			r.ok(openAsk(r, "a"))
			_, err := r.core.See(session.Sighting{ID: "other", Client: os.Getppid(), Hooked: true, Starts: true})
			r.ok(err)
			_, err = r.core.See(session.Sighting{ID: "over", Client: os.Getppid(), Hooked: true, Starts: true})
			r.ok(err)
			r.ok(r.core.EndSession("over", "exit"))
			_, err = r.core.See(session.Sighting{ID: "left", Client: nowhere, Hooked: true, Starts: true})
			r.ok(err)
			for _, op := range []fmt.Stringer{wire.OpSessionEnd, wire.OpAskClaim} {
				if op == fmt.Stringer(wire.OpAskClaim) && c.session != "s" {
					continue
				}
				before := r.kinds()
				reply := r.asClient(c.caller, op, c.session, c.client)
				if denied := reply.Code == wire.CodeDenied; denied != c.denied || !denied && reply.Code != wire.CodeOK {
					t.Errorf("%s: have %q %q", op, reply.Code, reply.Error)
				}
				if got := r.kinds()[len(before):]; c.denied && !slices.Equal(got, []string{"refused " + op.String()}) {
					t.Errorf("%s: the journal says %v", op, got)
				}
			}
		})
	}
}

// TestHooksOfOtherSessions checks that no hook operation is taken from inside a session for another
// one, and that nothing of that one changes.
func TestHooksOfOtherSessions(t *testing.T) {
	r := newRig(t)
	r.ok(openAsk(r, "a")) // of the session whose client is the test
	_, err := r.core.See(session.Sighting{ID: "other", Client: os.Getppid(), Hooked: true, Starts: true})
	r.ok(err)
	theirs := ask.Ask{ID: "ask_theirs", Kind: ask.Permission, Session: "other", Tool: "Bash", Text: "ls", Hash: "0"}
	_, err = r.core.OpenCovered(theirs, grant.Need{})
	r.ok(err)
	seen, err := r.core.Session("other")
	r.ok(err)
	theirs = r.askState("ask_theirs")
	from := caller{name: "hook-test", env: []string{"CLAUDECODE=1"}, shell: `"$0"; true`}
	for _, name := range server.HookOperations() {
		op := wire.Op[any, any](name)
		body := hookCall("", func(h *hookRequest) {
			h.Payload = wire.Raw(`{"session_id":"other","hook_event_name":"Stop","cwd":"/","tool_name":"Bash","tool_input":{}}`)
			h.Ask, h.Delivery, h.Client = "ask_theirs", "d", 0
		})
		reply := r.as(from, op, body)
		if name != string(wire.OpDebug) && reply.Code != wire.CodeDenied { // that one speaks for no session
			t.Errorf("%s: have %+v", op, reply)
		}
	}
	if now, err := r.core.Session("other"); err != nil || !reflect.DeepEqual(now, seen) {
		t.Errorf("the other session was %+v and is %+v, %v", seen, now, err)
	}
	if now := r.askState("ask_theirs"); !reflect.DeepEqual(now, theirs) {
		t.Errorf("its question was %+v and is %+v", theirs, now)
	}
}

func self(int) int        { return os.Getpid() }
func shell(shell int) int { return shell }

// asClient makes a hook's call. client gets the process that starts the caller.
func (r *rig) asClient(c caller, op fmt.Stringer, session string, client func(int) int) wire.Reply {
	r.t.Helper()
	// The shell's own id is known only there.
	const mark = 424242
	line := r.line(op, hookCall("", func(h *hookRequest) {
		h.Ask, h.Client = "a", client(mark)
		h.Payload = wire.Raw(strings.Replace(string(h.Payload), `"s"`, `"`+session+`"`, 1))
	}))
	if c.shell != "" {
		c.shell = `AFAR_TEST_LINE="${AFAR_TEST_LINE/424242/$$}"; ` + c.shell
	}
	_, reply := r.start(c, line)
	select {
	case text := <-reply:
		return r.reply(text)
	case <-time.After(soon):
		r.t.Fatal("no reply")
		return wire.Reply{}
	}
}

// TestForgedHook checks that a program that is not one of our hooks is refused, and that the
// journal names it.
func TestForgedHook(t *testing.T) {
	r := newRig(t)
	r.ok(openAskOf(r, "a", nowhere))
	for _, name := range []string{"afar", "other/hook-test"} {
		want[any](t, r.as(caller{name: name}, wire.OpAskClaim, hookCall("", func(h *hookRequest) { h.Ask = "a" })),
			wire.CodeDenied)
		events, err := r.store.Journal(0, 1, "", true)
		r.ok(err)
		if e := events[0]; e.Kind != "refused" || e.Subject != string(wire.OpAskClaim) ||
			!strings.Contains(e.Text, "/"+name+",") {
			t.Errorf("the journal says %+v", e)
		}
	}
	before := len(r.kinds())
	want[any](t, r.as(caller{name: "afar"}, wire.OpAskClaim, hookCall("", nil)), wire.CodeDenied)
	if got := r.kinds()[before:]; len(got) != 0 {
		t.Errorf("an older installation fills the journal: %v", got)
	}
}

// TestAnswer is the terminal channel.
func TestAnswer(t *testing.T) {
	r := newRig(t)
	for _, id := range []string{"a", "b"} {
		r.ok(openAskOf(r, id, nowhere))
	}
	allow := wire.AnswerRequest{ID: "a", Allow: true}
	reply := r.as(person, wire.OpAnswer, allow)
	want[any](t, reply, wire.CodeDenied)
	if kinds := r.kinds(); kinds[len(kinds)-1] != "refused answer" {
		t.Errorf("the journal says %v", kinds)
	}
	if !strings.Contains(reply.Error, "controlling terminal") || r.askState("a").State != "open" {
		t.Errorf("have %q, %s", reply.Error, r.askState("a").State)
	}
	got := want[wire.Ask](t, r.as(atTerminal, wire.OpAnswer, allow), wire.CodeOK)
	if got.State != "answered" || !got.Allow || got.Channel != "terminal" ||
		!strings.Contains(got.By, "at the terminal") || got.SettledAt == 0 {
		t.Errorf("have %+v", got)
	}
	reply = r.as(atTerminal, wire.OpAnswer, wire.AnswerRequest{ID: "a"})
	want[any](t, reply, wire.CodeSettled)
	if !strings.Contains(reply.Error, "allowed by ") {
		t.Errorf("a late answer is told %q", reply.Error)
	}
	want[any](t, r.as(atTerminal, wire.OpAnswer, wire.AnswerRequest{ID: "none"}), wire.CodeNotFound)
	want[any](t, r.as(atTerminal, wire.OpAnswer, wire.AnswerRequest{}), wire.CodeBadRequest)
	got = want[wire.Ask](t, r.as(person, wire.OpAnswer, wire.AnswerRequest{ID: "b"}), wire.CodeOK)
	if d := r.askState("b").Decision; got.Allow || d == nil || !strings.HasPrefix(d.Message, "Denied by ") {
		t.Errorf("a refusal needs no terminal: %+v, %+v", got, d)
	}
}

// TestSettings checks what a person outside of any session may switch.
func TestSettings(t *testing.T) {
	r := newRig(t)
	r.ok(openAskOf(r, "a", nowhere))
	set := want[wire.Settings](t, r.as(person, wire.OpAway, wire.AwayRequest{Mode: "on", ForMS: 60_000}), wire.CodeOK)
	if left := time.Until(time.UnixMilli(set.AwayUntil)); set.Away != "on" || left <= 0 || left > time.Minute {
		t.Errorf("have %+v", set)
	}
	set = want[wire.Settings](t, r.as(person, wire.OpPause, wire.PauseRequest{On: true}), wire.CodeOK)
	if !set.Paused {
		t.Errorf("have %+v", set)
	}
	want[any](t, r.as(person, wire.OpAway, wire.AwayRequest{Mode: "maybe"}), wire.CodeBadRequest)
	want[any](t, r.as(person, wire.OpAway, wire.AwayRequest{Mode: "on", ForMS: -1}), wire.CodeBadRequest)
	want[any](t, r.as(person, wire.OpAway, wire.AwayRequest{Mode: "on", Session: "none"}), wire.CodeNotFound)
	want[any](t, r.as(person, wire.OpAway, wire.AwayRequest{Mode: "off", Session: "s"}), wire.CodeOK)
	st := want[wire.StatusReply](t, r.ask(wire.OpStatus, nil), wire.CodeOK)
	if len(st.Sessions) != 1 || st.Sessions[0].Away != "off" || st.Settings.Away != "on" || !st.Settings.Paused ||
		st.Coordinator.PID != 7 {
		t.Errorf("have %+v", st)
	}
}

// TestFirstProcess checks a hook whose client died and that names process 1 as its client.
// Every process descends from that one.
func TestFirstProcess(t *testing.T) {
	r := newRig(t)
	r.ok(openAskOf(r, "a", 1))
	want[wire.Settings](t, r.as(person, wire.OpAway, wire.AwayRequest{Mode: "on"}), wire.CodeOK)
}

func TestShutdown(t *testing.T) {
	r := newRig(t)
	want[any](t, r.as(person, wire.OpShutdown, nil), wire.CodeOK)
	select {
	case <-r.shutdown:
	case <-time.After(soon):
		t.Error("nobody was told")
	}
}

var ada = &channel.Person{Name: "Ada"}

func TestTelegram(t *testing.T) {
	r := newRig(t)
	want[any](t, r.as(person, wire.OpTelegramConnect, wire.TelegramConnectRequest{}), wire.CodeBadRequest)
	want[any](t, r.as(person, wire.OpTelegramPair, nil), wire.CodeBadRequest)
	r.setTelegram(channel.Status{Connected: true, Speaker: "afar_bot", API: "http://x"})
	got := want[wire.TelegramReply](t,
		r.as(person, wire.OpTelegramConnect, wire.TelegramConnectRequest{Token: "t", API: "http://x"}), wire.CodeOK)
	if got.Bot != "afar_bot" || r.lastConnect() != [2]string{"t", "http://x"} {
		t.Errorf("have %+v, %v", got, r.lastConnect())
	}
	code := want[wire.TelegramPairReply](t, r.as(person, wire.OpTelegramPair, nil), wire.CodeOK)
	if code.Code != "123456" || code.Bot != "afar_bot" || code.ExpiresAt <= time.Now().UnixMilli() {
		t.Errorf("have %+v", code)
	}
	want[wire.TelegramReply](t, r.as(person, wire.OpTelegramDisconnect, nil), wire.CodeOK)
	r.failing(errors.New("no network"))
	want[any](t, r.as(person, wire.OpTelegramDisconnect, nil), wire.CodeInternal)
	if !strings.Contains(r.log.String(), "no network") {
		t.Errorf("an internal error is in the log: %q", r.log)
	}
	if got := want[wire.TelegramReply](t, r.ask(wire.OpTelegram, nil), wire.CodeOK); !got.Connected {
		t.Errorf("have %+v", got)
	}
}

// TestTelegramPaired waits while a pairing code is valid.
func TestTelegramPaired(t *testing.T) {
	r := newRig(t)
	r.setTelegram(channel.Status{Connected: true, Pairing: true})
	got := want[wire.TelegramReply](t, r.ask(wire.OpTelegramPaired, wire.TelegramPairedRequest{WaitMS: 1}), wire.CodeOK)
	if !got.Pairing {
		t.Errorf("time is over, and it says %+v", got)
	}
	replies := make(chan string, 1)
	go func() { replies <- r.raw(r.line(wire.OpTelegramPaired, wire.TelegramPairedRequest{WaitMS: 20_000})) }()
	r.setTelegram(channel.Status{Connected: true, Person: ada})
	r.ok(r.core.ChangeAccount(channel.Act{}, func(a channel.Account, _ time.Time) channel.Change {
		a.Channel, a.Person = "telegram", ada
		return channel.Change{Account: &a}
	}))
	if got := want[wire.TelegramReply](t, r.reply(<-replies), wire.CodeOK); !got.Paired {
		t.Errorf("have %+v", got)
	}
	want[any](t, r.reply(r.raw(`{"v":1,"op":"telegram.paired","body":7}`+"\n")), wire.CodeBadRequest)
}

func TestChannels(t *testing.T) {
	r := newRig(t)
	for state, tg := range map[string]channel.Status{
		"off":      {},
		"unpaired": {Connected: true, Speaker: "b"},
		"ready":    {Connected: true, Speaker: "b", Person: ada},
		"failing":  {Connected: true, Person: ada, Failing: "409"},
	} {
		r.setTelegram(tg)
		st := want[wire.StatusReply](t, r.ask(wire.OpStatus, nil), wire.CodeOK)
		if len(st.Channels) != 3 || st.Channels[0].State != state ||
			st.Channels[2] != (wire.Channel{ID: "terminal", State: "ready"}) {
			t.Errorf("%s: %+v", state, st.Channels)
		}
	}
}

func TestLog(t *testing.T) {
	r := newRig(t)
	r.ok(openAskOf(r, "a", nowhere))
	all := want[wire.LogReply](t, r.ask(wire.OpLog, wire.LogRequest{Limit: 100}), wire.CodeOK).Entries
	if len(all) < 3 || all[0].Kind != "coordinator.started" || all[0].ID != "1" || all[0].Hash == "" {
		t.Fatalf("have %+v", all)
	}
	last := want[wire.LogReply](t, r.ask(wire.OpLog, wire.LogRequest{Limit: 1, Last: true, Session: "s"}),
		wire.CodeOK).Entries
	if len(last) != 1 || last[0].Kind != "ask.opened" || last[0].Token == "" || last[0].Session != "s" {
		t.Errorf("have %+v", last)
	}
	none := r.ask(wire.OpLog, wire.LogRequest{Limit: 5, After: 1000})
	if string(none.Body) != `{"entries":[]}` {
		t.Errorf("nothing new is an empty list: %s", none.Body)
	}
	for _, q := range []wire.LogRequest{{Limit: -1}, {Limit: 5001}} {
		want[any](t, r.ask(wire.OpLog, q), wire.CodeBadRequest)
	}
	want[any](t, r.ask(wire.OpLog, wire.LogRequest{Limit: 1, Session: "nobody"}), wire.CodeNotFound)
	var waiting sync.WaitGroup
	replies := make(chan string, 1)
	waiting.Go(func() {
		replies <- r.raw(r.line(wire.OpLog, wire.LogRequest{Limit: 5, After: int64(len(all)), WaitMS: 20_000}))
	})
	r.ok(r.core.Pause(true))
	waiting.Wait()
	if got := want[wire.LogReply](t, r.reply(<-replies), wire.CodeOK).Entries; len(got) != 1 ||
		got[0].Kind != "pause.set" {
		t.Errorf("have %+v", got)
	}
	v := want[wire.VerifyReply](t, r.ask(wire.OpVerify, nil), wire.CodeOK)
	if !v.OK || v.Entries != int64(len(all)+1) || v.Broken != 0 || v.Head == "" {
		t.Errorf("have %+v", v)
	}
}

func TestDoctor(t *testing.T) {
	r := newRig(t)
	_, err := r.core.See(session.Sighting{ID: "u", Cwd: "/p", Starts: true, State: session.Working})
	r.ok(err)
	if got := want[wire.DoctorReply](t, r.ask(wire.OpDoctor, nil), wire.CodeOK); len(got.Checks) != 1 {
		t.Errorf("have %+v", got)
	}
}

// TestAsks checks that the open asks are listed with their sessions and without secrets.
func TestAsks(t *testing.T) {
	r := newRig(t)
	if got := r.ask(wire.OpAsks, nil); string(got.Body) != `{"asks":[]}` {
		t.Errorf("none is an empty list: %s", got.Body)
	}
	h := hookCall(`,"tool_name":"Bash","tool_input":{"command":"x --token hunter22"},"prompt_id":"p"`,
		func(h *hookRequest) {
			h.Ask, h.Kind, h.Why = "a", "guard", "API_KEY=hunter22\nis \u202e risky"
		})
	want[wire.AskState](t, r.as(hookBinary, wire.OpAskOpen, h), wire.CodeOK)
	got := want[wire.AsksReply](t, r.ask(wire.OpAsks, nil), wire.CodeOK).Asks
	if len(got) != 1 || got[0].Input != "x --token •••" || got[0].Why != "API_KEY=••• is ⟨U+202E⟩ risky" ||
		got[0].Project != "/home/ada/proj" || got[0].Kind != "guard" {
		t.Errorf("have %+v", got)
	}
	text, err := json.Marshal(got)
	r.ok(err)
	files, err := filepath.Glob(filepath.Join(filepath.Dir(r.socket), "afar.db*"))
	r.ok(err)
	for _, f := range files {
		raw, err := os.ReadFile(f)
		r.ok(err)
		text = append(text, raw...)
	}
	if strings.Contains(string(text), "hunter22") || strings.Contains(string(text), got[0].ID+"-nonce") {
		t.Error("a secret is at rest or on the wire")
	}
	if strings.Contains(string(text[:200]), r.askState("a").Nonce) {
		t.Error("the nonce was sent")
	}
}

// TestVerifyUnproven: the journal is not in order while the database claims an answer that it has no entry of.
func TestVerifyUnproven(t *testing.T) {
	r := newRig(t)
	if before := want[wire.VerifyReply](t, r.ask(wire.OpVerify, nil), wire.CodeOK); !before.OK || len(before.Unproven) > 0 {
		t.Fatalf("have %+v", before)
	}
	var b store.Batch
	store.Asks.Put(&b, ask.Ask{
		ID: "ask_forged", Kind: ask.Guard, Session: "s", Tool: "Bash", Hash: "h", State: ask.Delivered, OpenedAt: time.Now(),
		Decision: &ask.Decision{Allow: true, By: "Ann", Channel: "phone", At: time.Now()},
	})
	r.ok(r.store.Commit(&b))
	after := want[wire.VerifyReply](t, r.ask(wire.OpVerify, nil), wire.CodeOK)
	if after.OK || after.Broken != 0 || len(after.Unproven) != 1 || !strings.Contains(after.Unproven[0], "ask_forged") {
		t.Errorf("have %+v", after)
	}
}
