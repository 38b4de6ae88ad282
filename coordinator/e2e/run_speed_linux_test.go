package e2e

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/standin/long"
	"github.com/afar-sh/afar/coordinator/wire"
)

// script is an agent: it says when it began, and then does what its prompt says. "follow"
// prints what comes through a pipe, until the pipe is closed.
const script = `#!/bin/bash
echo $EPOCHREALTIME > "$ROOM/began.new" && mv "$ROOM/began.new" "$ROOM/began"
prompt=$(cat)
echo '{"type":"system","subtype":"hook_started","hook_event":"SessionStart"}'
echo '{"type":"system","subtype":"init","model":"m","claude_code_version":"9.9.9","plugins":[{"name":"afar"}]}'
case $prompt in follow*) cat "${prompt#follow }" ;; esac
echo '{"type":"result","is_error":false,"terminal_reason":"completed","result":"done"}'
`

// An office is a site whose agent is the script.
type office struct {
	*site
	room  string
	agent string
}

func newOffice(t testing.TB) *office {
	t.Helper()
	s := stillSite(t, "127.0.0.1:0")
	o := &office{site: s, room: t.TempDir()}
	o.agent = filepath.Join(o.room, "agent")
	keys := filepath.Join(o.room, "keys")
	if err := s.dirs.Make(); err != nil {
		t.Fatal(err)
	}
	config := fmt.Sprintf("[agents.claude]\ncommand = [%q]\nenv_file = %q\n", o.agent, keys)
	for file, text := range map[string]string{s.dirs.ConfigFile(): config, keys: "ROOM=" + o.room + "\n"} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(o.agent, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	s.run()
	s.signIn()
	return o
}

// ask makes one call.
func (o *office) ask(op fmt.Stringer, in, out any) error {
	body, err := json.Marshal(in)
	if err != nil {
		return err
	}
	line, err := o.client().Call(wire.Request{V: wire.Version, Op: op.String(), Body: body}, time.Now().Add(20*time.Second))
	var reply wire.Reply
	if err = errors.Join(err, json.Unmarshal(line, &reply)); err != nil || reply.Code != wire.CodeOK {
		return fmt.Errorf("%s: %w %s", op, err, line)
	}
	return json.Unmarshal(reply.Body, out)
}

// call is ask for a call that must succeed.
func (o *office) call(op fmt.Stringer, in, out any) {
	o.t.Helper()
	if err := o.ask(op, in, out); err != nil {
		o.t.Fatal(err)
	}
}

// follows starts a run whose agent prints what is written into the returned pipe.
func (o *office) follows(name string) *os.File {
	o.t.Helper()
	path := filepath.Join(o.room, name)
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		o.t.Fatal(err)
	}
	o.afar("run", "start", "--name", name, "--dir", o.room, "follow "+path)
	pipe, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		o.t.Fatal(err)
	}
	o.t.Cleanup(func() {
		pipe.Close()
		o.became(name, "idle") // its runner would start another coordinator to say that it ended
	})
	o.became(name, "working")
	return pipe
}

// became waits until a run is in a state.
func (o *office) became(name, state string) {
	o.t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		var r wire.Run
		o.call(wire.OpRun, wire.Named{ID: name}, &r)
		if r.State == state {
			return
		}
		if time.Now().After(end) {
			o.t.Fatalf("run %s is %s (%s), want %s", name, r.State, r.Why, state)
		}
	}
}

// reads sends the texts of a run's events, as one reads them who follows its journal.
func (o *office) reads(ctx context.Context, name string, to chan<- string) {
	for in := (wire.RunLogRequest{ID: name, WaitMS: 10_000}); ctx.Err() == nil; {
		var out wire.RunLogReply
		if o.ask(wire.OpRunLog, in, &out) != nil {
			return
		}
		for _, e := range out.Events {
			in.After = e.N
			to <- e.Text
		}
	}
}

// sees sends the lines that the open page of a run gets.
func (o *office) sees(ctx context.Context, name string, to chan<- string) {
	at := "http://" + o.addr + "/live?at=" + url.QueryEscape("/run/"+name)
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, at, nil)
	if err != nil {
		o.t.Error(err)
		return
	}
	r.AddCookie(o.cookie)
	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		o.t.Error(err)
		return
	}
	defer reply.Body.Close()
	lines := bufio.NewScanner(reply.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if strings.Contains(lines.Text(), "mark ") {
			to <- lines.Text()
		}
	}
}

// until receives until a text comes.
func until(b *testing.B, from <-chan string, text string) time.Time {
	b.Helper()
	for timeout := time.After(patience); ; {
		select {
		case got := <-from:
			if strings.Contains(got, text) {
				return time.Now()
			}
		case <-timeout:
			b.Fatalf("%q never came", text)
		}
	}
}

// between is the time between two events of the benchmark. A page that was just changed waits
// for more changes; an agent takes longer than that between two steps.
const between = 100 * time.Millisecond

