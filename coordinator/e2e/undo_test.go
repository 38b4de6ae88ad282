package e2e

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/afar-sh/afar/coordinator/standin/botapi"
	"github.com/afar-sh/afar/coordinator/standin/long"
	"github.com/afar-sh/afar/coordinator/wire"
)

var killUndos = flag.Int("kill-undo-every", 29,
	"the test that kills the coordinator at its calls of git does so at each n-th")

// deadlyGit is a program that wraps git. At the call whose number is in a file, it kills its
// caller if that is the coordinator, before or after it runs git. It can also wait at that
// call until a file appears.
const deadlyGit = `#!/bin/sh
IFS= read -r caller < /proc/$PPID/cmdline # its zeros are left out
case $caller in *afarserve*)
	read -r n < "$DIR/n"; n=$((n + 1)); echo $n > "$DIR/n"
	read -r at < "$DIR/at"
	if [ $n = $at ] && [ -e "$DIR/holds" ]; then
		: > "$DIR/held"
		until [ -e "$DIR/go" ] || [ ! -d "$DIR" ]; do sleep 0.02; done
	elif [ $n = $at ]; then
		[ $((n % 2)) = 0 ] && "$GIT" "$@" > /dev/null
		kill -9 $PPID
		exit 1
	fi
esac
exec "$GIT" "$@"
`

// undoRig is a phone, a repository, and a git that kills.
type undoRig struct {
	*phone
	dir    string // directory of the counter
	client string
}

