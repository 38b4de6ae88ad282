//go:build linux

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/standin/agent"
	"github.com/afar-sh/afar/coordinator/standin/long"
	"github.com/afar-sh/afar/coordinator/standin/stray"
	"github.com/afar-sh/afar/coordinator/wire"
)

// soakFor is how long the soak runs at least. AFAR_TEST_SOAK sets another time.
const soakFor = 3 * time.Minute

// soakTurns is how many turns the soak has at least.
const soakTurns = 200

// A soak is a home with runs of three agents, to which texts are sent while processes die.
type soak struct {
	*agentRig

	t      *testing.T
	names  []string       // of the runs
	sent   map[string]int // texts, by run
	killed map[string]int // processes, by what they are
}

// TestSoakRuns keeps runs of three agents at work for long, while their coordinator, their runners
// and the agents die at random. No process and no descriptor is left, and no text, event or turn is
// lost or doubled.
func TestSoakRuns(t *testing.T) {
	long.Only(t)
	s := newSoak(t)
	begun, least := time.Now(), s.length()
	for s.turns() < soakTurns || time.Since(begun) < least {
		s.sendFor(time.Duration(1+rand.IntN(3)) * time.Second)
		s.kill(rand.IntN(3))
	}
	s.settle()
	t.Logf("%s: %d turns, %v texts, killed %v", time.Since(begun).Round(time.Second), s.turns(), s.sent, s.killed)
	s.checkTexts()
	for _, name := range s.names {
		s.checkEvents(name)
	}
	s.checkDescriptors()
	s.checkProcesses()
	if out, err := s.afar("audit", "verify"); err != nil {
		t.Errorf("the journal: %v, %s", err, out)
	}
}

func newSoak(t *testing.T) *soak {
	t.Helper()
	s := &soak{
		agentRig: newAgentRig(t, adapters[0], `mode = "manual"`, `starting = "100ms"`),
		t:        t, sent: map[string]int{}, killed: map[string]int{},
	}
	for _, a := range adapters[1:] {
		s.addAgent(a)
	}
	for _, a := range adapters {
		for n := range 2 {
			name := a.name + "-" + strconv.Itoa(n)
			s.names = append(s.names, name)
			s.must("run", "start", "--name", name, "--agent", a.name, s.text(name))
		}
	}
	return s
}

// addAgent adds another agent to the settings.
func (s *soak) addAgent(a adapter) {
	s.t.Helper()
	program, keys := filepath.Join(s.dir, "programs", a.name), filepath.Join(s.dir, "keys-"+a.name)
	exe, err := os.Executable()
	err = errors.Join(err, os.Symlink(exe, program), os.WriteFile(keys, []byte(agent.Variable+"="+a.standin+
		"\nSTANDIN_DIR="+filepath.Join(s.dir, "standin")+"\nSTANDIN_HOOKS="+os.Getenv(builtVar)+"\n"), 0o600))
	table := fmt.Sprintf("\n[agents.%s]\nprotocol = %q\ncommand = [%q]\nenv_file = %q\n", a.name, a.protocol,
		program, keys)
	f, failed := os.OpenFile(filepath.Join(s.dir, "afar", "config.toml"), os.O_APPEND|os.O_WRONLY, 0o600)
	if err = errors.Join(err, failed); err != nil {
		s.t.Fatal(err)
	}
	_, err = f.WriteString(table)
	if err = errors.Join(err, f.Close()); err != nil {
		s.t.Fatal(err)
	}
}

func (s *soak) length() time.Duration {
	text := os.Getenv("AFAR_TEST_SOAK")
	if text == "" {
		return soakFor
	}
	least, err := time.ParseDuration(text)
	if err != nil {
		s.t.Fatalf("AFAR_TEST_SOAK: %v", err)
	}
	return least
}

// must runs a command. The coordinator may be killed meanwhile, so it tries again.
func (s *soak) must(args ...string) string {
	s.t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(100 * time.Millisecond) {
		out, err := s.afar(args...)
		if err == nil {
			return out
		}
		if time.Now().After(end) {
			s.t.Fatalf("afar %q: %v\n%s", args, err, out)
		}
	}
}

// text returns the next text for a run. It keeps the agent at work for a while.
func (s *soak) text(name string) string {
	s.sent[name]++
	return fmt.Sprintf("note %s %d.\nthink hm\ntext hello\ntool sleep 0.%d\ntext done", name, s.sent[name],
		rand.IntN(6))
}

// sendFor sends texts to runs for a while.
func (s *soak) sendFor(d time.Duration) {
	for end := time.Now().Add(d); time.Now().Before(end); time.Sleep(time.Duration(rand.IntN(200)) * time.Millisecond) {
		name := s.names[rand.IntN(len(s.names))]
		s.send(name)
	}
}

// send sends the next text to a run, once: a command that fails after the coordinator has stored
// the text would send another one.
func (s *soak) send(name string) {
	text := s.text(name)
	if out, err := s.afar("run", "send", name, text); err != nil {
		s.t.Logf("send to %s: %v, %s", name, err, out)
		s.sent[name]--
	}
}

func (s *soak) runs() []wire.Run {
	var out wire.RunsReply
	if err := json.Unmarshal([]byte(s.must("run", "list", "--json")), &out); err != nil {
		s.t.Fatal(err)
	}
	return out.Runs
}

func (s *soak) turns() (n int) {
	for _, r := range s.runs() {
		n += r.Turns
	}
	return n
}

