package agentrun

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/afar-sh/afar/coordinator/client"
	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/host"
	"github.com/afar-sh/afar/coordinator/host/agents"
	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/text"
	"github.com/afar-sh/afar/coordinator/wire"
)

// A turn is one turn of a run, as this process drives it.
type turn struct {
	id     string
	fence  int64
	bin    string
	dirs   home.Dirs
	getenv func(string) string
	client *client.Client
	told   chan os.Signal // somebody wants the turn to end

	spec     wire.RunTurnReply
	adapter  host.Agent
	known    host.Turn // what the adapter got to know when the agent was started
	program  string    // the path of the agent, "" if another process has started it
	agent    *agent
	reporter *reporter
	watch    run.Watch
	said     string  // what the agent wrote last
	failure  string  // what it said of the failure that is its last result
	over     run.End // what is known of the end so far
}

// reportFor is how long this process tries to reach a coordinator with the end of a turn. The
// output stays on the disk, for another process.
const reportFor = 30 * time.Minute

// drive drives a turn to its end.
func drive(t *turn) error {
	// before the coordinator knows this process
	signal.Notify(t.told, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	in := wire.RunTurnRequest{ID: t.id, Turn: t.fence, Walls: true}
	if err := call(t, wire.OpRunTurn, in, &t.spec, time.Minute); err != nil {
		return err
	}
	var err error
	if t.adapter, err = agents.Speaking(cmp.Or(t.spec.Protocol, t.spec.Agent)); err != nil {
		return t.end(run.End{Exit: -1, Refused: fmt.Sprintf("agent %q: %v", t.spec.Agent, err)})
	}
	if err := os.MkdirAll(t.dir(), 0o700); err != nil {
		return t.end(notStarted(err))
	}
	t.forgetOld()
	defer t.keepSignedIn()()
	agent, err := t.takeAgent()
	if err != nil {
		return t.end(notStarted(err))
	}
	defer t.keepServed()()
	t.agent, t.watch = agent, run.NewWatch(t.times(), time.Now())
	t.reporter = newReporter(t, t.spec.Seq)
	switch a := t.adapter.(type) {
	case host.Streamer:
		return t.follow(a.Stream())
	case host.Talker:
		return t.converse(a)
	}
	return t.end(run.End{Exit: -1, Refused: fmt.Sprintf("agent %q has no transport", t.spec.Agent)})
}

// times returns how long the agent may take.
func (t *turn) times() run.Times {
	return run.Times{
		Silence: time.Duration(t.spec.SilenceMS) * time.Millisecond,
		Ending:  time.Duration(t.spec.EndingMS) * time.Millisecond,
		Leaving: time.Duration(t.spec.LeavingMS) * time.Millisecond,
	}.Or(run.Usual)
}

// end reports the end of the turn.
func (t *turn) end(e run.End) error {
	e.Yields, e.Told = t.over.Yields, t.over.Told
	if t.reporter != nil && !t.reporter.flush() {
		return nil // the turn is over already
	}
	raw, err := json.Marshal(e)
	if err != nil {
		return err
	}
	err = call(t, wire.OpRunEnd, wire.RunEndRequest{ID: t.id, Turn: t.fence, End: raw}, nil, reportFor)
	if errors.Is(err, errRefused) {
		return nil // an earlier report of this process or another one has arrived
	}
	return err
}

func (t *turn) dir() string { return t.dirs.RunFiles(t.id) }

// file returns the path of a file of this turn: in, out or err.
func (t *turn) file(kind string) string {
	return filepath.Join(t.dir(), strconv.FormatInt(t.fence, 10)+"."+kind)
}

// forgetOld removes the files of earlier turns.
func (t *turn) forgetOld() {
	names, _ := filepath.Glob(filepath.Join(t.dir(), "*"))
	for _, name := range names {
		number, _, _ := strings.Cut(filepath.Base(name), ".")
		if n, err := strconv.ParseInt(number, 10, 64); err == nil && n < t.fence {
			_ = os.Remove(name) // what stays is removed with the run
		}
	}
}

// see takes events of the agent.
func (t *turn) see(events []run.Event) {
	now := time.Now()
	for _, e := range events {
		t.watch.See(e, now)
		switch e.Kind {
		case run.Init:
			noteLast(t.dirs, t.spec.Agent, t.program, e.Text)
		case run.Text:
			t.said = text.ClipBytes(text.Fold(e.Text), maxWords)
		case run.Result:
			t.over.Result, t.over.Failed, t.over.Final = true, e.Failed, e.Final
			t.over.Lost, t.over.Deferred, t.failure = e.Lost, e.Deferred, ""
			if e.Failed {
				t.failure = text.ClipBytes(text.Fold(e.Text), maxWords)
			}
		}
	}
	t.reporter.add(events)
}

// refuse ends the turn at once, unless why is "".
func (t *turn) refuse(why string) {
	if why != "" && t.over.Refused == "" {
		t.over.Refused = why
		t.agent.kill()
	}
}

// result returns the end of the turn, from what was read and how the agent's process ended.
func (t *turn) result(x exit) run.End {
	e := t.over
	e.Exit, e.Killed = x.code, x.killed
	e.Words = cmp.Or(t.times().Words(e.Clock), t.failure, t.words(), t.said)
	return e
}

// Bounds of the last words of an agent.
const (
	maxWords  = 500
	wordLines = 5
)

// words returns the last lines that the agent printed on stderr.
func (t *turn) words() string {
	raw, _ := os.ReadFile(t.file("err"))
	lines := strings.Split(strings.TrimSpace(strings.ToValidUTF8(string(raw), "\uFFFD")), "\n")
	return text.ClipBytes(text.Fold(strings.Join(lines[max(0, len(lines)-wordLines):], " ")), maxWords)
}
