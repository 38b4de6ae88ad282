package e2e

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/message"
	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/store"
	"github.com/afar-sh/afar/coordinator/ledger"
	"github.com/afar-sh/afar/coordinator/wire"
)

// What a busy person leaves in 90 days, and in one session of many days.
const (
	pastDays     = 90
	pastEntries  = 100_000
	pastSessions = 10_000
	pastMessages = 20_000
	pastRuns     = 5_000
	pastAsks     = 20_000
	longAsks     = 1_250  // of the session that asks
	longCalls    = 25_000 // in its ledger
)

// longSession is the session that asks, and whose calls are reported.
const longSession = "5e551000-0000-4000-8000-000000000000"

// BenchmarkPast shows what a database of 90 days costs beside that of a day, which has as much as the lists of the
// pages show, in the same run: each metric is the ratio of the two. What is longer than 1.3, and longer than 3 for
// the start, is too much.
func BenchmarkPast(b *testing.B) {
	for b.Loop() {
		day, full := newPast(b, 1), newPast(b, pastDays)
		quiet := sync.OnceFunc(func() { idle(day, full) }) // after the starts: the first one reads all of a database
		for _, m := range []struct {
			name  string
			takes func(*past) float64
		}{
			{"start", (*past).starts},
			{"memory", (*past).memory},
			{"idle-processor", func(p *past) float64 { quiet(); return p.idle }},
			{"question", (*past).question},
			{"page-now", func(p *past) float64 { return p.page("/") }},
			{"page-inbox", func(p *past) float64 { return p.page("/inbox") }},
			{"page-questions", func(p *past) float64 { return p.page("/questions") }},
			{"page-runs", func(p *past) float64 { return p.page("/runs") }},
			{"hook-post-tool-use", (*past).outcome},
		} {
			one, other := m.takes(day), m.takes(full)
			b.ReportMetric(other/one, "x-"+m.name)
			b.Logf("%-20s day %10.2f   full %10.2f   ratio %.2f", m.name, one, other, other/one)
		}
		b.ReportMetric(full.switches, "switches-per-s")
		b.Logf("context switches a second with five sessions: day %.2f, full %.2f", day.switches, full.switches)
	}
}

// A past is a coordinator with a page and a phone, and with a past.
type past struct {
	*site
	phone    *phone
	client   string  // the variable of the client of its sessions
	idle     float64 // processor time of a second in which nothing happens, in ms
	switches float64 // of contexts, in such a second
	asked    int
}

func newPast(b *testing.B, days int) *past {
	b.Helper()
	s := stillSite(b, "127.0.0.1:0")
	p := &past{site: s, phone: newPhoneOn(b, s.nest), client: "CLAUDE_PID=" + strconv.Itoa(bystander(b))}
	p.phone.afar("stop")
	awaitEnd(b, p.dirs.Config)
	p.fill(days)
	p.env = append(p.env, "AFAR_TELEGRAM_API="+p.phone.bot.URL(), "AFAR_TELEGRAM_TOKEN="+p.phone.bot.Token())
	p.run()
	p.signIn()
	p.phone.call(wire.OpStatus, nil, &wire.StatusReply{})
	for n := range 5 {
		p.hook("SessionStart", fmt.Sprintf("5e551000-0000-4000-8000-00000000000%d", n), payload{"source": "startup"})
	}
	if days > 1 { // the calls of a session of many days
		for i := range longCalls {
			ledger.Write(p.dirs.Calls(), longSession, fmt.Sprintf("toolu_%026d", i), ledger.Seen)
		}
	}
	return p
}

