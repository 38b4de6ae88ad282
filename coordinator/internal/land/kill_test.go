//go:build unix

package land_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/afar-sh/afar/coordinator/internal/git"
	"github.com/afar-sh/afar/coordinator/internal/land"
	"github.com/afar-sh/afar/coordinator/standin/long"
)

var everyKill = flag.Bool("git-kills", false, "kill at every git call in every way, not at a sample of them")

// A job is one operation that a child process does.
type job struct {
	What   string
	W      git.Worktree
	Commit string
	Push   bool
}

func (j job) do(ctx context.Context) (err error) {
	switch j.What {
	case "add":
		_, err = git.AddWorktree(ctx, j.W.Repo, filepath.Base(j.W.Path), "")
	case "commit":
		_, err = j.W.Commit(ctx, "close", "closed.md")
	case "rebase":
		_, err = j.W.Rebase(ctx)
	case "land":
		_, err = ledger.Land(ctx, j.W, j.Commit, j.Push)
	case "remove":
		err = j.W.Remove(ctx)
	}
	return err
}

// A scene is a repository in which an operation is killed.
type scene struct {
	name string
	do   func(t *testing.T, s *site) job
	want error // the result of the operation, whether or not it was killed before
}

func landing(push bool, do step) func(*testing.T, *site) job {
	return func(t *testing.T, s *site) job {
		do(t, s)
		return job{What: "land", W: s.w, Commit: s.commit, Push: push}
	}
}

func scenes() []scene {
	removed := func(t *testing.T, s *site, branch bool) {
		run(t, s.dir, "worktree", "remove", "--force", s.w.Path)
		if !branch {
			run(t, s.dir, "branch", "-q", "-D", s.w.Branch)
		}
	}
	behind := func(t *testing.T, s *site, name string) job {
		write(t, s.dir, name, "of main\n")
		run(t, s.dir, "add", name)
		run(t, s.dir, "commit", "-q", "-m", "of main")
		write(t, s.w.Path, "extra.txt", "x")
		s.commit = work(t, s.w, "more.txt", "more")
		return job{What: "rebase", W: s.w}
	}
	return []scene{
		{"add", func(t *testing.T, s *site) job { removed(t, s, false); return job{What: "add", W: s.w} }, nil},
		{
			"add to a branch",
			func(t *testing.T, s *site) job { removed(t, s, true); return job{What: "add", W: s.w} },
			nil,
		},
		{"commit", func(t *testing.T, s *site) job {
			write(t, s.w.Path, "closed.md", "closed")
			return job{What: "commit", W: s.w}
		}, nil},
		{"rebase", func(t *testing.T, s *site) job { return behind(t, s, "other.txt") }, nil},
		{"rebase into a conflict", func(t *testing.T, s *site) job { return behind(t, s, "a.txt") }, git.ErrConflict},
		{"land", landing(false, func(*testing.T, *site) {}), nil},
		{"land and push", landing(true, func(*testing.T, *site) {}), nil},
		{
			"land where nothing is checked out",
			landing(true, inRepo("checkout", "-q", "-b", "mine")),
			nil,
		},
		{
			"land, and the remote moved",
			landing(true, moveRemote("r.txt")),
			land.ErrDiverged,
		},
		{
			"land, and the remote refuses",
			landing(true, func(t *testing.T, s *site) { write(t, s.bare, "hooks/pre-receive", "#!/bin/sh\nexit 1") }),
			land.ErrPush,
		},
		{
			"land, and the remote is gone",
			landing(true, inRepo("remote", "set-url", "origin", "/none.git")),
			land.ErrPush,
		},
		{"land over unpushed work", landing(true, func(t *testing.T, s *site) {
			run(t, s.dir, "commit", "-q", "--allow-empty", "-m", "mine")
			run(t, s.w.Path, "rebase", "-q", "main")
			s.commit = head(t, s.w)
		}), land.ErrAhead},
		{"remove", func(t *testing.T, s *site) job {
			if _, err := ledger.Land(t.Context(), s.w, s.commit, false); err != nil {
				t.Fatal(err)
			}
			write(t, s.w.Path, "build/out", "ignored")
			return job{What: "remove", W: s.w}
		}, nil},
	}
}

