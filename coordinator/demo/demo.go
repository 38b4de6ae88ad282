// Package demo shows the whole product in a minute: a scripted session in a place of its own
// asks, is stopped, loops and is taken a step back. Nothing of the person's is touched. The
// story is in story.go.
package demo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/host/claude/sandbox"
	"github.com/afar-sh/afar/coordinator/wire"
	"github.com/afar-sh/afar/coordinator/wording"
)

// Config is what a demo needs.
type Config struct {
	Bin     string // the folder of Afar's programs
	Plugin  string // the folder that holds plugin/, for a real client
	Client  string // the executable of Claude Code; without one, Afar's hooks are run as it runs them
	Version string // of the client
	Path    string // PATH, for git and the shell
	Yes     bool   // the demo answers by itself
	// Typed are the lines that the person types, nil where nobody can type.
	Typed <-chan string
	// Tell shows one line to the person.
	Tell func(Kind, string)
	// Report shows the report at the end.
	Report func(wire.ReportReply)
	// Open shows a page of the browser, nil where there is none.
	Open func(url string) error
	// Connect returns the way to the coordinator of the demo.
	Connect func(bin string, env []string) Coordinator
}

// A Kind says what a line is.
type Kind int

// The kinds of lines.
const (
	Title  Kind = iota // of an act
	Tale               // what is about to happen
	Wish               // what the person is asked for
	Result             // what came of it
	Aside              // what can be skipped
)

// A Coordinator takes calls. The first call starts it.
type Coordinator interface {
	// Call makes one call, which the coordinator may hold for wait.
	Call(ctx context.Context, op string, in, out any, wait time.Duration) error
}

// call makes one call and reads the reply into out, unless that is nil.
func call[Request, Reply any](
	ctx context.Context, d *demo, op wire.Op[Request, Reply], in Request, out *Reply, wait time.Duration,
) error {
	return d.co.Call(ctx, string(op), in, wire.Into(out), wait)
}

// A session plays the turns of the story until ctx ends.
type session interface {
	// play returns once all programs of the session have ended, so nothing of it writes after that.
	play(ctx context.Context) error
}

// A demo is one run.
type demo struct {
	Config
	room    sandbox.Room
	co      Coordinator
	stop    func() // ends the session; nil before it begins
	began   time.Time
	acts    []chan struct{} // closed when the act begins
	seen    []wire.Entry    // of the journal, without those that proved something
	told    []string        // the ids of the questions that the person was told of
	last    int64           // the sequence of the last entry that was read
	over    chan error      // the end of the session
	hasPage bool            // the person can decide on the page
	browser *browser        // answers by itself; nil where the person answers
}

// Run plays the demo to its end. It removes everything that it made, also when ctx ends. An
// error says what did not happen as told.
func Run(ctx context.Context, c Config) (err error) {
	room, err := sandbox.NewRoom(sandbox.Spec{Name: "afar-demo-", Project: project, Bin: c.Bin, Path: c.Path})
	if err != nil {
		return fmt.Errorf("prepare the demo: %w", err)
	}
	d := &demo{Config: c, room: room, began: time.Now(), over: make(chan error, 1)}
	defer d.remove()
	for range story {
		d.acts = append(d.acts, make(chan struct{}))
	}
	if err := d.prepare(ctx); err != nil {
		return fmt.Errorf("prepare the demo: %w", err)
	}
	return d.tell(ctx)
}

// remove ends the session and the coordinator, and removes the place of the demo.
func (d *demo) remove() {
	if d.stop != nil {
		d.stop()
		<-d.over
	}
	d.room.Remove()
}

// prepare makes the project, starts the coordinator and begins the session.
func (d *demo) prepare(ctx context.Context) error {
	d.Tell(Tale, "The demo lives in "+d.room.Dir()+" and touches nothing of yours.")
	d.Tell(Tale, d.player())
	if err := errors.Join(d.makeProject(ctx), d.configure()); err != nil {
		return err
	}
	d.co = d.Connect(d.room.Bin(), d.environment())
	if err := d.openPage(ctx); err != nil {
		return err
	}
	return d.begin(ctx)
}

