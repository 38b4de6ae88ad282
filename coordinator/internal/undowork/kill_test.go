//go:build unix

package undowork_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/afar-sh/afar/coordinator/internal/undo"
	"github.com/afar-sh/afar/coordinator/internal/undowork"
	"github.com/afar-sh/afar/coordinator/standin/gitrepo"
	"github.com/afar-sh/afar/coordinator/standin/long"
)

// TestUndoKilled kills the process that restores, several times and also while it writes
// files. The next runs must complete the restore as one run would have done.
func TestUndoKilled(t *testing.T) {
	long.InCI(t)
	if dir := os.Getenv("AFAR_UNDO_CHILD"); dir != "" {
		restoreAlone(t, dir)
		return
	}
	gitrepo.Parallel(t)
	dir, s := branched(t), snapshots(t)
	busy(t, dir)
	for i := range 400 {
		write(t, dir, fmt.Sprintf("many/d%d/f%d", i%20, i), fmt.Sprint("number ", i))
	}
	want := stateOf(t, dir)
	before := taken(t, s, ignored0(dir))
	run(t, dir, "clean", "-q", "-fdx")
	run(t, dir, "reset", "-q", "--hard", "HEAD~1")
	left := after(t, s, before)
	job, err := json.Marshal([]undo.Picture{before, *left})
	if err != nil {
		t.Fatal(err)
	}
	work := t.TempDir()
	write(t, work, "job.json", string(job))
	kills := 0
	// The longer it has lived, the larger the step: on a busy machine it needs seconds.
	for wait := 20 * time.Millisecond; ; wait += wait/4 + time.Duration(5+rand.IntN(25))*time.Millisecond {
		if !survives(t, work, wait) {
			kills++
			continue
		}
		break
	}
	if diff := cmp.Diff(want, stateOf(t, dir)); diff != "" {
		t.Errorf("after %d kills:\n%s", kills, diff)
	}
	if kills < 3 {
		t.Errorf("only %d kills: that proves little", kills)
	}
	t.Logf("%d kills", kills)
}

// survives restores in a child process, and reports whether it ended within the time.
func survives(t *testing.T, work string, wait time.Duration) bool {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run", "^TestUndoKilled$")
	cmd.Env = append(os.Environ(), "AFAR_UNDO_CHILD="+work)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(wait, func() { _ = cmd.Process.Kill() })
	err := cmd.Wait()
	timer.Stop()
	if err != nil && cmd.ProcessState.ExitCode() > 0 {
		t.Fatalf("the child failed: %v", err)
	}
	return err == nil
}

func restoreAlone(t *testing.T, work string) {
	raw, err := os.ReadFile(filepath.Join(work, "job.json"))
	var job []undo.Picture
	if err == nil {
		err = json.Unmarshal(raw, &job)
	}
	if err != nil {
		t.Fatal(err)
	}
	s := undowork.NewKeeper(filepath.Join(work, "snapshots"))
	if p := restore(t, s, job[0], &job[1]); len(p.Newer) > 0 {
		t.Fatalf("newer: %q", p.Newer)
	}
}
