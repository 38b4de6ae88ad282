//go:build unix

package e2e

import (
	"context"
	"regexp"
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/standin/host"
	"github.com/afar-sh/afar/coordinator/standin/model"
)

// background starts `claude --bg` with a prompt. The host's service for it ends with the
// test.
func (r *rig) background(prompt string, args ...string) {
	r.t.Helper()
	run := func(args ...string) string {
		ctx, cancel := context.WithTimeout(context.Background(), within)
		defer cancel()
		out, err := r.lab.Command(ctx, args...).CombinedOutput()
		if err != nil {
			r.t.Errorf("claude %q: %v\n%s", args, err, out)
		}
		return string(out)
	}
	r.t.Cleanup(func() { run("daemon", "stop", "--any") })
	out := run(append([]string{"--bg", prompt, "--plugin-dir", root}, args...)...)
	if !regexp.MustCompile(`backgrounded · [0-9a-f]+`).MatchString(out) {
		r.t.Fatalf("claude --bg said %s", out)
	}
}

// TestRealBackground: a session of `claude --bg` opens dialogs that nobody watches. Each
// kind of question reaches the phone, and its answer reaches the session.
func TestRealBackground(t *testing.T) {
	t.Parallel()
	t.Run("default", testBackgroundDefault)
	t.Run("auto", testBackgroundAuto)
}

func testBackgroundDefault(t *testing.T) {
	r := newRig(t, host.Need(t, host.Current), "mcp__lab__ask")
	r.background(play(
		model.Call("ExitPlanMode", map[string]any{"plan": "1. do it"}),
		model.Bash("echo run >> made"), model.Bash("echo more >> made"), elicit(wanted()), model.Say("first answer")),
		append(withServer(t, r), "--permission-mode", "plan")...)
	r.part("plan", func() {
		card := r.open("📋")
		r.tap(card, "Approve")
		r.becomes(card, "the session goes on")
	})
	r.part("permission", func() {
		card := r.open("echo run")
		if !strings.Contains(card.Text, "in the background") {
			r.t.Errorf("the card does not say where it comes from:\n%s", card.Text)
		}
		r.tap(card, "Allow")
		r.becomes(card, "ran ok")
	})
	r.part("refused", func() {
		r.reply(r.open("echo more"), "use tee instead")
		r.asked("use tee instead")
	})
	r.part("elicitation", func() {
		r.must("away", "on") // for the part after
		r.since = 0
		r.filledIn()
		r.asked(content)
	})
	// A background session that stops checks in. A reply wakes it, even a late one.
	r.part("stop", func() {
		card := r.open("first answer")
		r.model.Script(followUp(instruction))
		r.reply(card, instruction)
		r.asked(instruction)
		again := r.said("second answer")
		if !strings.Contains(again.Text, "in the background") {
			r.t.Errorf("the check-in is\n%s", again.Text)
		}
	})
	// A text that is sent to it reaches it too.
	r.part("sent", func() {
		r.ann.Say(annID, "/send "+r.status().Sessions[0].Token+" the build is red")
		r.asked("the build is red")
	})
}

func testBackgroundAuto(t *testing.T) {
	r := newRig(t, host.Need(t, host.Current))
	r.strict()
	write(t, r.lab.Project, "recipe.txt", "echo run >> guarded\n")
	store := map[string]any{"questions": asking()["questions"].([]any)[:1]}
	r.background(play(model.Bash("bash -c \"$(awk 1 recipe.txt)\""), model.Call("AskUserQuestion", store),
		model.Bash(scripted), model.Say("first end"), model.Bash(scripted), model.Say("all done now")),
		"--permission-mode", "auto")
	r.part("guard", func() {
		card := r.open("recipe.txt")
		r.tap(card, "Allow")
		r.becomes(card, "ran ok")
	})
	r.part("question", func() {
		r.tap(r.open("Which store?"), "Postgres")
		r.asked(`"Which store?"="Postgres"`)
	})
	r.part("auto mode's refusal", func() {
		card := r.open("auto mode refused it")
		r.tap(card, "Retry once")
		r.becomes(card, "ran ok")
	})
}
