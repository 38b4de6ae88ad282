//go:build unix

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/afar-sh/afar/coordinator/standin/host"
	"github.com/afar-sh/afar/coordinator/standin/long"
	"github.com/afar-sh/afar/coordinator/standin/model"
)

// heldSession returns a rig whose plugin is seated first and whose person is away. Its session has
// answered a first prompt, and checks in for a given time.
func heldSession(t *testing.T, version, hold string) *rig {
	t.Helper()
	r := newHeldRig(t, host.Need(t, version), true)
	r.configure("[checkin]\nhold = \"" + hold + "\"")
	r.must("away", "on")
	r.model.Script(func(q model.Request) model.Turn { return model.Say("answer to " + last(q.From("user"))) })
	write(t, r.lab.Project, ".claude/settings.json", `{"hooks":{"UserPromptSubmit":[{"hooks":[{"type":"command",
		"command":"[ ! -e kill-now ] || { rm kill-now; sleep 2; kill -9 $PPID; }"}]}]}}`)
	r.term = r.lab.Terminal()
	r.term.Submit("the first thing")
	return r
}

// last returns the last of some texts, "" for none.
func last(texts []string) string {
	if len(texts) == 0 {
		return ""
	}
	return texts[len(texts)-1]
}

// prompted waits for a request whose last message is exactly a text of the user.
func (r *rig) prompted(text string) {
	r.t.Helper()
	r.heard(text, func(q model.Request) bool { return last(q.From("user")) == text })
}

// TestRealPrompt: what the person writes from afar reaches a session that stopped as a prompt of
// their own: a user message that is the bare text.
func TestRealPrompt(t *testing.T) {
	t.Parallel()
	for _, version := range modClients {
		t.Run(version, func(t *testing.T) {
			r := heldSession(t, version, "60s")
			r.part("a reply within the hold", func() {
				card := r.open("answer to the first thing")
				r.reply(card, instruction)
				r.prompted(instruction)
				r.becomes(card, "Answered by Ann")
				r.becomes(card, "the session has it")
				if s := r.status().Sessions[0]; s.Words != "prompt" {
					r.t.Errorf("status says %q of how words reach the session", s.Words)
				}
			})
			r.part("a draft stays", func() {
				card := r.open("answer to now run")
				r.term.Type("a draft of mine")
				r.reply(card, "with a draft")
				r.prompted("with a draft")
				r.open("answer to with a draft")
				r.term.Await("❯.a draft of mine", within)
			})
		})
	}
}

// TestRealPromptCrash: whatever dies between a text on the phone and the session, the session gets
// the text once.
func TestRealPromptCrash(t *testing.T) {
	long.Only(t)
	t.Parallel()
	for _, version := range modClients {
		t.Run(version, func(t *testing.T) {
			r := heldSession(t, version, "1s")
			r.open("answer to the first thing")
			r.idle()
			texts := 0
			arrives := func(name string, before, after func()) {
				r.part(name, func() {
					texts++
					text := fmt.Sprintf("text %d, from afar", texts)
					before()
					r.ann.Say(annID, text)
					after()
					r.heard(text, func(q model.Request) bool { return q.Has(text) })
					r.open("answer to")
					r.idle()
				})
			}
			nothing := func() {}
			killWaiter := func() { r.toWaiters(t, syscall.SIGKILL) }
			killCoordinator := func() { r.kill(); r.must("start") }
			arrives("the coordinator, before the text", killCoordinator, nothing)
			arrives("the coordinator, after the text", nothing, killCoordinator)
			arrives("the waiter, before the text", killWaiter, nothing)
			arrives("the waiter, after the text", nothing, killWaiter)
			stopWaiter := func() { r.toWaiters(t, syscall.SIGSTOP) }
			arrives("the client, with a text that it has not taken", stopWaiter, func() {
				r.journal("ask.answered", "check-in answer to text 4")
				was := r.status().Sessions[0].ID
				if err := syscall.Kill(r.term.Pid(), syscall.SIGKILL); err != nil {
					r.t.Fatal(err)
				}
				r.term.Close()
				killWaiter()
				r.term = r.lab.Terminal("--resume", was)
			})
			arrives("the client, between the prompt's hooks and its row",
				func() { write(t, r.lab.Project, "kill-now", "") },
				func() {
					was := r.status().Sessions[0].ID
					r.journal("session.ended", "its client is gone")
					r.journal("message.added", "was not submitted, and is offered again")
					r.term.Close()
					r.term = r.lab.Terminal("--resume", was)
				})
			all := r.model.Turns()
			said := strings.Join(all[len(all)-1].From("user"), "\n")
			for i := range texts {
				if n := strings.Count(said, fmt.Sprintf("text %d, from afar", i+1)); n != 1 {
					t.Errorf("the session has text %d %d times\n%s\n%s", i+1, n, said, r.trail())
				}
			}
		})
	}
}

// toWaiters sends a signal to the processes with which the mod of the rig's session waits for texts.
func (r *rig) toWaiters(t *testing.T, signal syscall.Signal) {
	t.Helper()
	paths, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		line, _ := os.ReadFile(path)
		env, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "environ"))
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if strings.Contains(string(line), "hook-stop-rewake\x00--prompt") && strings.Contains(string(env), r.home) {
			_ = syscall.Kill(pid, signal)
		}
	}
}