// BenchmarkRunEvent measures the time from a line that an agent prints to the journal of its
// run and to the open page of it. It compares with a call on the socket and a durable write.
func BenchmarkRunEvent(b *testing.B) {
	o, disk := newOffice(b), newDisk(b)
	pipe := o.follows("bench")
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	journal, page := make(chan string, 1000), make(chan string, 1000)
	go o.reads(ctx, "bench", journal)
	go o.sees(ctx, "bench", page)
	var toJournal, toPage, yard []time.Duration
	n := 0
	for b.Loop() {
		n++
		mark := fmt.Sprintf("mark %06d", n)
		time.Sleep(between)
		begun := time.Now()
		fmt.Fprintf(pipe, `{"type":"assistant","uuid":"%d","message":{"content":[{"type":"text","text":"%s"}]}}`+"\n",
			n, mark)
		toJournal = append(toJournal, until(b, journal, mark).Sub(begun))
		toPage = append(toPage, until(b, page, mark).Sub(begun))
		begun = time.Now()
		o.call(wire.OpPing, nil, &wire.None{})
		disk.write(b)
		yard = append(yard, time.Since(begun))
	}
	b.ReportMetric(p50(toJournal), "ms-journal-p50")
	b.ReportMetric(p50(toPage), "ms-page-p50")
	b.ReportMetric(p50(yard), "ms-yardstick-p50")
}

// BenchmarkRunStart measures the time from the request for a run to the first line of its
// agent. It compares with the agent started directly.
func BenchmarkRunStart(b *testing.B) {
	o := newOffice(b)
	var run, direct []time.Duration
	n := 0
	for b.Loop() {
		n++
		name := "n" + strconv.Itoa(n)
		id := fmt.Sprintf("%026d", n)
		id = strings.NewReplacer("0", "A", "1", "B", "8", "H", "9", "J").Replace(id)
		begun := time.Now()
		o.call(wire.OpRunStart, wire.RunStartRequest{ID: id, Name: name, Dir: o.room, Prompt: "go"}, &wire.Run{})
		run = append(run, o.began(b).Sub(begun))
		o.became(name, "idle")
		begun = time.Now()
		cmd := exec.Command(o.agent)
		cmd.Env = []string{"ROOM=" + o.room, "PATH=" + os.Getenv("PATH")}
		if err := cmd.Run(); err != nil {
			b.Fatal(err)
		}
		direct = append(direct, o.began(b).Sub(begun))
	}
	b.ReportMetric(p50(run)-p50(direct), "ms-more-p50")
	b.ReportMetric(p50(run), "ms-run-p50")
	b.ReportMetric(p50(direct), "ms-direct-p50")
}

// began waits until the agent says when it began, and takes what it says away.
func (o *office) began(b *testing.B) time.Time {
	b.Helper()
	path := filepath.Join(o.room, "began")
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(time.Millisecond) {
		raw, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		if err := os.Remove(path); err != nil {
			b.Fatal(err)
		}
		seconds, micros, _ := strings.Cut(strings.TrimSpace(string(raw)), ".")
		s, err1 := strconv.ParseInt(seconds, 10, 64)
		us, err2 := strconv.ParseInt(micros, 10, 64)
		if err1 != nil || err2 != nil {
			b.Fatalf("the agent began at %q", raw)
		}
		return time.Unix(s, us*1000)
	}
	b.Fatal("the agent never began")
	return time.Time{}
}

// TestManyRuns: 20 runs at rest and 3 that work cost the coordinator little memory, and no
// time while nothing happens. A run at rest has no process.
func TestManyRuns(t *testing.T) {
	long.Only(t)
	o := newOffice(t)
	for i := range 20 {
		name := fmt.Sprint("rest", i)
		o.afar("run", "start", "--name", name, "--dir", o.room, "go")
		o.became(name, "idle")
	}
	if out, _ := exec.Command("pgrep", "-f", o.agent).Output(); len(out) > 0 {
		t.Errorf("runs at rest have processes: %s", out)
	}
	var pipes []*os.File
	for i := range 3 {
		pipes = append(pipes, o.follows(fmt.Sprint("work", i)))
	}
	fmt.Fprintln(pipes[0], `{"type":"assistant","message":{"content":[{"type":"text","text":"I am at it"}]}}`)
	time.Sleep(2 * time.Second) // what the start has begun comes to its end
	spent, begun := cpu(t, o.pid), time.Now()
	time.Sleep(10 * time.Second) // the length of it is what is measured
	share, full := (cpu(t, o.pid)-spent).Seconds()/time.Since(begun).Seconds(), rss(t, o.pid)
	t.Logf("23 runs: %.1f MB resident, %.2f %% of one processor while nothing happens", full, share*100)
	if full >= 60 || share > 0.01 {
		t.Error("want less than 60 MB and 1 %")
	}
}
