package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/standin/botapi"
	"github.com/afar-sh/afar/coordinator/wire"
)

// patience bounds every wait of these tests.
const patience = time.Minute

const annID = 4711

// A phone is a nest whose coordinator is connected to Ann's phone. She is away, so each
// question goes to the phone at once.
type phone struct {
	*nest
	bot     *botapi.Server
	ann     *botapi.User
	project string

	mu    sync.Mutex
	kills []time.Time

	clients   sync.Once
	bystander string // the variable of hostVar
}

func newPhone(t testing.TB) *phone { t.Helper(); return newPhoneWith(t, os.Getenv("PATH")) }

func newPhoneWith(t testing.TB, path string) *phone {
	t.Helper()
	return newPhoneOn(t, newNestWith(t, path))
}

// newPhoneOn connects the coordinator of a nest to Ann's phone.
func newPhoneOn(t testing.TB, n *nest) *phone {
	t.Helper()
	bot := botapi.New(t)
	p := &phone{nest: n, bot: bot, ann: bot.User(annID, "Ann")}
	p.project = filepath.Join(p.dirs.User, "project")
	if err := os.Mkdir(p.project, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.end)
	code := regexp.MustCompile(`\b\d{6}\b`).FindString(p.afar("telegram", "pair", "--no-wait"))
	p.ann.Say(annID, "/start "+code)
	p.await("Paired", func(m botapi.Message) bool { return strings.Contains(m.Text, "Paired") })
	p.afar("away", "on")
	return p
}

// end ends the coordinator. The hooks, which would start another one, have ended with the
// test's context.
func (p *phone) end() {
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); {
		c := p.aim()
		if c == nil {
			return
		}
		_ = c.Kill()
	}
	p.t.Error("a coordinator still answers")
}

