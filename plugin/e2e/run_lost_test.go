//go:build linux

package e2e

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/standin/host"
	"github.com/afar-sh/afar/coordinator/standin/long"
	"github.com/afar-sh/afar/coordinator/standin/model"
)

// TestRealRunLost: a run whose client is killed before it wrote the first line of its transcript, or
// whose transcript is removed later, begins its conversation anew with the same text.
func TestRealRunLost(t *testing.T) {
	long.Only(t)
	for _, step := range []string{`"hook_started"`, `"subtype":"init"`} {
		t.Run(strings.Trim(step, `"`), func(t *testing.T) {
			r := newRunRig(t, host.Current)
			r.startRun("lost", play(model.Say("survived")))
			r.killAgentAt(step)
			if end := r.becameRun("lost", "idle"); end.Result != "survived" {
				t.Errorf("at the end: %+v\n%s", end, r.must("run", "log", "lost"))
			}
		})
	}
	t.Run("later", func(t *testing.T) {
		r := newRunRig(t, host.Current)
		r.startRun("lost", play(model.Say("first")))
		r.becameRun("lost", "idle")
		files, err := filepath.Glob(filepath.Join(r.lab.Home, ".claude", "projects", "*", "*.jsonl"))
		if err != nil || len(files) == 0 {
			t.Fatalf("transcripts: %q, %v", files, err)
		}
		for _, file := range files {
			if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
		}
		r.must("run", "send", "lost", play(model.Say("second")))
		r.awaitRun("lost", "second")
	})
}

// killAgentAt kills the client of the first turn as soon as its output has a text.
func (r *rig) killAgentAt(text string) {
	r.t.Helper()
	for end := time.Now().Add(within); ; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			r.t.Fatalf("the client never prints %s", text)
		}
		out, _ := filepath.Glob(filepath.Join(r.home, "state", "runs", "*", "1.out"))
		locks, _ := filepath.Glob(filepath.Join(r.home, "state", "conversations", "*.lock"))
		if len(out) == 0 || len(locks) == 0 {
			continue
		}
		said, _ := os.ReadFile(out[0])
		if !strings.Contains(string(said), text) {
			continue
		}
		held, err := os.ReadFile(locks[0])
		if err != nil {
			r.t.Fatal(err)
		}
		fields := strings.Fields(string(held))
		if len(fields) < 3 {
			r.t.Fatalf("the lock says %q", held)
		}
		pid, err := strconv.Atoi(fields[2])
		if err == nil {
			err = syscall.Kill(pid, syscall.SIGKILL)
		}
		if err != nil {
			r.t.Fatal(err)
		}
		return
	}
}
