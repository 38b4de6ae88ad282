package plugin_test

import (
	"context"
	"regexp"
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/standin/botapi"
	"github.com/afar-sh/afar/coordinator/standin/host"
	"github.com/afar-sh/afar/coordinator/standin/model"
)

// background starts `claude --bg` with its prompt. The host's service that runs
// it ends with the test.
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

// TestRealBackground: a session of `claude --bg` opens dialogs that nobody
// watches. Each kind of question reaches the phone, and the answer the session.
func TestRealBackground(t *testing.T) {
	risky := "bash -c \"$(cat recipe.txt)\""
	plan := map[string]any{"plan": "1. do it"}
	for name, c := range map[string]struct {
		mode   string
		script []model.Turn
		answer func(r *rig)
		done   string // what the model is told
	}{
		"permission": {"default", []model.Turn{model.Bash("echo run >> made")}, func(r *rig) {
			card := r.card("echo run")
			if !strings.Contains(card.Text, "in the background") {
				r.t.Errorf("the card does not say where it comes from:\n%s", card.Text)
			}
			r.tap(card, "Allow")
			r.becomes(card, "ran ok")
		}, ""},
		"refused": {"default", []model.Turn{model.Bash("echo run >> made")}, func(r *rig) { r.reply(r.card("echo run"), "use tee instead") }, "use tee instead"},
		"guard in auto": {"auto", []model.Turn{model.Bash(risky)}, func(r *rig) {
			card := r.card("recipe.txt")
			r.tap(card, "Allow")
			r.becomes(card, "ran ok")
		}, ""},
		"question": {"auto", []model.Turn{model.Call("AskUserQuestion", map[string]any{"questions": asking()["questions"].([]any)[:1]})}, func(r *rig) {
			r.tap(r.card("Which store?"), "Postgres")
		}, `"Which store?"="Postgres"`},
		"plan": {"plan", []model.Turn{model.Call("ExitPlanMode", plan)}, func(r *rig) {
			card := r.card("has a plan")
			r.tap(card, "Approve")
			r.becomes(card, "the session goes on")
		}, ""},
		"elicitation": {"default", []model.Turn{model.Call("mcp__lab__ask", map[string]any{"params": wanted()})}, func(r *rig) { r.filledIn() }, content},
		"auto mode's refusal": {"auto", []model.Turn{model.Bash("sh step.sh"), model.Say("first end"), model.Bash("sh step.sh")}, func(r *rig) {
			card := r.card("auto mode refused Bash")
			r.tap(card, "Retry once")
			r.becomes(card, "ran ok")
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, host.Need(t, host.Current), "mcp__lab__ask")
			r.strict()
			write(t, r.lab.Project, "recipe.txt", "echo run >> made\n")
			r.background("go "+model.Play(append(c.script, model.Say("all done now"))...), append(withServer(t, r), "--permission-mode", c.mode)...)
			c.answer(r)
			r.asked(c.done)
		})
	}
}

// TestRealBackgroundStop: a background session that stops checks in, and a
// reply, also a late one, wakes it.
func TestRealBackgroundStop(t *testing.T) {
	r := newRig(t, host.Need(t, host.Current))
	r.must("away", "on")
	r.model.Script(followUp(instruction))
	r.background("do the first thing")
	card := r.card("first answer")
	r.reply(card, instruction)
	r.asked(instruction)
	again := r.seen(func(m botapi.Message) bool { return m.ID != card.ID && strings.Contains(m.Text, "second answer") }, "second answer")
	if !strings.Contains(again.Text, "in the background") {
		t.Errorf("the check-in is\n%s", again.Text)
	}
}
