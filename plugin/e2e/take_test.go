//go:build linux

package e2e

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/standin/host"
	"github.com/afar-sh/afar/coordinator/standin/long"
	"github.com/afar-sh/afar/coordinator/standin/model"
)

// A census counts the processes that have a conversation, from outside, through /proc.
type census struct {
	conversation []byte
	stop         chan struct{}
	done         sync.WaitGroup

	looks int
	most  [][]string // the command lines of the largest count
	seen  map[string]bool
}

// countEvery is the pause between two looks of a census.
const countEvery = 5 * time.Millisecond

// countProcesses counts the processes of a conversation until stopped is called.
func countProcesses(conversation string) *census {
	c := &census{conversation: []byte(conversation), stop: make(chan struct{}), seen: map[string]bool{}}
	tick := time.NewTicker(countEvery)
	c.done.Go(func() {
		defer tick.Stop()
		for {
			c.look()
			select {
			case <-tick.C:
			case <-c.stop:
				return
			}
		}
	})
	return c
}

// look counts the processes whose command line names the conversation. A process that such a
// process has just forked still has its command line, and does not count.
func (c *census) look() {
	c.looks++
	found := map[int][]string{}
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		line, _ := os.ReadFile(filepath.Join("/proc", e.Name(), "cmdline"))
		if bytes.Contains(line, c.conversation) {
			found[pid] = strings.Split(strings.TrimRight(string(line), "\x00"), "\x00")
		}
	}
	var all [][]string
	for pid, line := range found {
		if _, forked := found[parentOf(pid)]; forked || !isAgent(line) || ended(pid) {
			continue
		}
		all = append(all, line)
		c.seen[line[0]+" "+strconv.FormatBool(slices.Contains(line, "-p"))] = true
	}
	if len(all) > len(c.most) {
		c.most = all
	}
}

// isAgent reports whether a command line is that of an agent, or of the runner that becomes one.
func isAgent(line []string) bool {
	name := filepath.Base(line[0])
	return strings.HasPrefix(name, "claude") || name == "agent-run"
}

// parentOf returns the parent of a process, 0 if it has ended.
func parentOf(pid int) int {
	fields := statOf(pid)
	if len(fields) < 2 {
		return 0
	}
	parent, _ := strconv.Atoi(fields[1])
	return parent
}

// ended reports whether a process has ended, also one that nobody has waited for yet.
func ended(pid int) bool {
	fields := statOf(pid)
	return len(fields) == 0 || strings.Contains("ZX", fields[0])
}

func statOf(pid int) []string {
	raw, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, rest, _ := strings.Cut(string(raw), ") ")
	return strings.Fields(rest)
}

// check ends the count. There was never more than one process, and there were both kinds.
func (c *census) check(t *testing.T) {
	t.Helper()
	close(c.stop)
	c.done.Wait()
	if len(c.most) != 1 {
		t.Errorf("in %d looks there were up to %d processes: %q", c.looks, len(c.most), c.most)
	}
	var headless, interactive bool
	for kind := range c.seen {
		headless = headless || strings.HasSuffix(kind, "true")
		interactive = interactive || strings.HasSuffix(kind, "false")
	}
	if !headless || !interactive {
		t.Errorf("in %d looks there were headless processes: %t, in a terminal: %t", c.looks, headless, interactive)
	}
}

// takeRun has a person take a run in a terminal.
func (r *rig) takeRun(name string, more ...string) *host.Terminal {
	r.t.Helper()
	env := append(r.env(), "TERM=xterm-256color", "LANG=C.UTF-8", "TMPDIR="+r.lab.Temp)
	return r.lab.Program(env, append([]string{filepath.Join(r.bin, "afar"), "run", "take", name}, more...)...)
}

// leave ends the client in a terminal, and answers whether to give the run back.
func leave(x *host.Terminal, answer string) {
	x.Submit("/exit")
	x.Await(`back to Afar.*\[Y/n\]`, within)
	x.Keys(answer, "Enter")
}

// timesHeard returns how often a text was given to the model, as far as it got that last: in a
// prompt, by a hook, or as the reason of a Stop hook. The host repeats such a reason as a note.
func (r *rig) timesHeard(text string) (n int) {
	turns := r.model.Turns()
	if len(turns) == 0 {
		return 0
	}
	for _, s := range turns[len(turns)-1].Texts() {
		if !strings.HasPrefix(s, "Stop hook blocking error from command") {
			n += strings.Count(s, text)
		}
	}
	return n
}

// submit types a prompt and presses Enter until the model has it: a client that has just shown a
// conversation may not take keys yet.
func (r *rig) submit(x *host.Terminal, text string) {
	r.t.Helper()
	x.Type(text)
	for range 10 {
		x.Keys("Enter")
		ctx, cancel := context.WithTimeout(context.Background(), within/10)
		_, err := r.model.Await(ctx, func(q model.Request) bool { return q.Prompt() == text })
		if cancel(); err == nil {
			return
		}
	}
	r.t.Fatalf("the client takes no prompt:\n%s", x.Screen())
}