// kill kills the coordinator, the runner of a turn, or an agent.
func (s *soak) kill(which int) {
	what, pid := [3]string{"coordinator", "runner", "agent"}[which], 0
	busy := slices.DeleteFunc(s.runs(), func(r wire.Run) bool { return r.PID == 0 })
	switch {
	case which == 0:
		pid = s.coordinator()
	case len(busy) == 0:
		return
	case which == 1:
		pid = busy[rand.IntN(len(busy))].PID
	default:
		pid = s.agentOf(busy[rand.IntN(len(busy))])
	}
	if pid > 1 && syscall.Kill(pid, syscall.SIGKILL) == nil {
		s.killed[what]++
	}
}

func (s *soak) coordinator() int {
	var out wire.StatusReply
	if err := json.Unmarshal([]byte(s.must("status", "--json")), &out); err != nil {
		s.t.Fatal(err)
	}
	return out.Coordinator.PID
}

// agentOf returns the process that has the conversation of a run, 0 for none.
func (s *soak) agentOf(r wire.Run) (pid int) {
	raw, _ := os.ReadFile(filepath.Join(s.dir, "afar", "state", "conversations", r.Conversation+".lock"))
	if fields := strings.Fields(string(raw)); len(fields) > 2 && slices.Contains(stray.Of(s.home()), atoi(fields[2])) {
		pid = atoi(fields[2])
	}
	return pid
}

func (s *soak) home() string { return filepath.Join(s.dir, "afar") }

func atoi(text string) int {
	n, _ := strconv.Atoi(text)
	return n
}

// settle waits until each run is at rest and has every text. A run that failed goes on with
// another text.
func (s *soak) settle() {
	for end := time.Now().Add(4 * patience); ; time.Sleep(200 * time.Millisecond) {
		rests := true
		for _, r := range s.runs() {
			switch {
			case r.State == "failed" || r.State == "idle" && r.Waiting > 0:
				s.send(r.Name)
				rests = false
			case r.State != "idle":
				rests = false
			}
		}
		if rests {
			return
		}
		if time.Now().After(end) {
			s.t.Fatalf("the runs do not come to rest:\n%s", s.must("run", "list"))
		}
	}
}

// perhaps is in each text that an agent may have got before.
const perhaps = "may have received some of this before"

// checkTexts checks that each text is in the transcripts once, and again only where Afar says that
// the agent may have it.
func (s *soak) checkTexts() {
	s.t.Helper()
	var heard []string
	files, _ := filepath.Glob(filepath.Join(s.dir, "standin", "*.jsonl"))
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			s.t.Fatal(err)
		}
		heard = append(heard, strings.Split(strings.TrimSpace(string(raw)), "\n")...)
	}
	again := 0
	for _, name := range s.names {
		for n := 1; n <= s.sent[name]; n++ {
			text, sure, maybe := fmt.Sprintf("note %s %d.", name, n), 0, 0
			for _, line := range heard {
				switch count := strings.Count(line, text); {
				case strings.Contains(line, perhaps):
					maybe += count
				default:
					sure += count
				}
			}
			again += max(0, sure+maybe-1)
			if sure+maybe == 0 || sure > 1 {
				s.t.Errorf("%q was heard %d times, and %d times with a warning", text, sure, maybe)
			}
		}
	}
	s.t.Logf("%d texts were given again, with a warning", again)
}

// checkEvents checks that the events of a run have no gaps, and that each turn began and ended at
// most once.
func (s *soak) checkEvents(name string) {
	s.t.Helper()
	lines := json.NewDecoder(strings.NewReader(s.must("run", "log", "--json", name)))
	seen := map[string]int{}
	for n := int64(1); ; n++ {
		var e wire.RunEvent
		err := lines.Decode(&e)
		if err == io.EOF {
			break
		}
		if err != nil || e.N != n {
			s.t.Errorf("%s: event %d comes as number %d: %v", name, n, e.N, err)
			return
		}
		if seen[fmt.Sprint(e.Kind, e.Turn)]++; e.Kind == "init" && seen[fmt.Sprint(e.Kind, e.Turn)] > 1 {
			s.t.Errorf("%s: turn %d began twice", name, e.Turn)
		}
	}
}

// checkDescriptors checks that the coordinator has no more descriptors than one that has just
// started. The old one has worked since it was last killed.
func (s *soak) checkDescriptors() {
	s.t.Helper()
	for range 20 {
		s.send(s.names[0])
	}
	s.settle()
	time.Sleep(time.Second) // what the last turn has begun comes to its end
	old := s.descriptors()
	_ = syscall.Kill(s.coordinator(), syscall.SIGKILL)
	s.settle()
	time.Sleep(time.Second)
	if fresh := s.descriptors(); old > fresh+3 {
		s.t.Errorf("the coordinator has %d descriptors open, a fresh one %d", old, fresh)
	} else {
		s.t.Logf("the coordinator has %d descriptors open, a fresh one %d", old, fresh)
	}
}

func (s *soak) descriptors() int {
	open, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", s.coordinator()))
	if err != nil {
		s.t.Fatal(err)
	}
	return len(open)
}

// checkProcesses checks that the coordinator alone is left, and nothing after it.
func (s *soak) checkProcesses() {
	s.t.Helper()
	if left := stray.Of(s.home()); len(left) != 1 || left[0] != s.coordinator() {
		s.t.Errorf("with all runs at rest there are the processes %v", left)
	}
	s.must("stop")
	if left := stray.Await(s.home(), patience); len(left) > 0 {
		s.t.Fatalf("left behind: %v", left)
	}
}
