//go:build unix

package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/standin/botapi"
	"github.com/afar-sh/afar/coordinator/standin/long"
	"github.com/afar-sh/afar/coordinator/wire"
)

// A takerRig is the host's client of one session. The hooks of the session are killed while
// they hand over a text or an answer.
type takerRig struct {
	*phone
	vars []string
}

func newTakerRig(t *testing.T, attended bool) *takerRig {
	t.Helper()
	r := &takerRig{phone: newPhone(t)}
	r.vars = []string{"CLAUDE_PID=" + strconv.Itoa(bystander(t)), "CLAUDE_CODE_SESSION_ATTENDED=0",
		"CLAUDE_CODE_ENTRYPOINT=sdk-cli"}
	if attended {
		r.vars[1], r.vars[2] = "CLAUDE_CODE_SESSION_ATTENDED=1", "CLAUDE_CODE_ENTRYPOINT=cli"
	}
	return r
}

// run runs a hook to its end and returns what it printed.
func (r *takerRig) run(event string, more payload) string {
	r.t.Helper()
	out, err := r.start(event, r.session("s", "p").with(more), r.vars...).wait()
	if err != nil {
		r.t.Fatalf("%s: %v\n%s", event, err, r.trail())
	}
	return out
}

// mute starts a hook that cannot print: its output goes into a full pipe.
func (r *takerRig) mute(event string, more payload) *exec.Cmd {
	r.t.Helper()
	read, write, err := os.Pipe()
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { read.Close(); write.Close() })
	if err := write.SetWriteDeadline(time.Now().Add(50 * time.Millisecond)); err != nil {
		r.t.Fatal(err)
	}
	for err == nil {
		_, err = write.Write(make([]byte, 4096))
	}
	if !errors.Is(err, os.ErrDeadlineExceeded) {
		r.t.Fatal(err)
	}
	raw, err := json.Marshal(r.session("s", "p").with(more).with(payload{"hook_event_name": event}))
	if err != nil {
		r.t.Fatal(err)
	}
	cmd := exec.Command(filepath.Join(filepath.Dir(r.bin), hookNames[event]))
	cmd.Env, cmd.Stdin, cmd.Stdout = append(r.vars, r.env...), bytes.NewReader(raw), write
	if err := cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	return cmd
}

var hookNames = map[string]string{
	"Stop": "hook-stop", "UserPromptSubmit": "hook-user-prompt-submit", "PostToolBatch": "hook-post-tool-batch",
	"PermissionRequest": "hook-permission-request", "PreToolUse": "hook-pre-tool-use",
}

// kill kills a hook when it has taken a text or an answer and cannot print it.
func (r *takerRig) kill(hook *exec.Cmd, taken func() bool) {
	r.t.Helper()
	for deadline := time.Now().Add(patience); !taken(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			r.t.Fatalf("the hook took nothing\n%s", r.trail())
		}
	}
	if err := hook.Process.Kill(); err != nil {
		r.t.Fatal(err)
	}
	_ = hook.Wait() // it was killed
}

func (r *takerRig) textTaken() bool { return count(r.journal(), "message.delivered") > 0 }

// killTextTaker kills a hook when it has taken a text. The hook of a batch waits only briefly
// for the coordinator, so one that has ended with nothing is started again.
func (r *takerRig) killTextTaker(event string, more payload) {
	r.t.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); {
		hook := r.mute(event, more)
		ended := make(chan struct{})
		go func() { defer close(ended); _ = hook.Wait() }() // killed, or with nothing to print
		if taken := r.takenBefore(ended); !taken {
			continue
		}
		_ = hook.Process.Kill()
		<-ended
		return
	}
	r.t.Fatalf("no hook took the text\n%s", r.trail())
}

// takenBefore waits until a text is taken or the hook has ended, and reports which.
func (r *takerRig) takenBefore(ended <-chan struct{}) bool {
	for {
		select {
		case <-ended:
			return r.textTaken()
		case <-time.After(5 * time.Millisecond):
		}
		if r.textTaken() {
			return true
		}
	}
}

// answerTaken reports whether no answer waits for its hook.
func (r *takerRig) answerTaken() bool {
	r.t.Helper()
	var waiting wire.AsksReply
	r.call(wire.OpAsks, nil, &waiting)
	return len(waiting.Asks) == 0
}

const maybeSeen = "may have received some of this before"

// TestKillTextTaker: a text that a hook took and could not print is offered again, and the
// session is told that it may have seen it. The same holds if the coordinator dies.
func TestKillTextTaker(t *testing.T) {
	long.InCI(t)
	t.Parallel()
	stopped := payload{"last_assistant_message": "fin"}
	for event, more := range map[string]payload{"Stop": stopped, "UserPromptSubmit": {"prompt": "x"},
		"PostToolBatch": {"tool_calls": []any{}}} {
		for _, dies := range []bool{false, true} {
			t.Run(event+map[bool]string{true: ", the coordinator dies"}[dies], func(t *testing.T) {
				t.Parallel()
				r := newTakerRig(t, true)
				r.afar("away", "off")
				r.run("UserPromptSubmit", payload{"prompt": "begin"})
				r.ann.Say(annID, "use the blue one")
				r.await("the fate", func(m botapi.Message) bool { return strings.Contains(m.Text, "gets it") })
				r.killTextTaker(event, more)
				if dies {
					r.fire(r.aim())
				}
				out := r.run("Stop", stopped)
				if !strings.Contains(out, maybeSeen) || !strings.Contains(out, "use the blue one") {
					t.Errorf("the next stop said %q\n%s", out, r.trail())
				}
				if out := r.run("Stop", stopped); out != "" {
					t.Errorf("then it said %q", out)
				}
			})
		}
	}
}

