//go:build unix

package land_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/git"
	"github.com/afar-sh/afar/coordinator/internal/land"
	"github.com/afar-sh/afar/coordinator/standin/long"
)

// TestSilentRemote checks that Land gives up on a remote that accepts a connection and
// does not answer, and that nothing has changed then.
func TestSilentRemote(t *testing.T) {
	long.InCI(t)
	parallel(t)
	s := ready(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	run(t, s.dir, "remote", "set-url", "origin", "git://"+l.Addr().String()+"/x")
	before := s.ownState(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	start := time.Now()
	if _, err := ledger.Land(ctx, s.w, s.commit, true); !errors.Is(err, land.ErrPush) ||
		time.Since(start) > 30*time.Second {
		t.Errorf("after %s: %v", time.Since(start), err)
	}
	if now := s.ownState(t); now != before {
		t.Errorf("it was %s and is %s", before, now)
	}
}

// TestAskingRemote checks that a remote that wants a password gets none, and that git
// asks nobody for it.
func TestAskingRemote(t *testing.T) {
	unraced(t)
	s := ready(t)
	asked := filepath.Join(t.TempDir(), "asked")
	write(t, filepath.Dir(asked), "ask", "#!/bin/sh\ntouch "+asked+"\nsleep 60\n")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
		w.WriteHeader(http.StatusUnauthorized)
	}))
	defer server.Close()
	run(t, s.dir, "remote", "set-url", "origin", server.URL+"/x.git")
	run(t, s.dir, "config", "core.askPass", filepath.Dir(asked)+"/ask")
	t.Setenv("SSH_ASKPASS", filepath.Dir(asked)+"/ask")
	t.Setenv("DISPLAY", ":0")
	start := time.Now()
	if _, err := ledger.Land(t.Context(), s.w, s.commit, true); !errors.Is(err, land.ErrPush) ||
		time.Since(start) > 30*time.Second {
		t.Errorf("after %s: %v", time.Since(start), err)
	}
	if _, err := os.Stat(asked); err == nil {
		t.Error("somebody was asked")
	}
	if _, err := ledger.Land(t.Context(), s.w, s.commit, false); err != nil {
		t.Errorf("unpushed: %v", err)
	}
}

// TestPushedFirst checks that a commit that the remote accepted lands here later, if an
// obstacle stopped it.
func TestPushedFirst(t *testing.T) {
	parallel(t)
	s := ready(t)
	write(t, s.bare, "hooks/pre-receive", "#!/bin/sh\necho mine >"+s.dir+"/a.txt\n")
	l, err := ledger.Land(t.Context(), s.w, s.commit, true)
	if !errors.Is(err, git.ErrInTheWay) || !l.Pushed || !strings.Contains(err.Error(), "the remote has it already") {
		t.Fatalf("have %+v: %v", l, err)
	}
	if rev(t, s.bare, "main") != s.commit || rev(t, s.dir, "main") == s.commit || files(t, s.dir)["a.txt"] != "mine\n" {
		t.Error("the result does not agree with the repositories")
	}
	run(t, s.dir, "checkout", "-q", "--", "a.txt")
	if l, err = ledger.Land(t.Context(), s.w, s.commit, true); err != nil || !l.Pushed ||
		rev(t, s.dir, "main") != s.commit {
		t.Fatalf("have %+v: %v", l, err)
	}
}

// TestFetchedTogether checks that loops can fetch from one remote at the same time.
func TestFetchedTogether(t *testing.T) {
	long.InCI(t)
	t.Parallel()
	s := ready(t)
	s.moveRemote(t, "r.txt")
	var wg sync.WaitGroup
	for range 6 {
		wg.Go(func() {
			if _, err := ledger.Land(t.Context(), s.w, s.commit, true); !errors.Is(err, land.ErrDiverged) {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

// TestHangingFilter checks that a filter that never ends is killed with its git, and that
// the next call completes the work.
func TestHangingFilter(t *testing.T) {
	long.InCI(t)
	parallel(t)
	s := ready(t)
	hang := filepath.Join(t.TempDir(), "hang")
	write(t, filepath.Dir(hang), "smudge", "#!/bin/sh\n[ -e "+hang+" ] && { echo $$ >"+hang+"; sleep 300; }\ncat\n")
	run(t, s.dir, "config", "filter.x.smudge", filepath.Dir(hang)+"/smudge")
	write(t, s.dir, ".gitattributes", "z.bin filter=x\n")
	write(t, s.dir, "z.bin", "x\n")
	run(t, s.dir, "add", ".")
	run(t, s.dir, "commit", "-q", "-m", "x")
	write(t, filepath.Dir(hang), "hang", "")
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
			if text, _ := os.ReadFile(hang); len(text) > 0 {
				break
			}
		}
		cancel()
	}()
	start := time.Now()
	if _, err := git.AddWorktree(ctx, s.dir, "i2", ""); !errors.Is(err, context.Canceled) ||
		time.Since(start) > 90*time.Second {
		t.Errorf("after %s: %v", time.Since(start), err)
	}
	if err := os.Remove(hang); err != nil {
		t.Fatal(err)
	}
	w, err := git.AddWorktree(t.Context(), s.dir, "i2", "")
	if err != nil {
		t.Fatal(err)
	}
	head(t, w)
}

// TestFilterEnvironment checks the environment of a repository's filter: it has what the
// filter needs, none of Afar's secrets, and the mark of a session.
func TestFilterEnvironment(t *testing.T) {
	unraced(t)
	s := ready(t)
	log := filepath.Join(t.TempDir(), "log")
	write(
		t, filepath.Dir(log), "smudge",
		"#!/bin/sh\nenv >"+log+"\n(: </dev/tty) 2>/dev/null && echo TERMINAL >>"+log+"\ncat\n",
	)
	run(t, s.dir, "config", "filter.x.smudge", filepath.Dir(log)+"/smudge")
	write(t, s.w.Path, ".gitattributes", "z.bin filter=x\n")
	s.commit = work(t, s.w, "z.bin", "x\n")
	t.Setenv("AFAR_TELEGRAM_TOKEN", "1:secret")
	t.Setenv("GIT_DIR", "/nowhere")
	t.Setenv("SSH_AUTH_SOCK", "/agent")
	if _, err := ledger.Land(t.Context(), s.w, s.commit, false); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"CLAUDECODE=1\n", "SSH_AUTH_SOCK=/agent\n", "HOME=" + os.Getenv("HOME") + "\n"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("it lacks %s", want)
		}
	}
	for _, bad := range []string{"AFAR_", "/nowhere", "TERMINAL\n"} {
		if strings.Contains(string(text), bad) {
			t.Errorf("it has %s", bad)
		}
	}
}