// afar runs the command line as Ann, outside any session.
func (p *phone) afar(args ...string) string {
	p.t.Helper()
	cmd := exec.Command(p.bin, args...)
	cmd.Env = append([]string{"AFAR_TELEGRAM_API=" + p.bot.URL(), "AFAR_TELEGRAM_TOKEN=" + p.bot.Token()}, p.env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		p.t.Fatalf("afar %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// call makes one call. It starts a coordinator if none is running.
func (p *phone) call(op fmt.Stringer, in, out any) {
	p.t.Helper()
	body, err := json.Marshal(in)
	if err != nil {
		p.t.Fatal(err)
	}
	line, err := p.client().CallStarting(wire.Request{V: wire.Version, Op: op.String(), Body: body},
		time.Now().Add(patience))
	var reply wire.Reply
	if err = errors.Join(err, json.Unmarshal(line, &reply)); err != nil || reply.Code != wire.CodeOK {
		p.t.Fatalf("%s: %v %s", op, err, line)
	}
	if err := json.Unmarshal(reply.Body, out); err != nil {
		p.t.Fatalf("%s: %v", op, err)
	}
}

// journal returns all entries of the journal.
func (p *phone) journal() (all []wire.Entry) {
	p.t.Helper()
	for after := int64(0); ; after = all[len(all)-1].Seq {
		var page wire.LogReply
		p.call(wire.OpLog, wire.LogRequest{After: after, Limit: 1000}, &page)
		if all = append(all, page.Entries...); len(page.Entries) == 0 {
			return all
		}
	}
}

// count returns how many entries of a kind are in the journal.
func count(journal []wire.Entry, kind string) (n int) {
	for _, e := range journal {
		if e.Kind == kind {
			n++
		}
	}
	return n
}

// await waits for a message that matches.
func (p *phone) await(what string, match func(botapi.Message) bool) botapi.Message {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), patience)
	defer cancel()
	m, err := p.bot.Await(ctx, func(m botapi.Message) bool { return m.Chat == annID && match(m) })
	if err != nil {
		p.t.Fatalf("no message %q: %v\n%s", what, context.Cause(ctx), p.trail())
	}
	return m
}

// showing returns the messages that hold text, in order of sending.
func (p *phone) showing(text string) (found []botapi.Message) {
	for _, m := range p.bot.Messages(annID) {
		if strings.Contains(m.Text, text) {
			found = append(found, m)
		}
	}
	return found
}

// current returns the messages about text that can be answered. It waits for the first
// one.
func (p *phone) current(text string) []botapi.Message {
	p.t.Helper()
	buttons := func(m botapi.Message) bool { return len(m.Keyboard) > 0 }
	p.await("a card with "+text, func(m botapi.Message) bool { return buttons(m) && strings.Contains(m.Text, text) })
	return slices.DeleteFunc(p.showing(text), func(m botapi.Message) bool { return !buttons(m) })
}

// drain returns when everything that was due to the phone has been sent. It asks a question
// as Ann: its answer is sent last.
func (p *phone) drain() {
	p.t.Helper()
	p.call(wire.OpStatus, nil, &wire.StatusReply{}) // no hook would start a coordinator
	asked := p.ann.Say(annID, "/status")
	p.await("the answer to /status", func(m botapi.Message) bool {
		return m.ID > asked &&
			strings.Contains(m.Text, "Open questions: 0")
	})
}

// trail returns the logs of a test that failed.
func (p *phone) trail() string {
	var b strings.Builder
	for _, name := range []string{"coordinator.log", "crash.log"} {
		raw, _ := os.ReadFile(filepath.Join(filepath.Dir(p.dirs.Log()), name))
		b.Write(raw[max(0, len(raw)-6000):])
	}
	return b.String()
}

// aim returns the coordinator that answers, nil for none.
func (p *phone) aim() *os.Process {
	line, err := p.client().Call(wire.Request{V: wire.Version, Op: string(wire.OpStatus)}, time.Now().Add(patience))
	if err != nil {
		return nil
	}
	var reply struct{ Body wire.StatusReply }
	if err := json.Unmarshal(line, &reply); err != nil || reply.Body.Coordinator.PID == 0 {
		return nil
	}
	c, err := os.FindProcess(reply.Body.Coordinator.PID)
	if err != nil {
		return nil
	}
	return c
}

// fire kills a coordinator.
func (p *phone) fire(c *os.Process) {
	if c == nil || c.Signal(syscall.SIGKILL) != nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.kills = append(p.kills, time.Now())
}

// stillborn starts a coordinator and kills it during its start.
func (p *phone) stillborn(after time.Duration) {
	cmd := p.serve()
	if err := cmd.Start(); err != nil {
		p.t.Error(err)
		return
	}
	time.Sleep(after)
	p.fire(cmd.Process)
	_ = cmd.Wait()
}

// killed returns how many kills happened between two times.
func (p *phone) killed(from, to time.Time) (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, at := range p.kills {
		if at.After(from) && at.Before(to) {
			n++
		}
	}
	return n
}

// A strike is one kill of the coordinator, at a time after the beginning of an action. If
// early is set, the next coordinator is killed that long after its start.
type strike struct{ after, early time.Duration }

// during calls do, and kills the coordinator meanwhile. A strike of nil kills nothing.
func (p *phone) during(s *strike, do func()) {
	if s == nil {
		do()
		return
	}
	target := p.aim()
	do()
	time.Sleep(s.after) // the test varies it
	p.fire(target)
	if s.early > 0 {
		p.stillborn(s.early)
	}
}

// A payload is the host's input for a hook.
type payload map[string]any

// with returns a payload for another hook, with the session and the call of p.
func (p payload) with(more payload) payload {
	all := payload{}
	for _, from := range []payload{p, more} {
		for k, v := range from {
			all[k] = v
		}
	}
	return all
}

// session returns the fields that every input has.
func (p *phone) session(id, prompt string) payload {
	return payload{
		"session_id": id, "prompt_id": prompt, "cwd": p.project, "permission_mode": "default",
		"transcript_path": filepath.Join(p.dirs.User, ".claude", "projects", "p", id+".jsonl"),
	}
}

// A hookRun is one run of a hook binary.
type hookRun struct {
	cmd      *exec.Cmd
	out, err bytes.Buffer
	ended    chan error
}

// start starts a hook like the host, with the given variables of the host.
func (p *phone) start(event string, in payload, vars ...string) *hookRun {
	name := "hook-" + strings.ToLower(regexp.MustCompile(`([a-z])([A-Z])`).ReplaceAllString(event, "$1-$2"))
	raw, err := json.Marshal(in.with(payload{"hook_event_name": event}))
	if err != nil {
		p.t.Error(err)
	}
	r := &hookRun{ended: make(chan error, 1)}
	hook := filepath.Join(filepath.Dir(p.bin), name)
	r.cmd = exec.CommandContext(p.t.Context(), hook)
	r.cmd.Env, r.cmd.Stdin = slices.Concat([]string{p.hostVar()}, vars, p.env), bytes.NewReader(raw)
	if event == "UserPromptExpansion" { // counts only as a child of the client: here the shell
		r.cmd.Path, r.cmd.Args = "/bin/sh", []string{"sh", "-c", `"$0"; exit $?`, hook}
		r.cmd.Env = slices.Concat(vars, p.env)
	}
	r.cmd.Stdout, r.cmd.Stderr = &r.out, &r.err
	if err := r.cmd.Start(); err != nil {
		r.ended <- err
		return r
	}
	go func() { r.ended <- r.cmd.Wait() }()
	return r
}

// hostVar names a process of its own as the client of a hook: Afar would mark this one, and what it
// does for the person would count as a session's.
func (p *phone) hostVar() string {
	p.clients.Do(func() { p.bystander = "CLAUDE_PID=" + strconv.Itoa(bystander(p.t)) })
	return p.bystander
}

// wait returns the output of the hook.
func (r *hookRun) wait() (string, error) {
	select {
	case err := <-r.ended:
		if err != nil {
			return "", fmt.Errorf("%w: %s", err, r.err.Bytes())
		}
		return r.out.String(), nil
	case <-time.After(patience):
		return "", errors.New("the hook still runs")
	}
}