// fill writes the last days of the past into the database, evenly.
func (p *past) fill(days int) {
	p.t.Helper()
	db, err := store.Open(p.dirs.Database())
	if err != nil {
		p.t.Fatal(err)
	}
	defer db.Close()
	now := time.Now()
	const parts = 250
	for part := parts - parts*days/pastDays; part < parts; part++ {
		var batch store.Batch
		at := func(n, of int) time.Time { // of the n-th of so many in all
			n += part * of / parts
			return now.Add(-pastDays * 24 * time.Hour).Add(time.Duration(n) * pastDays * 24 * time.Hour / time.Duration(of+1))
		}
		id := func(n, of int) int { return part*of/parts + n }
		for n := range pastSessions / parts {
			store.Sessions.Put(&batch, pastSession(id(n, pastSessions), at(n, pastSessions)))
		}
		for n := range pastAsks / parts {
			store.Asks.Put(&batch, pastAsk(id(n, pastAsks), at(n, pastAsks)))
		}
		for n := range pastMessages / parts {
			store.Messages.Put(&batch, pastMessage(id(n, pastMessages), at(n, pastMessages)))
		}
		for n := range pastRuns / parts {
			store.Runs.Put(&batch, pastRun(id(n, pastRuns), at(n, pastRuns)))
		}
		kinds := []event.Kind{event.GuardDenied, event.LoopStepped, event.AskRan, event.Told, event.AskOpened}
		for n := range pastEntries / parts {
			i := id(n, pastEntries)
			batch.Events = append(batch.Events, event.Event{At: at(n, pastEntries), Kind: kinds[i%len(kinds)],
				Session: pastID("s", i%pastSessions), Subject: fmt.Sprint("subject-", i), Text: "something happened here: " +
					strings.Repeat("words ", 10)})
		}
		if err := db.Commit(&batch); err != nil {
			p.t.Fatal(err)
		}
	}
}

func pastID(of string, n int) session.ID {
	return session.ID(fmt.Sprintf("%s%07d-0000-4000-8000-000000000000", of, n))
}

func pastSession(n int, at time.Time) session.Session {
	return session.Session{ID: pastID("s", n), Token: fmt.Sprintf("shop-%04x", n), Project: "/home/ann/shop",
		Cwd: "/home/ann/shop", State: session.Ended, Hooked: true, Since: at, SeenAt: at,
		Transcript: fmt.Sprintf("/home/ann/.claude/projects/shop/%s.jsonl", pastID("s", n))}
}

// pastAsk returns an ask that was answered and whose call has run. The last ones are of one session.
func pastAsk(n int, at time.Time) ask.Ask {
	of := pastID("s", n/2)
	if n >= pastAsks-longAsks {
		of = longSession
	}
	return ask.Ask{ID: ask.ID(fmt.Sprintf("ask_past%08d", n)), Kind: ask.Permission, State: ask.Delivered, Session: of,
		Tool: "Bash", Text: strings.Repeat("make deploy && ", 20), Hash: fmt.Sprintf("%064x", n), Cwd: "/home/ann/shop",
		Attended: true, Nonce: fmt.Sprintf("%016x", n), OpenedAt: at, ExpiresAt: at.Add(time.Hour), CardAt: at, Shown: true,
		SettledAt: at.Add(time.Minute), Run: &ask.Run{OK: true, At: at.Add(time.Minute)},
		Decision: &ask.Decision{Allow: true, By: "Ann", Channel: "telegram", At: at.Add(time.Minute)}}
}

func pastMessage(n int, at time.Time) message.Message {
	return message.Message{ID: message.ID(fmt.Sprintf("msg_%08d", n)), Key: fmt.Sprint("telegram:", n), Session: pastID("s", n/2),
		State: message.Done, Seq: int64(n + 1), Text: strings.Repeat("please look at it ", 10), By: "Ann", Channel: "telegram",
		At: at, DeliveredAt: at, DoneAt: at}
}

func pastRun(n int, at time.Time) run.Run {
	return run.Run{ID: run.ID(fmt.Sprintf("run_%08d", n)), Name: fmt.Sprintf("run-%d", n), Agent: "claude", State: run.Idle,
		Since: at, Dir: "/home/ann/shop", Mode: run.AcceptEdits, Conversation: string(pastID("c", n)), By: "Ann", StartedAt: at,
		Fence: 1, Turns: 1, Turn: run.Turn{Prompt: strings.Repeat("mend the clock ", 20), Begun: at},
		Result: strings.Repeat("It was the clock. ", 20), LastText: "It was the clock."}
}

// restart ends the coordinator and starts it anew. It returns how long the start took.
func (p *past) restart() time.Duration {
	p.t.Helper()
	p.phone.afar("stop")
	awaitEnd(p.t, p.dirs.Config)
	begun := time.Now()
	p.run()
	return time.Since(begun)
}

// starts returns how long a coordinator takes to serve, in ms.
func (p *past) starts() float64 {
	var took []time.Duration
	for range 5 {
		took = append(took, p.restart())
	}
	p.signIn()
	return p50(took)
}