func newUndoRig(t *testing.T) *undoRig {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("who called git is read from /proc")
	}
	real, err := exec.LookPath("git")
	if err != nil {
		t.Skip("no git")
	}
	dir := t.TempDir()
	script := strings.NewReplacer("$DIR", dir, "$GIT", real).Replace(deadlyGit)
	if err := os.WriteFile(filepath.Join(dir, "git"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	r := &undoRig{dir: dir}
	r.aimAt(t, 0)
	r.phone = newPhoneWith(t, dir+":"+os.Getenv("PATH"))
	r.sets(t, "")
	r.client = "CLAUDE_PID=" + strconv.Itoa(bystander(t))
	r.git("init", "-q", "-b", "main")
	r.git("-c", "user.name=A", "-c", "user.email=a@x.example", "commit", "-q", "--allow-empty", "-m", "one")
	return r
}

// sets starts the coordinator again with these settings and without a wall: git could not kill its caller from behind one.
func (r *undoRig) sets(t *testing.T, settings string) {
	t.Helper()
	all := fmt.Sprintf("[telegram]\napi = %q\n[runs]\nwall = \"off\"\n", r.bot.URL()) + settings
	if err := os.WriteFile(r.dirs.ConfigFile(), []byte(all), 0o600); err != nil {
		t.Fatal(err)
	}
	r.afar("restart")
}

// aimAt makes the n-th next call of git kill its caller; 0 means no call.
func (r *undoRig) aimAt(t *testing.T, n int) {
	t.Helper()
	for name, v := range map[string]int{"at": n, "n": 0} {
		if err := os.WriteFile(filepath.Join(r.dir, name), []byte(strconv.Itoa(v)+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// calls returns how often git was called since aimAt.
func (r *undoRig) calls() int {
	raw, _ := os.ReadFile(filepath.Join(r.dir, "n"))
	n, _ := strconv.Atoi(strings.TrimSpace(string(raw)))
	return n
}

func (r *undoRig) git(args ...string) string {
	r.t.Helper()
	out, err := r.tryGit(args...)
	if err != nil {
		r.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return out
}

func (r *undoRig) tryGit(args ...string) (string, error) {
	cmd := exec.Command("git", append([]string{"-C", r.project}, args...)...)
	cmd.Env = r.env
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// hook runs a hook to its end.
func (r *undoRig) hook(event string, in payload) string {
	r.t.Helper()
	out, err := r.start(event, in, "CLAUDE_CODE_SESSION_ATTENDED=1", r.client).wait()
	if err != nil {
		r.t.Fatalf("%s: %v\n%s", event, err, r.trail())
	}
	return out
}

// work returns the files in the directory that the step cleans.
func (r *undoRig) work() string {
	r.t.Helper()
	var b strings.Builder
	all, _ := filepath.Glob(filepath.Join(r.project, "work", "*"))
	hidden, _ := filepath.Glob(filepath.Join(r.project, "work", ".*"))
	for _, name := range append(all, hidden...) {
		raw, err := os.ReadFile(name)
		fmt.Fprintf(&b, "%s %q %v\n", filepath.Base(name), raw, err)
	}
	return b.String()
}

func (r *undoRig) fill(n int) {
	r.t.Helper()
	for i := range 5 {
		name := filepath.Join(r.project, "work", fmt.Sprintf("f%d", i))
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			r.t.Fatal(err)
		}
		if err := os.WriteFile(name, fmt.Appendf(nil, "round %d\n", n), 0o600); err != nil {
			r.t.Fatal(err)
		}
	}
}

// step makes one call, from the guard's question to its end. It is allowed on the phone.
func (r *undoRig) step(n int) (mark string) {
	r.t.Helper()
	mark = fmt.Sprintf("round-%03d", n)
	in := r.session("s", mark).with(payload{"tool_name": "Bash",
		"tool_input": payload{"command": "git clean -fd work # " + mark}})
	if out := r.hook("PreToolUse", in); !strings.Contains(out, `"ask"`) {
		r.t.Fatalf("%s: the guard said %s", mark, out)
	}
	hook := r.start("PermissionRequest", in, "CLAUDE_CODE_SESSION_ATTENDED=1", r.client)
	card := r.current(mark)[0]
	if _, err := r.ann.Tap(card.ID, "Allow"); err != nil {
		r.t.Fatal(err)
	}
	if out, err := hook.wait(); err != nil || !strings.Contains(out, `"allow"`) {
		r.t.Fatalf("%s: the hook printed %q, %v\n%s", mark, out, err, r.trail())
	}
	r.git("clean", "-fdq", "work")
	r.hook("PostToolUse", in.with(payload{"duration_ms": 10}))
	return mark
}

// TestKillUndo kills the coordinator at each of its calls of git, from taking a snapshot to
// the end of restoring it. Each time the work is restored completely, and the repository
// holds nothing of Afar except the listed snapshots.
func TestKillUndo(t *testing.T) {
	long.InCI(t)
	t.Parallel()
	r := newUndoRig(t)
	kills := 0
	for n, at := 0, 1; ; n, at = n+1, at+*killUndos {
		r.fill(n)
		want := r.work()
		r.aimAt(t, at)
		mark := r.step(n)
		if r.work() == want {
			t.Fatal("the step did nothing")
		}
		offered := r.offered(mark)
		r.press(offered.ID, offered.Labels()[0])
		r.ended(mark)
		if diff := cmp.Diff(want, r.work()); diff != "" {
			t.Errorf("killed at call %d:\n%s\n%s", at, diff, r.trail())
		}
		if r.calls() < at {
			break // it went through without a kill
		}
		kills++
	}
	r.checkRefs()
	journal := r.journal()
	if restored := count(journal, "undo.restored"); restored != kills+1 {
		t.Errorf("%d rounds, %d were restored", kills+1, restored)
	}
	r.afar("audit", "verify")
	t.Logf("%d kills; %d calls in the last round", kills, r.calls())
}

// offered waits for the card with the Undo button. It keeps a coordinator alive meanwhile:
// the look at the work after the step may kill it before it has edited the card, and no hook
// would start another one.
func (r *undoRig) offered(mark string) (card botapi.Message) {
	r.t.Helper()
	for range 200 {
		for _, m := range r.showing(mark) {
			if strings.Contains(fmt.Sprint(m.Labels()), "Undo") {
				return m
			}
		}
		r.follows()
	}
	r.t.Fatalf("%s was never offered Undo\n%s", mark, r.trail())
	return card
}

// press taps Undo, and again if the coordinator died while it looked at the work after the
// step.
func (r *undoRig) press(card int, label string) {
	r.t.Helper()
	if _, err := r.ann.Tap(card, strings.Trim(label, "[]")); err != nil {
		r.t.Fatal(err)
	}
}

// ended waits until the snapshot of a step is restored. It keeps a coordinator alive
// meanwhile, like the next hook.
func (r *undoRig) ended(mark string) {
	r.t.Helper()
	for range 200 {
		var all wire.UndosReply
		r.call(wire.OpUndos, nil, &all)
		for _, u := range all.Undos {
			if strings.Contains(u.Input, mark) && u.Undoes == "" && u.State == "restored" {
				return
			}
			if strings.Contains(u.Input, mark) && (u.Failed != "" || len(u.Newer) > 0) {
				r.t.Fatalf("%s: %+v", mark, u)
			}
		}
		r.follows()
	}
	r.t.Fatalf("%s was never restored\n%s", mark, r.trail())
}

// follows waits for the next change.
func (r *undoRig) follows() {
	var log wire.LogReply
	journal := r.journal()
	r.call(wire.OpLog, wire.LogRequest{After: journal[len(journal)-1].Seq, Limit: 1, WaitMS: 300}, &log)
}

// checkRefs compares the refs in the repository with the listed snapshots.
func (r *undoRig) checkRefs() {
	r.t.Helper()
	var all wire.UndosReply
	r.call(wire.OpUndos, nil, &all)
	known := map[string]bool{}
	for _, u := range all.Undos {
		known[u.ID] = true
	}
	for _, name := range strings.Fields(r.git("for-each-ref", "--format=%(refname)", "refs/afar")) {
		if id := strings.Split(name, "/")[3]; !known[id] {
			r.t.Errorf("%s is held and not listed", name)
		}
	}
}
