//go:build unix

package e2e

import (
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/standin/host"
	"github.com/afar-sh/afar/coordinator/standin/long"
	"github.com/afar-sh/afar/coordinator/standin/model"
)

// alice is an agent that the guard only lets read, whatever its tools and permissions.
const alice = `---
name: alice
description: gives a second opinion
---
You give a second opinion.
`

// TestRealReadsOnly: a read-only agent can read but change nothing, even in a session that
// may do everything.
func TestRealReadsOnly(t *testing.T) {
	long.Only(t)
	t.Parallel()
	for name, version := range clients {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, host.NeedLong(t, version))
			write(t, r.lab.Project, ".claude/agents/alice.md", alice)
			write(t, r.lab.Project, "seen.txt", "what is to be read\n")
			task := "look " + model.Play(model.Bash("touch made"), model.Bash("cat seen.txt | head -1"),
				model.Call("Write", map[string]any{"file_path": r.lab.Project + "/made", "content": "x"}),
				model.Say("## Second Opinion\nfine"))
			agent := model.Call("Agent", map[string]any{"description": "an opinion", "prompt": task,
				"subagent_type": "alice"})
			r.print(play(agent, model.Bash("touch main"), model.Say("fin")), bypass...)
			told := r.refusal()
			if r.exists("made") || strings.Count(told, "You only read") < 2 ||
				!strings.Contains(told, "what is to be read") {
				t.Errorf("made: %v, the agent was told %q\n%s", r.exists("made"), told, r.trail())
			}
			if !r.exists("main") {
				t.Errorf("the main agent was held as well\n%s", told)
			}
			r.journal("guard.denied", "agent.reads")
		})
	}
}

// TestRealDenyLoop: the third denial of a rule in a turn tells the model to stop, and tells
// the person once.
func TestRealDenyLoop(t *testing.T) {
	long.Only(t)
	r := newRig(t, host.Need(t, host.Current))
	push := func(extra string) model.Turn { return model.Bash("git push --force origin main" + extra) }
	r.print(play(push(""), push(" -q"), push(" -v"), push(" --tags"), push(" --progress"), push(" --no-verify"),
		model.Say("fin")), bypass...)
	told := r.refusal()
	// a busy coordinator may miss one
	if !strings.Contains(told, "refusal number") || strings.Contains(told, "refusal number 2") {
		t.Errorf("the model was told %q", told)
	}
	r.said("tried git.push-force-main 3 times")
	r.journal("guard.loop", "told to stop trying")
	if n := strings.Count(r.phone(), "tried git.push-force-main"); n != 1 {
		t.Errorf("the person was told %d times", n)
	}
}

// TestRealPolicy: a project's rule works in the terminal client, which reports a broken file
// before the first prompt.
func TestRealPolicy(t *testing.T) {
	t.Parallel()
	t.Run("rule", func(t *testing.T) {
		r := newRig(t, host.Need(t, host.Current))
		write(t, r.lab.Project, "guard.toml", "[[rule]]\nid = 'team.made'\nverdict = 'deny'\nwhy = 'w'\n"+
			"instead = 'Make it elsewhere.'\ncommand = 'touch made'\n")
		r.print(play(model.Bash("touch made"), model.Bash("echo > guard.toml"), model.Bash("touch made"),
			model.Say("fin")), bypass...)
		told := r.refusal() // each turn repeats what came before
		if r.exists("made") || !strings.Contains(told, "Leave Afar and its settings alone") ||
			!strings.Contains(told, "Make it elsewhere.") {
			t.Errorf("the model was told %q", told)
		}
	})
	t.Run("broken", func(t *testing.T) {
		r := newRig(t, host.Need(t, host.Current))
		write(t, r.lab.Project, "guard.toml", "nonsense = 1\n")
		term := r.lab.Terminal("--permission-mode", "default")
		term.Await("guard's policy is broken", within)
		r.said("guard's policy is broken")
		r.journal("policy.broken", `line 1: unknown key "nonsense"`)
	})
}