// memory returns what the coordinator holds a while after its start, in MB.
func (p *past) memory() float64 {
	time.Sleep(3 * time.Second) // the length of it is what is measured
	return float64(p.usage().memory) / (1 << 20)
}

// idle measures what all of them spend while nothing happens and five sessions are open on each, in the same 40 seconds.
// They end before the work of each day, which begins a minute after a start.
func idle(all ...*past) {
	const long = 40 * time.Second
	spent, switched := make([]time.Duration, len(all)), make([]int, len(all))
	for i, p := range all {
		spent[i], switched[i] = p.spent(), p.switched()
	}
	time.Sleep(long) // the length of it is what is measured
	for i, p := range all {
		p.idle = (p.spent() - spent[i]).Seconds() * 1e3 / long.Seconds()
		p.switches = float64(p.switched()-switched[i]) / long.Seconds()
	}
}

// question returns the processor time of the coordinator for one question, from the hook to the
// answer, in ms.
func (p *past) question() float64 {
	p.ask(3)
	const n = 20
	before := p.spent()
	p.ask(n)
	return (p.spent() - before).Seconds() * 1e3 / n
}

func (p *past) ask(n int) {
	p.t.Helper()
	for range n {
		p.asked++
		mark := fmt.Sprintf("target-%05d", p.asked)
		in := p.phone.session(longSession, mark).with(payload{"tool_name": "Bash",
			"tool_input": payload{"command": "make " + mark}})
		hook := p.phone.start("PermissionRequest", in, "CLAUDE_CODE_SESSION_ATTENDED=1", p.client)
		if _, err := p.phone.ann.Tap(p.phone.current(mark)[0].ID, "Allow"); err != nil {
			p.t.Fatal(err)
		}
		if _, err := hook.wait(); err != nil {
			p.t.Fatal(err)
		}
	}
}

// page returns how long a page takes, in ms.
func (p *past) page(path string) float64 {
	var took []time.Duration
	for range 25 {
		begun := time.Now()
		if r := p.send(request{path: path}); r.StatusCode != http.StatusOK {
			p.t.Fatalf("%s is %s", path, r.Status)
		}
		took = append(took, time.Since(begun))
	}
	return p50(took)
}

// outcome returns how long the hook takes that reports a call of the long session, in ms.
func (p *past) outcome() float64 {
	var took []time.Duration
	for n := range 40 {
		begun := time.Now()
		p.hook("PostToolUse", longSession, payload{"tool_name": "Bash", "tool_use_id": fmt.Sprintf("toolu_%026d", longCalls-1-n),
			"tool_input": payload{"command": "make"}, "tool_response": payload{}})
		took = append(took, time.Since(begun))
	}
	return p50(took)
}

func (p *past) hook(event, id string, in payload) {
	p.t.Helper()
	if _, err := p.phone.start(event, p.phone.session(id, "p").with(in), "CLAUDE_CODE_SESSION_ATTENDED=1", p.client).wait(); err != nil {
		p.t.Fatal(err)
	}
}

// spent returns the processor time of the coordinator. The system counts it in nanoseconds here, and
// in hundredths of a second elsewhere.
func (p *past) spent() (all time.Duration) {
	p.eachThread("schedstat", func(text string) {
		ns, _ := strconv.ParseInt(strings.Fields(text)[0], 10, 64)
		all += time.Duration(ns)
	})
	return all
}

// switched returns how often the threads of the coordinator were taken from a processor or left it.
func (p *past) switched() (all int) { return switches(p.t, p.pid) }

func (p *past) eachThread(file string, do func(text string)) { eachThread(p.t, p.pid, file, do) }

// switches returns how often the threads of a process were taken from a processor or left it.
func switches(t testing.TB, pid int) (all int) {
	eachThread(t, pid, "status", func(text string) {
		for line := range strings.Lines(text) {
			if name, n, _ := strings.Cut(line, ":"); strings.HasSuffix(name, "voluntary_ctxt_switches") {
				count, _ := strconv.Atoi(strings.TrimSpace(n))
				all += count
			}
		}
	})
	return all
}

// eachThread reads a file of each thread of a process.
func eachThread(t testing.TB, pid int, file string, do func(text string)) {
	t.Helper()
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/%s", pid, file))
	if len(files) == 0 {
		t.Fatalf("process %d has no threads", pid)
	}
	for _, name := range files {
		if text, err := os.ReadFile(name); err == nil { // a thread may have ended
			do(string(text))
		}
	}
}
