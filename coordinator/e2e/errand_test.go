package e2e

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/standin/botapi"
	"github.com/afar-sh/afar/coordinator/standin/long"
	"github.com/afar-sh/afar/coordinator/wire"
)

var killIssues = flag.Int("kill-issue-every", 41,
	"the test that kills the coordinator at the errands of an issue does so at each n-th program that it starts")

// deadlyReviewer is a stand-in for a reviewer, like deadlyGit for git. It answers with the
// text of a file.
const deadlyReviewer = `#!/bin/sh
cat >"$DIR/asked"
cat "$DIR/asked" >>"$DIR/all"
if [ "$(cat "$DIR/at")" != 0 ]; then
	n=$(($(cat "$DIR/n") + 1))
	echo $n > "$DIR/n"
	[ $n = "$(cat "$DIR/at")" ] && kill -9 $PPID && exit 1
fi
. "$DIR/says"
`

// The answers of reviewers.
const (
	approves = `grep '^AFAR-VERDICT .* APPROVED$' "$DIR/asked"`
	rejects  = `echo "gate.go:3 still squeaks, and AKIAIOSFODNN7EXAMPLQ stands in it"; ` +
		`grep '^AFAR-VERDICT .* CHANGES_REQUESTED$' "$DIR/asked"`
	hangs = `touch "$DIR/hangs"; exec sleep 600`
)

// issueRig is a repository with issues, a remote and a reviewer.
type issueRig struct {
	*undoRig
	remote string
}

// newIssueRig is for tests of CI alone: each of them lands commits with a real git for many seconds.
func newIssueRig(t *testing.T, settings string) *issueRig {
	t.Helper()
	long.InCI(t)
	r := &issueRig{undoRig: newUndoRig(t)}
	r.remote = filepath.Join(r.dir, "remote.git")
	reviewer := filepath.Join(r.dir, "codex")
	if err := os.WriteFile(reviewer, []byte(strings.ReplaceAll(deadlyReviewer, "$DIR", r.dir)), 0o700); err != nil {
		t.Fatal(err)
	}
	r.says(approves)
	if !strings.Contains(settings, "[consult]") {
		settings += fmt.Sprintf("\n[consult]\nprograms = [%q]\ntimeout = \"10s\"\n", reviewer)
	}
	r.sets(t, settings)
	r.git("config", "user.name", "Ann")
	r.git("config", "user.email", "ann@example.org")
	r.git("init", "-q", "--bare", "-b", "main", r.remote)
	r.git("remote", "add", "origin", r.remote)
	r.write("README", "a gate\n")
	r.write(".afar/issues/README.md", "Issues.\n")
	r.publish()
	return r
}

// says changes the reviewer's answer.
func (r *issueRig) says(what string) {
	r.file(filepath.Join(r.dir, "says"), strings.ReplaceAll(what, "$DIR", r.dir)+"\n")
}

func (r *issueRig) file(path, text string) {
	r.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		r.t.Fatal(err)
	}
}

// write writes a file in the person's checkout.
func (r *issueRig) write(name, text string) { r.file(filepath.Join(r.project, name), text) }

func (r *issueRig) read(name string) string {
	raw, _ := os.ReadFile(filepath.Join(r.project, name))
	return string(raw)
}

func (r *issueRig) exists(name string) bool {
	_, err := os.Lstat(filepath.Join(r.project, name))
	return err == nil
}

// publish commits and pushes the person's files. A commit that meets one of Afar's is made
// again, as a person would.
func (r *issueRig) publish() {
	r.t.Helper()
	r.git("add", "README", ".afar/issues")
	out, err := r.tryGit("commit", "-qm", "the person's")
	for range 20 {
		if err == nil || !strings.Contains(out, "cannot lock ref") {
			break
		}
		r.follows()
		out, err = r.tryGit("commit", "-qm", "the person's")
	}
	if err != nil {
		r.t.Fatalf("commit: %v\n%s", err, out)
	}
	r.git("push", "-q", "-u", "origin", "main")
}

func (r *issueRig) issue(id string) {
	r.write(".afar/issues/"+id+".md", "# Mend "+id+"\n\nIt squeaks.\n")
	r.publish()
}

// issues runs `afar issue` in the person's checkout.
func (r *issueRig) issues(args ...string) string {
	r.t.Helper()
	cmd := exec.Command(r.bin, append([]string{"issue"}, args...)...)
	cmd.Env, cmd.Dir = r.env, r.project
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.t.Fatalf("afar issue %v: %v\n%s", args, err, out)
	}
	return string(out)
}

func (r *issueRig) status(id string) string {
	for line := range strings.Lines(r.read(".afar/issues/" + id + ".md")) {
		if word, ok := strings.CutPrefix(line, "- status: "); ok {
			return strings.TrimSpace(word)
		}
	}
	return "open"
}