// TestKillAnswerTaker: if a hook took an answer and could not print it, the card says that
// the answer was not delivered. It counts once when the call is made again.
func TestKillAnswerTaker(t *testing.T) {
	long.InCI(t)
	t.Parallel()
	call := payload{"tool_name": "Bash", "tool_input": payload{"command": "git push --force origin side"}}
	for event, attended := range map[string]bool{"PermissionRequest": true, "PreToolUse": false} {
		for _, button := range []string{"Allow", "Deny"} {
			t.Run(event+" "+button, func(t *testing.T) {
				t.Parallel()
				r := newTakerRig(t, attended)
				hook := r.mute(event, call)
				card := r.current("git push --force")[0]
				if _, err := r.ann.Tap(card.ID, button); err != nil {
					t.Fatal(err)
				}
				r.kill(hook, r.answerTaken)
				r.await("not delivered", func(m botapi.Message) bool {
					return m.ID == card.ID && strings.Contains(strings.ToLower(m.Text), "not delivered")
				})
				want := map[string]string{"Allow": `"allow"`, "Deny": `"deny"`}[button]
				if out := r.run(event, call); !strings.Contains(out, want) {
					t.Errorf("asked again, the hook said %q\n%s", out, r.trail())
				}
				third := r.start(event, r.session("s", "p").with(call), r.vars...)
				again := r.current("git push --force")
				if len(again) != 1 || again[0].ID == card.ID {
					t.Errorf("the third time there is no new card: %d", len(again))
				}
				if _, err := r.ann.Tap(again[0].ID, "Deny"); err != nil {
					t.Fatal(err)
				}
				if out, err := third.wait(); err != nil || !strings.Contains(out, `"deny"`) {
					t.Errorf("the third said %q, %v", out, err)
				}
				if n := count(r.journal(), "ask.delivered"); n != 2 {
					t.Errorf("the journal has ask.delivered %d times, want 2: the second and the third", n)
				}
			})
		}
	}
}

// TestKillTakersAtRandom kills hooks at random moments while they hand over texts. The host
// uses the output of a hook only if the hook exits by itself. Each text must arrive, and a
// text that arrives twice must say so. One loss is allowed: a hook that is killed after its
// receipt and before its exit, within some hundred microseconds, loses its text, because the
// kernel does not tell the coordinator how another program's child ended.
func TestKillTakersAtRandom(t *testing.T) {
	long.InCI(t)
	t.Parallel()
	r := newTakerRig(t, true)
	r.afar("away", "off")
	seed := seeded(t)
	random := rand.New(rand.NewPCG(seed, 7))
	r.run("UserPromptSubmit", payload{"prompt": "begin"})
	began := time.Now()
	r.run("Stop", payload{"last_assistant_message": "fin"})
	usual := time.Since(began)
	killed, lost := 0, 0
	for n := range 25 {
		text := "text-" + strconv.Itoa(n) + "-end"
		sent := r.ann.Say(annID, text)
		r.await("the fate of "+text, func(m botapi.Message) bool {
			return m.ID > sent &&
				strings.Contains(m.Text, "gets it")
		})
		arrived := false
		for try := range 5 {
			limit := time.Duration(0) // no kill
			if try < 3 {
				limit = time.Duration(1 + random.Int64N(int64(usual)))
			}
			out, err := r.stopWithin(limit)
			if err != nil {
				killed++
			}
			if arrived = err == nil && strings.Contains(out, text); arrived {
				break
			}
		}
		if !arrived {
			lost++
		}
		if out := r.run("Stop", payload{"last_assistant_message": "fin"}); strings.Contains(out, text) &&
			!strings.Contains(out, maybeSeen) {
			t.Errorf("%s arrives twice: %q", text, out)
		}
	}
	if killed < 10 {
		t.Errorf("only %d hooks were killed: that proves little", killed)
	}
	if lost > killed/5 {
		t.Errorf("%d of 25 texts are lost at %d kills\n%s", lost, killed, r.trail())
	}
}

// stopWithin runs a Stop hook and kills it after limit, unless limit is 0.
func (r *takerRig) stopWithin(limit time.Duration) (string, error) {
	r.t.Helper()
	hook := r.start("Stop", r.session("s", "p").with(payload{"last_assistant_message": "fin"}), r.vars...)
	if limit > 0 {
		time.Sleep(limit) // the moment of the kill is what varies
		_ = hook.cmd.Process.Kill()
	}
	return hook.wait()
}
