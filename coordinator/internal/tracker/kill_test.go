package tracker

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/standin/long"
)

// writerVar is the variable that makes this program write issues until it is killed.
const writerVar = "TRACKER_TEST_WRITER"

// write adds notes to an issue and makes others. It prints each when it is done.
func write(top string) {
	f := newFiles(top)
	ctx := context.Background()
	for n := 0; ; n++ {
		note := fmt.Sprintf("note %d-%d.", os.Getpid(), n)
		if err := f.Set(ctx, "one", StatusOpen, note); err != nil {
			fmt.Println("failed:", err)
			return
		}
		fmt.Println(note)
		made, err := f.New(ctx, Draft{Title: "new", Body: strings.Repeat("text ", 2000)})
		if err != nil {
			fmt.Println("failed:", err)
			return
		}
		fmt.Println(made.ID)
	}
}

// TestKilledWriter kills a writer at a random moment, several times. Every file must be
// complete, and everything that was printed as done must be there.
func TestKilledWriter(t *testing.T) {
	long.InCI(t)
	top := project(t, map[string]string{"one.md": "# one\n"})
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var done []string
	for round := range 15 {
		cmd := exec.CommandContext(t.Context(), self)
		cmd.Env = append(os.Environ(), writerVar+"="+top)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for range 2 {
			lines.Scan()
			done = append(done, lines.Text())
		}
		time.AfterFunc(time.Duration(round)*700*time.Microsecond, func() { _ = cmd.Process.Kill() })
		for lines.Scan() {
			done = append(done, lines.Text())
		}
		_ = cmd.Wait()
	}
	wantDone(t, top, done)
	made, err := newFiles(top).New(t.Context(), Draft{Title: "after"})
	if err != nil {
		t.Fatalf("a killed writer is in the way: %v", err)
	}
	if _, err := os.Lstat(filepath.Join(top, filepath.FromSlash(issuesDir), ".new")); err == nil {
		t.Errorf("after %s what was not finished is left", made.ID)
	}
}

func wantDone(t *testing.T, top string, done []string) {
	t.Helper()
	listed, err := newFiles(top).List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	one, err := pick(listed, "one")
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range listed {
		if i.Broken != "" {
			t.Error(i.Broken)
		}
	}
	for _, d := range done {
		_, err := pick(listed, d)
		if !strings.Contains(one.Body, d) && err != nil {
			t.Errorf("%q was done and is lost", d)
		}
	}
	if len(done) < 30 {
		t.Errorf("only %d were done", len(done))
	}
}