// addOwnWork adds work of the person of each kind that no remote has.
func addOwnWork(t *testing.T, s *site) {
	t.Helper()
	write(t, s.dir, "kept.txt", "stashed")
	run(t, s.dir, "add", "kept.txt")
	run(t, s.dir, "stash", "-q")
	run(t, s.dir, "branch", "-q", "unpushed")
	run(
		t, s.dir, "update-ref", "refs/heads/unpushed",
		run(t, s.dir, "commit-tree", "-p", "main", "-m", "unpushed", "main^{tree}"),
	)
	tree := s.dir + "-theirs"
	run(t, s.dir, "worktree", "add", "-q", tree, "unpushed")
	write(t, tree, "staged.txt", "staged")
	run(t, tree, "add", "staged.txt")
	write(t, tree, "untracked.txt", "untracked")
	write(t, s.dir, "notes.txt", "untracked")
	write(t, s.dir, "build/cache", "ignored")
}

// checkNothingLost compares the person's work with that before.
func (s site) checkNothingLost(t *testing.T, before owned) {
	t.Helper()
	after := s.owned(t)
	if diff := cmp.Diff(before.theirs, after.theirs); diff != "" {
		t.Errorf("their worktree changed:\n%s", diff)
	}
	for name, text := range before.files {
		if after.files[name] != text {
			t.Errorf("%q is %q", name, after.files[name])
		}
	}
	for _, dir := range []string{s.dir, s.bare} {
		reach := run(t, dir, "rev-list", everyRef, "HEAD", "--reflog")
		for _, oid := range strings.Fields(before.commits[dir]) {
			if !strings.Contains(reach, oid) {
				t.Errorf("%s is lost in %s: %s", oid, dir, run(t, s.dir, "log", "-1", "--oneline", oid))
			}
		}
	}
}

// everyRef is --all without the HEAD of each worktree: git that was killed while it added a
// worktree may leave one that leads nowhere, and --all then fails.
const everyRef = "--glob=refs/*"

// An owned is the work of the person.
type owned struct {
	theirs  string            // state of the person's own worktree
	files   map[string]string // untracked files in the main checkout
	commits map[string]string // commits that refs reach, by repository
}

func (s site) owned(t *testing.T) owned {
	t.Helper()
	o := owned{
		theirs:  theirsOnly(stateOf(t, s.dir+"-theirs")),
		files:   map[string]string{},
		commits: map[string]string{},
	}
	have := files(t, s.dir)
	for _, name := range []string{"notes.txt", "build/cache"} {
		o.files[name] = have[name]
	}
	for _, dir := range []string{s.dir, s.bare} {
		o.commits[dir] = run(t, dir, "rev-list", everyRef, "HEAD")
	}
	return o
}

// theirsOnly returns the files, the index and the stash of a state.
func theirsOnly(text string) string {
	head, rest, _ := strings.Cut(text, "for-each-ref:")
	_, stash, _ := strings.Cut(rest, "stash:")
	return head + stash
}

// end returns the state after an operation. It is the same whether or not the operation
// was killed before.
func (s site) end(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(
		&b, "main\n%s\n%s\nbare %s\n", run(t, s.dir, "ls-tree", "-r", "main"),
		run(t, s.dir, "status", "--porcelain", "--ignored"), run(t, s.bare, "ls-tree", "-r", "main"),
	)
	fmt.Fprintf(&b, "%s\n", run(t, s.dir, "for-each-ref", "--format=%(refname)", "refs/heads"))
	for line := range strings.Lines(run(t, s.dir, "worktree", "list", "--porcelain") + "\n") {
		if !strings.HasPrefix(line, "HEAD ") {
			b.WriteString(line)
		}
	}
	if _, err := os.Stat(s.w.Path); err == nil {
		fmt.Fprintf(
			&b, "%s\n%s\n", run(t, s.w.Path, "ls-tree", "-r", "HEAD"),
			run(t, s.w.Path, "status", "--porcelain", "--branch", "--ignored"),
		)
	}
	for _, pattern := range []string{
		".worktrees/afar/.*",
		".git/afar.*",
		".git/*.lock",
		".git/worktrees/*/*.lock",
		".git/worktrees/*/afar.*",
		".git/worktrees/*/rebase-*",
		".git/refs/heads/*.lock",
		".git/refs/heads/afar/issue/*.lock",
		".git/refs/afar/landed/*.lock",
	} {
		names, _ := filepath.Glob(filepath.Join(s.dir, pattern))
		for _, n := range names {
			if filepath.Base(n) != "afar.lock" {
				fmt.Fprintf(&b, "left: %s\n", n)
			}
		}
	}
	return b.String()
}

