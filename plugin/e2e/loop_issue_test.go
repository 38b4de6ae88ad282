//go:build unix

package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/standin/host"
	"github.com/afar-sh/afar/coordinator/standin/long"
	"github.com/afar-sh/afar/coordinator/standin/model"
)

// approving is a reviewer that approves every change.
const approving = "#!/bin/sh\ngrep '^AFAR-VERDICT .* APPROVED$'\n"

// TestRealLoopIssue: after /loop without a task the session works through the project's
// issues, and its commits in their worktrees land and are pushed.
func TestRealLoopIssue(t *testing.T) {
	r := newRig(t, host.Need(t, host.Oldest), "Bash") // the current one: TestRealLoopIssueEsc
	r.issues("b2", "c3")
	r.model.Script(committing("b2", "c3"))
	r.print("/afar:loop --check 'ls *.txt'")
	r.landed("b2", "c3")
}

// issues makes the project a repository with a remote, issues and a reviewer that approves.
func (r *rig) issues(ids ...string) {
	r.t.Helper()
	reviewer := filepath.Join(r.home, "codex")
	write(r.t, r.home, "codex", approving)
	if err := os.Chmod(reviewer, 0o700); err != nil {
		r.t.Fatal(err)
	}
	const config = "[telegram]\napi = %q\n[consult]\nprograms = [%q]\n[issues]\npush = true\n"
	write(r.t, r.home, "config.toml", fmt.Sprintf(config, r.bot.URL(), reviewer))
	r.must("restart")
	for _, id := range ids {
		write(r.t, r.lab.Project, ".afar/issues/"+id+".md", "# Write "+id+"\n\nA file "+id+".txt is wanted.\n")
	}
	bare := filepath.Join(r.home, "remote.git")
	r.git("init", "-q", "--bare", "-b", "main", bare)
	r.git("init", "-q", "-b", "main")
	r.git("config", "user.name", "Ann")
	r.git("config", "user.email", "ann@example.org")
	r.git("remote", "add", "origin", bare)
	r.git("add", ".afar")
	r.git("commit", "-qm", "begin")
	r.git("push", "-q", "-u", "origin", "main")
}

func (r *rig) git(args ...string) string {
	r.t.Helper()
	cmd := exec.Command("git", append([]string{"-C", r.lab.Project}, args...)...)
	cmd.Env = []string{"HOME=" + r.lab.Home, "PATH=" + os.Getenv("PATH")}
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// committing returns a session that does the last issue that it was given.
func committing(ids ...string) func(model.Request) model.Turn {
	return func(q model.Request) model.Turn {
		for _, id := range ids {
			if q.Has("Issue "+id+" is yours") && !q.Has("committed "+id) {
				return model.Bash(fmt.Sprintf(`cd .worktrees/afar/%[1]s && echo %[1]s >%[1]s.txt && `+
					`git add %[1]s.txt && git commit -qm 'write %[1]s' && echo commi""tted %[1]s`, id))
			}
		}
		return model.Say("It is done.\n<loop-done>COMPLETE</loop-done>")
	}
}

// landed waits for the end of the loop and checks that the issues have landed.
func (r *rig) landed(ids ...string) {
	r.t.Helper()
	r.said("LANDED: issue " + ids[0]) // the others come together, a minute later
	for _, id := range ids {
		r.journal("issue.landed", "issue "+id+" LANDED")
	}
	r.said("Loop done (proven)")
	r.journal("loop.ended", "done")
	for _, id := range ids {
		text := read(r.t, filepath.Join(r.lab.Project, ".afar/issues/"+id+".md"))
		if !strings.Contains(text, "status: closed") {
			r.t.Errorf("issue %s:\n%s", id, text)
		}
		if !r.exists(id+".txt") || r.exists(".worktrees/afar/"+id) {
			r.t.Errorf("%s.txt has not landed, or its worktree is still there", id)
		}
	}
	if here, there := r.git("rev-parse", "main"), r.git("rev-parse", "origin/main"); here != there {
		r.t.Errorf("main is %s and its remote %s", here, there)
	}
	if left := r.git("status", "--porcelain"); strings.Contains(left, "worktrees") {
		r.t.Errorf("the checkout shows:\n%s", left)
	}
}

// TestRealLoopIssueEsc: after Esc during a review, which follows a check, the terminal is
// free at once. The review continues, and the session gets the next issue when it stops.
func TestRealLoopIssueEsc(t *testing.T) {
	long.Only(t)
	r := newRig(t, host.Need(t, host.Current), "Bash")
	r.issues("b2", "c3")
	gate := filepath.Join(r.home, "go")
	write(t, r.home, "codex", strings.Replace(approving, "grep",
		"until [ -e "+gate+" ]; do sleep 0.1; done; exec grep", 1))
	work := committing("b2", "c3")
	r.model.Script(func(q model.Request) model.Turn {
		if strings.Contains(q.Prompt(), "what time is it") && !q.Has("Issue c3 is yours") {
			return model.Say("late")
		}
		return work(q)
	})
	term := r.lab.Terminal()
	term.Submit("/afar:loop --check 'ls *.txt'")
	term.Await("waiting for your phone", within)
	r.journal("loop.checked", "green")
	r.journal("loop.stepped", "has issue b2 reviewed")
	term.Keys("Escape")
	write(t, r.home, "go", "")
	r.journal("loop.issue", "issue c3 PICKED")
	term.Submit("what time is it")
	r.landed("b2", "c3")
	if !r.model.Turns()[len(r.model.Turns())-1].Has("Issue c3 is yours") {
		t.Error("the session never heard of the next issue")
	}
}