// begins starts a loop over the issues in a session and returns the output of its first
// stop.
func (r *issueRig) begins(session string, args ...string) string {
	r.t.Helper()
	r.hook("SessionStart", r.session(session, "begin").with(payload{"source": "startup"}))
	r.afar(append([]string{"loop", "start", "--session", session}, args...)...)
	return r.stop(session, "ready")
}

const completed = "It is done.\n<loop-done>COMPLETE</loop-done>"

// stop ends a turn and returns the output of the Stop hook.
func (r *issueRig) stop(session, message string) string {
	r.t.Helper()
	return r.hook("Stop", r.session(session, "").with(payload{"last_assistant_message": message}))
}

func (r *issueRig) stopping(session, message string) *hookRun {
	return r.start("Stop", r.session(session, "").with(payload{"last_assistant_message": message}),
		"CLAUDE_CODE_SESSION_ATTENDED=1", r.client)
}

// work commits a file in the worktree of an issue, as the session does.
func (r *issueRig) work(id, file, text string) {
	r.t.Helper()
	tree := ".worktrees/afar/" + id
	r.write(tree+"/"+file, text)
	r.git("-C", tree, "add", "-A")
	r.git("-C", tree, "commit", "-qm", "mend "+id)
}

func (r *issueRig) loop(session string) (l wire.Loop) {
	r.t.Helper()
	r.call(wire.OpLoop, wire.Named{ID: session}, &l)
	return l
}

// phase waits until the loop of a session is in a phase.
func (r *issueRig) phase(session, phase string) {
	r.t.Helper()
	for range 200 {
		l := r.loop(session)
		if len(l.Stack) > 0 && l.Stack[0].Issue != nil && l.Stack[0].Issue.Phase == phase {
			return
		}
		r.follows()
	}
	r.t.Fatalf("never in phase %s: %+v\n%s", phase, r.loop(session), r.trail())
}

// ends checks that the loop has ended with a verdict.
func (r *issueRig) ends(session, verdict string) {
	r.t.Helper()
	for range 100 {
		if l := r.loop(session); !l.Active {
			if l.Verdict != verdict {
				r.t.Errorf("ended as %s (%s), want %s", l.Verdict, l.Note, verdict)
			}
			return
		}
		r.follows()
	}
	r.t.Errorf("the loop goes on: %+v\n%s", r.loop(session), r.trail())
}

// page waits until the session's loop.md contains a text.
func (r *issueRig) page(session, text string) {
	r.t.Helper()
	name := filepath.Join(r.dirs.Sessions(), r.loop(session).ID, "loop.md")
	for deadline := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		raw, err := os.ReadFile(name)
		if strings.Contains(string(raw), text) {
			return
		}
		if time.Now().After(deadline) {
			r.t.Fatalf("no %q in %s: %v\n%s", text, name, err, raw)
		}
	}
}

// told waits for a message on the phone.
func (r *issueRig) told(text string) {
	r.t.Helper()
	r.await(text, func(m botapi.Message) bool { return strings.Contains(m.Text, text) })
}

func (r *issueRig) topic(id string) string { return r.afar("read", "issue:"+id) }

// wants checks that got contains the texts.
func (r *issueRig) wants(got string, texts ...string) {
	r.t.Helper()
	for _, text := range texts {
		if !strings.Contains(got, text) {
			r.t.Errorf("no %q in:\n%s\n%s", text, got, r.trail())
		}
	}
}

// reviews returns how often the reviewer was asked.
func (r *issueRig) reviews() int {
	raw, _ := os.ReadFile(filepath.Join(r.dir, "all"))
	return strings.Count(string(raw), "You review one commit.")
}

// whole checks that the repository is sound, that the base equals its remote, and that the
// person's files are unchanged.
func (r *issueRig) whole() {
	r.t.Helper()
	r.git("fsck", "--no-dangling", "--connectivity-only")
	if here, there := r.git("rev-parse", "main"), r.remoteMain(); here != there {
		r.t.Errorf("main is at %s, its remote at %s", here, there)
	}
	r.afar("audit", "verify")
}

func (r *issueRig) remoteMain() string {
	out, err := exec.Command("git", "-C", r.remote, "rev-parse", "main").Output()
	if err != nil {
		r.t.Fatal(err)
	}
	return string(out)
}

const push = "[issues]\npush = true\n"