// killer is a git that kills its caller at one of the calls.
const killer = `#!/bin/sh
dir=${0%%/*}
read -r n <"$dir/n"; n=$((n + 1)); echo $n >"$dir/n"
read -r at how wait <"$dir/at"
[ $n = "$at" ] || exec %[1]s "$@"
case $how in
before) kill -9 $PPID ;;
after) %[1]s "$@"; kill -9 $PPID ;;
orphan) kill -9 $PPID; exec %[1]s "$@" ;;
during) exec 3<&0; %[1]s "$@" <&3 & sleep "$wait"; kill -9 $PPID; kill -9 0 ;;
esac
`

// TestKilled kills each operation at a git call: before it, in its middle, after it, or
// while git goes on alone. The same call must then complete the operation, and the
// person must lose nothing meanwhile.
func TestKilled(t *testing.T) {
	long.InCI(t)
	if text := os.Getenv("AFAR_GIT_CHILD"); text != "" {
		var j job
		if err := json.Unmarshal([]byte(text), &j); err != nil {
			t.Fatal(err)
		}
		if err := j.do(context.Background()); err != nil {
			t.Log(err)
		}
		return
	}
	parallel(t)
	for _, c := range scenes() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			k := newKills(t, c)
			calls := k.runWhole(t)
			for _, p := range plans(calls) {
				if k.repeat(t, p); t.Failed() {
					t.Fatalf("killed %s call %d of %d", p.how, p.at, calls)
				}
			}
		})
	}
}

// TestKilledInTheSystem kills the process that does the operation and each git that it
// runs, at each of their changes to the file system. It needs strace and much time, so it
// runs only with -git-kills.
func TestKilledInTheSystem(t *testing.T) {
	long.InCI(t)
	parallel(t)
	if !*everyKill {
		return
	}
	for _, c := range scenes() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			k := newKills(t, c)
			k.runWhole(t)
			for at := 1; !t.Failed() && k.repeat(t, plan{at: at, how: "system"}); at++ {
				t.Logf("killed at change %d", at)
			}
		})
	}
}

// A plan is one kill.
type plan struct {
	at   int
	how  string
	wait time.Duration
}

func plans(calls int) (list []plan) {
	for at := 1; at <= calls; at++ {
		for _, how := range []string{"before", "after", "during", "orphan"} {
			list = append(list, plan{at, how, time.Duration(rand.IntN(12)) * time.Millisecond})
		}
	}
	if *everyKill {
		return list
	}
	rand.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list[:1]
}

// kills repeats one scene with different kills.
type kills struct {
	scene
	site
	job    job
	bin    string
	before owned
	want   string
}

func newKills(t *testing.T, c scene) *kills {
	t.Helper()
	k := &kills{scene: c, site: ready(t), bin: t.TempDir()}
	real, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	write(t, k.bin, "git", fmt.Sprintf(killer, real))
	addOwnWork(t, &k.site)
	k.job = c.do(t, &k.site)
	k.before = k.owned(t)
	for _, dir := range k.places() {
		clone(t, dir, dir+".kept")
	}
	return k
}

func (k *kills) places() []string { return []string{k.dir, k.bare, k.dir + "-theirs"} }