// player says who plays the session.
func (d *demo) player() string {
	if d.Client == "" {
		return "There is no Claude Code here, so Afar's hooks are run as Claude Code runs them."
	}
	return "Claude Code " + d.Version + " plays the session, with a script for a model. Nothing leaves this machine."
}

// environment is that of all programs of the demo.
func (d *demo) environment() []string { return append(d.room.Env(), "AFAR_WEB_ADDR=127.0.0.1:0") }

// configure lets the session rest where it stops: the story needs no more questions.
func (d *demo) configure() error {
	if err := os.MkdirAll(d.room.AfarHome(), 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(d.room.AfarHome(), "config.toml"), []byte("[checkin]\nhold = \"0s\"\n"), 0o600)
}

func (d *demo) makeProject(ctx context.Context) error {
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(d.room.Project(), name)), 0o700); err != nil {
			return err
		}
		if err := d.room.Write(name, text); err != nil {
			return err
		}
	}
	for _, args := range [][]string{
		{"init", "-q", "-b", "main"},
		append([]string{"add"}, tracked...),
		{"-c", "user.name=demo", "-c", "user.email=demo@localhost", "commit", "-q", "-m", "Greet people"},
	} {
		git := exec.CommandContext(ctx, "git", args...)
		git.Dir, git.Env = d.room.Project(), d.room.Env()
		if out, err := git.CombinedOutput(); err != nil {
			return fmt.Errorf("git %s: %w: %s", args[0], err, out)
		}
	}
	return nil
}

// begin begins the session, which waits for the first act.
func (d *demo) begin(ctx context.Context) error {
	s, err := d.newSession()
	if err != nil {
		return err
	}
	ctx, d.stop = context.WithCancel(ctx)
	go func() { d.over <- s.play(ctx) }()
	return nil
}

func (d *demo) newSession() (session, error) {
	if d.Client == "" {
		return d.newHooks()
	}
	return d.newClient()
}

// turn returns the n-th answer of the model. It waits until the act of that turn has begun.
// It returns false after the last turn.
func (d *demo) turn(ctx context.Context, n int) (t sandbox.Turn, ok bool) {
	for i, act := range story {
		if n >= len(act.turns) {
			n -= len(act.turns)
			continue
		}
		select {
		case <-d.acts[i]:
			return d.fill(ctx, act.turns[n]), true
		case <-ctx.Done():
			return t, false
		}
	}
	return t, false
}

// fill returns a turn with the person's answer and the project's folder in its input.
func (d *demo) fill(ctx context.Context, t sandbox.Turn) sandbox.Turn {
	input := map[string]any{}
	for key, value := range t.Input {
		if text, ok := value.(string); ok {
			text = strings.ReplaceAll(text, projectMark, d.room.Project())
			if strings.Contains(text, answerMark) {
				text = strings.ReplaceAll(text, answerMark, d.answered(ctx))
			}
			value = text
		}
		input[key] = value
	}
	t.Input = input
	return t
}

// answered returns the person's answer to the session's question, and the first option where
// there is none.
func (d *demo) answered(ctx context.Context) string {
	asks, _ := d.asks(ctx) // without the answer the story goes on as well
	for _, a := range asks {
		if a.Kind == wording.Question && len(a.Questions) > 0 && a.Questions[0].Answer != "" {
			return a.Questions[0].Answer
		}
	}
	return "Hello"
}

// asks returns the questions of the session, with those that are settled.
func (d *demo) asks(ctx context.Context) ([]wire.ReportedAsk, error) {
	r, err := d.report(ctx)
	return r.Asks, err
}

func (d *demo) report(ctx context.Context) (r wire.ReportReply, err error) {
	err = call(ctx, d, wire.OpReport, wire.ReportRequest{Since: d.began.UnixMilli()}, &r, 0)
	return r, err
}
