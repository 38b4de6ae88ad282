//go:build unix

package e2e

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/standin/host"
	"github.com/afar-sh/afar/coordinator/standin/long"
	"github.com/afar-sh/afar/coordinator/standin/model"
)

// consults makes a fresh client of the same version the other model. It installs the plugin
// for that client too, and a hook of the person's own that records which sessions ran.
func (r *rig) consults(client string) (ran string) {
	r.t.Helper()
	ran = filepath.Join(r.lab.Home, "ran")
	write(r.t, r.home, "config.toml", fmt.Sprintf("%s\n[consult]\nprograms = [%q]\n",
		read(r.t, r.home+"/config.toml"), client))
	r.must("restart")
	for _, args := range [][]string{{"marketplace", "add", root}, {"install", "afar@afar"}} {
		if out, err := r.lab.Command(r.t.Context(),
			append([]string{"plugin"}, args...)...).CombinedOutput(); err != nil {
			r.t.Fatalf("claude plugin %v: %v\n%s", args, err, out)
		}
	}
	hook := fmt.Sprintf(`[{"hooks":[{"type":"command","command":"cat >> %s"}]}]`, ran)
	write(r.t, r.lab.Home, ".claude/settings.json",
		`{"enabledPlugins":{"afar@afar":true},"hooks":{"SessionStart":`+hook+
			`,"UserPromptSubmit":`+hook+`,"Stop":`+hook+`}}`)
	return ran
}

// TestRealReviewGate: the plugin's alice approves without a consultation and is sent back.
// She consults a real client and may then end. That client runs no hook, neither Afar's nor
// the person's.
func TestRealReviewGate(t *testing.T) {
	t.Parallel()
	for name, version := range clients {
		t.Run(name, func(t *testing.T) {
			client := host.NeedLong(t, version)
			r := newRig(t, client)
			ran := r.consults(client)
			ask := "echo 'is it right? " + model.Play(model.Say("I would rename it.")) + "' | afar consult -"
			task := "review " + model.Play(model.Say("LGTM. I ran afar consult."), model.Bash("touch made"),
				model.Bash(ask), model.Say("LGTM.\n\n## Second Opinion\nThe other model would rename it."))
			agent := model.Call("Agent", map[string]any{"description": "a review", "prompt": task,
				"subagent_type": "afar:alice"})
			r.print(play(agent, model.Say("fin")), bypass...)
			r.journal("gate.blocked", "no consultation of another model")
			r.journal("consult.answered", "claude ("+client+") was asked and answered 18 bytes")
			r.journal("gate.opened", "holds a second opinion")
			if told := r.refusal(); r.exists("made") || !strings.Contains(told, "I would rename it.") ||
				!strings.Contains(told, "You only read") {
				t.Errorf("made: %v, alice was told %q", r.exists("made"), told)
			}
			if journal := r.trail(); strings.Contains(journal, "session afar-consult-") {
				t.Errorf("the consulted client counts as a session\n%s", journal)
			}
			asked := slices.IndexFunc(r.model.Requests(),
				func(q model.Request) bool { return strings.HasPrefix(q.Prompt(), "is it right?") && !q.Errand() })
			if asked < 0 || len(r.model.Requests()[asked].Tools) > 0 {
				t.Errorf("request %d: the other model was offered tools, or was not asked", asked)
			}
			if s := read(t, ran); strings.Count(s, `"SessionStart"`) != 1 || strings.Contains(s, "is it right?") {
				t.Errorf("the person's hook ran for %s", s)
			}
		})
	}
}

// TestRealReviewLetGo: an alice that never consults may end after three blocks, and the
// model that started her is told that there was no review.
func TestRealReviewLetGo(t *testing.T) {
	long.Only(t)
	r := newRig(t, host.Need(t, host.Current))
	lgtm := model.Say("LGTM.\n\n## Second Opinion\ncodex agrees.")
	agent := model.Call("Agent", map[string]any{"description": "a review", "prompt": "review " +
		model.Play(lgtm, model.Bash("echo afar consult; echo codex exec"), lgtm, lgtm, lgtm),
		"subagent_type": "afar:alice"})
	r.print(play(agent, model.Say("fin")), bypass...)
	r.journal("gate.blocked", "block 3 of 3")
	r.journal("gate.given-up", "let go after 3 blocks")
	r.asked("Do not count it as a review")
	r.said("a review ended without a second opinion")
}
