//go:build linux

package e2e

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/standin/botapi"
	"github.com/afar-sh/afar/coordinator/standin/host"
	"github.com/afar-sh/afar/coordinator/standin/long"
	"github.com/afar-sh/afar/coordinator/standin/model"
	"github.com/afar-sh/afar/coordinator/wire"
)

// parkedRun waits until a run waits for its person without a process.
func (r *rig) parkedRun(name string) wire.Run {
	r.t.Helper()
	for end := time.Now().Add(within); ; time.Sleep(50 * time.Millisecond) {
		got := r.run(name)
		if got.State == "waiting" && got.PID == 0 {
			return got
		}
		if time.Now().After(end) {
			r.t.Fatalf("run %s is %s (%s) with process %d\n%s", name, got.State, got.Why, got.PID, r.trail())
		}
	}
}

// asksTwice is one message with two calls that the guard asks about.
func asksTwice() model.Turn {
	turn := model.Bash(readsRecipe)
	turn.Tools = append(turn.Tools, model.Bash("bash -c \"$(awk 1 other.txt)\"").Tools...)
	return turn
}

// TestRealRunHold: once a run was held, the client keeps the call and its process ends. The
// answer starts the next turn, in which exactly that call is allowed or refused, once.
func TestRealRunHold(t *testing.T) {
	for name, version := range clients {
		t.Run(name, func(t *testing.T) {
			mode := "auto"
			if version == host.Oldest {
				long.Only(t)
				mode = "manual"
			}
			r := newRunRig(t, version)
			r.configure("[runs]\nhold = \"2s\"")
			// Without a repository there is no snapshot, so unseen code is asked about behind the wall too.
			if err := os.RemoveAll(filepath.Join(r.lab.Project, ".git")); err != nil {
				t.Fatal(err)
			}
			write(t, r.lab.Project, "recipe.txt", "echo run >> made\n")
			write(t, r.lab.Project, "other.txt", "echo other >> made\n")
			r.startRun("held", play(asksTwice(), model.Say("fin")), "--mode", mode)
			allowed := r.card("recipe.txt")
			r.noSkipping("held")
			parked := r.parkedRun("held")
			r.kill()
			if again := r.parkedRun("held"); again.Ask != parked.Ask || r.exists("made") {
				t.Errorf("after a restart it waits for %q, before for %q; made: %t", again.Ask, parked.Ask,
					r.exists("made"))
			}
			r.tap(allowed, "Allow")
			end := r.becameRun("held", "idle")
			if n := r.lines("made"); n != 1 || end.Turns != 2 {
				t.Errorf("the calls ran %d times, %+v\n%s", n, end, r.trail())
			}
			r.asked("another call waits for the person first")

			r.must("run", "send", "held", play(model.Bash(readsRecipe), model.Say("refused")))
			denied := r.seen(func(m botapi.Message) bool {
				return m.ID > allowed.ID && strings.Contains(m.Text, "recipe.txt") && len(m.Keyboard) > 0
			}, "another question")
			r.parkedRun("held")
			r.reply(denied, "write it down instead")
			if end := r.becameRun("held", "idle"); end.Turns != 4 || r.lines("made") != 1 {
				t.Errorf("after a no: %+v, the calls ran %d times", end, r.lines("made"))
			}
			r.asked("write it down instead")
		})
	}
}

// noSkipping checks that the agent of a run got no flag and no variable that switches its
// questions off.
func (r *rig) noSkipping(name string) {
	r.t.Helper()
	lock, err := os.ReadFile(filepath.Join(r.home, "state", "conversations", r.run(name).Conversation+".lock"))
	fields := strings.Fields(string(lock))
	if err != nil || len(fields) < 3 {
		r.t.Fatalf("the lock of the conversation: %q, %v", lock, err)
	}
	pid, _ := strconv.Atoi(fields[2])
	for _, of := range []string{"cmdline", "environ"} {
		raw, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), of))
		if err != nil || len(raw) == 0 {
			r.t.Errorf("%s of the agent: %v", of, err)
		}
		for entry := range strings.SplitSeq(string(raw), "\x00") {
			low := strings.ToLower(entry)
			for _, bad := range []string{"skip-perm", "skip_perm", "dangerously", "bypasspermissions", "yolo",
				"dontask"} {
				if strings.Contains(low, bad) {
					r.t.Errorf("the %s of the agent has %q", of, entry)
				}
			}
		}
	}
}