// TestIssueTwoLoops: two sessions of one repository take different issues, and both land.
// The second one is rebased on the first, and its check and review run again.
func TestIssueTwoLoops(t *testing.T) {
	t.Parallel()
	r := newIssueRig(t, push)
	r.issue("a1")
	r.issue("b2")
	check := "echo run >>" + filepath.Join(r.dir, "checks") + "; ls mended-*"
	r.wants(r.begins("one", "--check", check), "Issue a1 is yours", ".worktrees/afar/a1")
	r.wants(r.begins("two", "--check", check), "Issue b2 is yours", ".worktrees/afar/b2")
	r.work("a1", "mended-a1", "1\n")
	r.work("b2", "mended-b2", "2\n")
	if out := r.stop("one", completed); strings.Contains(out, "decision") {
		t.Errorf("the first goes on: %s", out)
	}
	r.ends("one", "done")
	before := r.reviews()
	if out := r.stop("two", completed); strings.Contains(out, "decision") {
		t.Errorf("the second goes on: %s", out)
	}
	r.ends("two", "done")
	if n := r.reviews() - before; n != 2 {
		t.Errorf("the second was reviewed %d times", n)
	}
	if raw, _ := os.ReadFile(filepath.Join(r.dir, "checks")); strings.Count(string(raw), "run") != 3 {
		t.Errorf("%d checks ran, want one for the first and two for the second", strings.Count(string(raw), "run"))
	}
	for _, id := range []string{"a1", "b2"} {
		if !r.exists("mended-"+id) || r.status(id) != "closed" || r.exists(".worktrees/afar/"+id) {
			t.Errorf("%s has not landed, or left something", id)
		}
		r.told("LANDED: issue " + id)
	}
	r.whole()
}

// TestIssueRejected: the third rejection ends an issue. Nothing lands, its work is kept, the
// findings become a new issue, and the loop continues.
func TestIssueRejected(t *testing.T) {
	t.Parallel()
	r := newIssueRig(t, push)
	r.issue("a1")
	r.issue("b2")
	r.says(rejects)
	r.begins("s")
	tip := r.git("rev-parse", "main")
	for n := 1; n <= 3; n++ {
		r.work("a1", "gate", fmt.Sprint(n))
		out := r.stop("s", completed)
		if n < 3 {
			r.wants(out, fmt.Sprintf("Changes requested, %d of 3", n), "gate.go:3 still squeaks", ".worktrees/afar/a1")
			r.page("s", "review: rejected")
			if now := r.git("rev-parse", "main"); now != tip {
				t.Fatalf("something landed after %d reviews that said no", n)
			}
		} else {
			r.wants(out, "Issue b2 is yours")
		}
	}
	r.told("PAUSED: issue a1")
	r.wants(r.topic("a1"), "[loop] REJECTED", "[loop] PAUSED")
	log := r.afar("log")
	r.wants(log, "issue a1 REJECTED: rejected", "still squeaks")
	for where, text := range map[string]string{"journal": log, "topic": r.topic("a1"),
		"tracker": r.issues("show", "a1")} {
		if strings.Contains(text, "AKIAIOSFODNN7EXAMPLQ") {
			t.Errorf("a secret of the findings stands in the %s", where)
		}
	}
	for range 100 {
		if r.status("a1") == "paused" {
			break
		}
		r.follows()
	}
	if r.status("a1") != "paused" || r.exists("gate") || !r.exists(".worktrees/afar/a1/gate") {
		t.Errorf("a1 is %s; its work landed, or is gone\n%s", r.status("a1"), r.trail())
	}
	r.wants(r.read(".afar/issues/a1.md"), "3 reviews rejected it", "afar/issue/a1")
	r.git("rev-parse", "--verify", "refs/heads/afar/issue/a1")
	r.wants(r.issues("list"), "Mend what the review of a1 found")
	if ready := r.issues("ready"); strings.Contains(ready, "review of a1") {
		t.Errorf("what was found waits for a1, but is ready:\n%s", ready)
	}
	r.says(approves)
	r.work("b2", "other", "x\n")
	r.stop("s", completed)
	r.ends("s", "done")
	if l := r.loop("s"); l.Proven || l.Stack[0].Issue.Landed != 1 || l.Stack[0].Issue.Left != 1 {
		t.Errorf("%+v", l)
	}
	r.whole()
}

// TestIssueNobodyReviews: nothing lands without a reviewer.
func TestIssueNobodyReviews(t *testing.T) {
	t.Parallel()
	r := newIssueRig(t, "[consult]\nprograms = [\"/nowhere/codex\"]\n")
	r.issue("a1")
	r.begins("s")
	r.work("a1", "gate", "x\n")
	r.stop("s", completed)
	r.ends("s", "stuck")
	r.told("nobody can review it")
	if r.exists("gate") || !r.exists(".worktrees/afar/a1/gate") {
		t.Error("it landed, or its work is gone")
	}
}