func clone(t *testing.T, from, to string) {
	t.Helper()
	if out, err := exec.Command("cp", "-a", from, to).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

// runWhole runs the operation without a kill and counts its git calls.
func (k *kills) runWhole(t *testing.T) (calls int) {
	t.Helper()
	if !k.child(t, plan{}) {
		t.Fatal("it was killed")
	}
	k.want = k.end(t)
	if strings.Contains(k.want, "left:") {
		t.Fatalf("it leaves traces:\n%s", k.want)
	}
	text, err := os.ReadFile(filepath.Join(k.bin, "n"))
	if err == nil {
		calls, err = strconv.Atoi(strings.TrimSpace(string(text)))
	}
	if err != nil {
		t.Fatal(err)
	}
	return calls
}

// repeat runs the scene with one kill, and reports whether strace killed a process.
func (k *kills) repeat(t *testing.T, p plan) bool {
	t.Helper()
	for _, dir := range k.places() {
		if err := os.Rename(dir, filepath.Join(t.TempDir(), "dead")); err != nil {
			t.Fatal(err)
		}
		clone(t, dir+".kept", dir)
	}
	survived := k.child(t, p)
	inGit := p.how == "during" || p.how == "system"
	if survived && !inGit {
		t.Errorf("it was not killed")
	}
	k.checkNothingLost(t, k.before)
	err := k.job.do(t.Context())
	if lock := filepath.Join(k.dir, ".git/index.lock"); inGit && errors.Is(err, git.ErrInTheWay) &&
		strings.Contains(err.Error(), "index.lock") {
		_ = os.Remove(lock) // as the error says
		err = k.job.do(t.Context())
	}
	if inGit && err != nil && strings.Contains(err.Error(), ".lock'") {
		for _, name := range []string{
			"/HEAD.lock",
			"/packed-refs.lock",
			"/refs/heads/main.lock",
			"/refs/remotes/origin/main.lock",
		} {
			_ = os.Remove(k.dir + "/.git" + name)
			_ = os.Remove(k.bare + name)
		}
		t.Log(err)
		err = k.job.do(t.Context())
	}
	if !errors.Is(err, k.scene.want) || (err == nil) != (k.scene.want == nil) {
		t.Errorf("the second time: %v", err)
	}
	if p.how == "system" { // the person removes a lock of a shared file if we cannot know that we made it
		_ = os.Remove(k.dir + "/.git/packed-refs.lock")
	}
	k.checkNothingLost(t, k.before)
	if diff := cmp.Diff(k.want, k.end(t)); diff != "" {
		t.Errorf("it ended elsewhere:\n%s", diff)
	}
	trace, _ := os.ReadFile(filepath.Join(k.bin, "trace"))
	return bytes.Contains(trace, []byte("killed by SIGKILL"))
}

// changing are the system calls that change files.
const changing = "rename,renameat,renameat2,unlink,unlinkat,rmdir,mkdir,mkdirat,link,linkat,symlink,symlinkat," +
	"fsync,ftruncate,chmod,fchmodat"

// child does the job in a child process, and reports whether the process survived.
func (k *kills) child(t *testing.T, p plan) bool {
	t.Helper()
	write(t, k.bin, "n", "0\n")
	write(t, k.bin, "at", fmt.Sprintf("%d %s %.3f\n", p.at, p.how, p.wait.Seconds()))
	if p.how == "system" {
		write(t, k.bin, "at", "0\n")
	}
	text, err := json.Marshal(k.job)
	if err != nil {
		t.Fatal(err)
	}
	args := []string{os.Args[0], "-test.run", "^TestKilled$"}
	if p.how == "system" {
		args = append(
			[]string{
				"strace",
				"-f",
				"-qq",
				"-o",
				filepath.Join(k.bin, "trace"),
				"-e",
				"trace=" + changing,
				"-e",
				fmt.Sprintf("inject=%s:signal=SIGKILL:when=%d", changing, p.at),
			},
			args...)
	}
	cmd := exec.Command(args[0], args[1:]...)
	env := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "PATH=") })
	cmd.Env = append(env, "AFAR_GIT_CHILD="+string(text), "PATH="+k.bin+":"+os.Getenv("PATH"))
	out, err := cmd.Output()
	if err == nil {
		return true
	}
	if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || status.Signal() != syscall.SIGKILL {
		t.Fatalf("the child failed: %v: %s", err, out)
	}
	return false
}