// TestRealRunTake: a person continues a run in a terminal and gives it back. What was sent
// meanwhile reaches the next turn, which knows what happened in the terminal.
func TestRealRunTake(t *testing.T) {
	t.Parallel()
	for name, version := range clients {
		t.Run(name, func(t *testing.T) { testRunTake(t, version) })
	}
}

func testRunTake(t *testing.T, version string) {
	host.NeedLong(t, version)
	r := newRunRig(t, version)
	r.startRun("worker", play(model.Bash("echo made >> made"), model.Say("headless one is done")), "--mode",
		"acceptEdits")
	first := r.becameRun("worker", "idle")
	count := countProcesses(first.Conversation)
	x := r.takeRun("worker")
	x.Await("headless one is done", within)
	if held := r.becameRun("worker", "taken"); held.HeldBy == "" || held.PID != 0 {
		t.Errorf("while it is taken: %+v", held)
	}
	r.must("run", "send", "worker", "--json", play(model.Say("headless two is done")))
	r.submit(x, play(model.Say("terminal one is done")))
	x.Await("terminal one is done", within)
	if r.lines("made") != 1 || r.run("worker").Waiting != 1 {
		t.Errorf("in the terminal: %d calls, %+v", r.lines("made"), r.run("worker"))
	}
	if out, err := r.afar("run", "give", "worker"); err == nil || !strings.Contains(out, "is open in") {
		t.Errorf("give while the terminal has it: %v, %s", err, out)
	}
	leave(x, "y")
	last := r.becameRun("worker", "idle")
	count.check(t)
	if last.Result != "headless two is done" || last.Turns != 2 || last.Waiting != 0 {
		t.Errorf("at the end: %+v", last)
	}
	turns := r.model.Turns()
	if end := turns[len(turns)-1]; !end.Has("terminal one is done") || !end.Has("headless one is done") {
		t.Errorf("the last turn does not know the earlier ones: %q", end.Texts())
	}
}

// rounds is how often a run is taken and given back under load.
const rounds = 10

// TestRealRunTakeUnderLoad: a run changes hands again and again on a busy machine, while messages
// arrive, and every other time a turn is interrupted for it. There is never more than one process,
// and the model gets each message once.
func TestRealRunTakeUnderLoad(t *testing.T) {
	long.Only(t)
	r := newRunRig(t, host.Current)
	r.startRun("worker", play(model.Say("headless one is done")), "--mode", "acceptEdits")
	first := r.becameRun("worker", "idle")
	count := countProcesses(first.Conversation)
	burn(t)
	sent := r.sendNotes("worker")
	for round := range rounds {
		var more []string
		if round%2 == 1 {
			more = []string{"--now"}
		}
		x := r.takeRun("worker", more...)
		x.Await("accept edits on", within)
		done := fmt.Sprintf("terminal round %d is done", round)
		r.submit(x, play(model.Say(done))+fmt.Sprintf(" for round %d", round))
		x.Await(done, within)
		leave(x, "y")
		x.Await("is given back", within)
		x.Close()
	}
	notes := sent()
	for end := time.Now().Add(2 * within); ; time.Sleep(100 * time.Millisecond) {
		got := r.run("worker")
		if got.State == "idle" && got.Waiting == 0 {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("the run does not come to its end: %+v\n%s", got, r.trail())
		}
	}
	count.check(t)
	for n := range notes {
		if heard := r.timesHeard(note(n)); heard != 1 {
			t.Errorf("the model got %q %d times", note(n), heard)
		}
	}
	t.Logf("%d rounds, %d messages, %d looks at the processes", rounds, notes, count.looks)
}

func note(n int) string { return fmt.Sprintf("note number %d.", n) }

// sendNotes sends numbered notes to a run until the function that it returns is called, which
// returns how many were sent.
func (r *rig) sendNotes(name string) (end func() int) {
	stop, sent := make(chan struct{}), make(chan int)
	go func() {
		n := 0
		defer func() { sent <- n }()
		for {
			select {
			case <-stop:
				return
			case <-time.After(700 * time.Millisecond):
			}
			if out, err := r.afar("run", "send", name, note(n)); err != nil {
				r.t.Errorf("send: %v, %s", err, out)
			}
			n++
		}
	}()
	total := sync.OnceValue(func() int { close(stop); return <-sent })
	r.t.Cleanup(func() { total() })
	return total
}

// burn keeps the processors busy until the test ends.
func burn(t *testing.T) {
	for range runtime.NumCPU() {
		cmd := exec.Command("nice", "sh", "-c", "while :; do :; done")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	}
}
