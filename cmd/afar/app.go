package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/afar-sh/afar/coordinator/client"
	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/peer"
	"github.com/afar-sh/afar/coordinator/terminal"
	"github.com/afar-sh/afar/coordinator/wire"
)

const (
	// startFor bounds a call that may have to start the coordinator.
	startFor = 10 * time.Second
	// answerFor bounds a call to a coordinator that already runs.
	answerFor = 5 * time.Second
	// retryEvery is the pause before a coordinator that is closing is called again.
	retryEvery = 50 * time.Millisecond
)

// An app holds the parts of the process that all commands need: its streams, its
// environment and the directory of Afar's binaries.
type app struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	getenv         func(string) string
	bin            string // directory of our binaries
	machine        string // of the fleet, which carries out what is asked for; "" for this one
	now            func() time.Time
	// byHost says that Claude Code itself started this command, with an environment that the
	// project's settings may have changed.
	byHost bool
	// alone says that this process runs this command and nothing else. A coordinator may then
	// change what holds for the whole process, and end it.
	alone bool
}

// dirs returns the directories in force.
func (a *app) dirs() (home.Dirs, error) {
	if a.byHost {
		d, _, err := home.ForHook(a.bin, a.getenv)
		return d, err
	}
	return home.ForPerson(a.bin, a.getenv)
}

// client returns a client for the coordinator of the home in force.
func (a *app) client() (*client.Client, error) {
	d, err := a.dirs()
	if err != nil {
		return nil, err
	}
	return &client.Client{Dirs: d, Bin: a.bin, Env: func() []string { return a.coordinatorEnv(d) }}, nil
}

// coordinatorEnv returns the environment of a coordinator that this command starts.
// Inside a session it passes on no variables, because the session controls them.
func (a *app) coordinatorEnv(d home.Dirs) []string {
	env := d.Env()
	if a.byHost || home.InSession(a.getenv) {
		return env
	}
	for _, name := range []string{
		"AFAR_TELEGRAM_API", "AFAR_TELEGRAM_TOKEN", "AFAR_TELEGRAM_TOKEN_FILE", "AFAR_WEB_ADDR", "LANG", "TZ",
	} {
		if v := a.getenv(name); v != "" {
			env = append(env, name+"="+v)
		}
	}
	return env
}

// personOnly returns an error inside a session, for decisions that do not go through the
// coordinator. If a coordinator runs, it is asked too: it knows more, and journals the
// attempt.
func (a *app) personOnly(what string) error {
	_, err := call(context.Background(), a, wire.OpPerson, wire.Named{ID: what}, running)
	var no refusal
	if a.inSession() || errors.As(err, &no) && no.code == wire.CodeDenied {
		return fmt.Errorf("%s is a decision of the person: type it in a terminal of your own, not inside a session",
			what)
	}
	return nil
}

// inSession reports whether a session started this program. It also asks the kernel,
// because a session can change its environment.
func (a *app) inSession() bool { return home.InSession(a.getenv) || peer.Session() != "" }

// A way is how a call is made. It returns the reply line.
type way func(*client.Client, wire.Request) ([]byte, error)

// starting starts the coordinator if none is running.
func starting(c *client.Client, r wire.Request) ([]byte, error) {
	return c.CallStarting(r, time.Now().Add(startFor))
}

// soon is like starting, but waits only as long as a hook would. It is for commands that must also work
// without a coordinator.
func soon(c *client.Client, r wire.Request) ([]byte, error) {
	return c.CallStarting(r, time.Now().Add(answerFor))
}

// running does not start a coordinator.
func running(c *client.Client, r wire.Request) ([]byte, error) { return patient(0)(c, r) }

// patient is like running, for an operation that may take as long as wait.
func patient(wait time.Duration) way {
	return func(c *client.Client, r wire.Request) ([]byte, error) {
		return c.Call(r, time.Now().Add(wait+answerFor))
	}
}

// reviving is like patient, but starts the coordinator if none is running, even if it ends during the call.
func reviving(wait time.Duration) way {
	return func(c *client.Client, r wire.Request) ([]byte, error) {
		line, err := patient(wait)(c, r)
		if err == nil {
			return line, nil
		}
		if _, err := starting(c, wire.Request{V: wire.Version, Op: string(wire.OpStatus)}); err != nil {
			return nil, err
		}
		return patient(wait)(c, r)
	}
}

// call makes one call and returns the reply. how is one way; without it the way is starting.
func call[Request, Reply any](
	ctx context.Context, a *app, op wire.Op[Request, Reply], in Request, how ...way,
) (out Reply, err error) {
	err = a.exchange(ctx, string(op), in, &out, append(how, starting)[0])
	return out, err
}

// exchange sends in and decodes the reply's body into out, which may be nil. A
// coordinator that is closing has done nothing, so it is called again.
func (a *app) exchange(ctx context.Context, op string, in, out any, send way) error {
	c, err := a.client()
	if err != nil {
		return err
	}
	body, err := marshal(in)
	if err != nil {
		return fmt.Errorf("encode request: %w", err)
	}
	c.Over = ctx.Done()
	req := wire.Request{V: wire.Version, Op: op, Body: body}
	if a.machine != "" {
		body, err := marshal(wire.MachineCall{Machine: a.machine, Op: op, Body: body})
		if err != nil {
			return fmt.Errorf("encode request: %w", err)
		}
		req, send = wire.Request{V: wire.Version, Op: string(wire.OpMachineCall), Body: body}, reviving(fleetFor)
	}
	for end := time.Now().Add(startFor); ; {
		line, err := interruptible(ctx, func() ([]byte, error) { return send(c, req) })
		if err != nil {
			return a.unreachable(c.Dirs, err)
		}
		err = decode(line, out)
		var no refusal
		if !errors.As(err, &no) || no.code != wire.CodeClosing || time.Now().After(end) {
			return err
		}
		time.Sleep(retryEvery)
	}
}

// interruptible runs f and returns errInterrupted when ctx ends first. f then goes on
// in the background until its own deadline or the end of the process.
func interruptible[T any](ctx context.Context, f func() (T, error)) (v T, err error) {
	done := make(chan struct{})
	var got T
	var failed error
	go func() {
		got, failed = f()
		close(done)
	}()
	select {
	case <-done:
		return got, failed
	case <-ctx.Done():
		return v, errInterrupted
	}
}

func decode(line []byte, out any) error {
	var r struct {
		V     int             `json:"v"`
		Code  *string         `json:"code"`
		Error string          `json:"error"`
		Body  json.RawMessage `json:"body"`
	}
	if err := json.Unmarshal(line, &r); err != nil || r.V == 0 || r.Code == nil {
		return fmt.Errorf("%w: another program listens there, which does not speak our protocol", client.ErrUnreachable)
	}
	if *r.Code != wire.CodeOK {
		return refusal{*r.Code, r.Error}
	}
	if out == nil || len(r.Body) == 0 { // the caller takes no reply, or the reply has no body
		return nil
	}
	if err := json.Unmarshal(r.Body, out); err != nil {
		return fmt.Errorf("read the coordinator's answer: %w", err)
	}
	return nil
}

func marshal(in any) (wire.Raw, error) {
	if in == nil {
		return nil, nil
	}
	return json.Marshal(in)
}

// unreachable adds to err the last words of a coordinator that failed, or else a hint at
// afar doctor.
func (a *app) unreachable(d home.Dirs, err error) error {
	if !errors.Is(err, client.ErrUnreachable) {
		return err
	}
	hint := "`afar doctor` says what is wrong"
	if words := lastWords(d, a.now()); words != "" && !strings.Contains(err.Error(), words) {
		hint = "its last words: " + words
	}
	return fmt.Errorf("%w; %s", err, hint)
}

// lastWords returns the last line that a coordinator printed before its log was open. It
// returns "" if that was not just now.
func lastWords(d home.Dirs, now time.Time) string {
	path := d.CrashLog()
	info, err := os.Stat(path)
	if err != nil || now.Sub(info.ModTime()) > 2*startFor {
		return ""
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	lines := bytes.Split(bytes.TrimSpace(raw), []byte("\n"))
	return terminal.OneLine(strings.TrimPrefix(string(lines[len(lines)-1]), "afar: "), 200)
}

// read makes one call that reads, and shows the reply. With asJSON it prints the reply
// unchanged, so that nothing from a newer coordinator is lost; otherwise it calls render.
func read[Request, Reply any](
	ctx context.Context, a *app, op wire.Op[Request, Reply], in Request, asJSON bool, render func(*terminal.Page, Reply),
) error {
	var raw json.RawMessage
	if err := a.exchange(ctx, string(op), in, &raw, starting); err != nil {
		return err
	}
	if asJSON {
		return a.printJSON(raw)
	}
	var v Reply
	if err := json.Unmarshal(raw, &v); err != nil {
		return fmt.Errorf("read the coordinator's answer: %w", err)
	}
	render(a.page(), v)
	return nil
}

// asking makes c a command that makes one call and shows the reply, or prints it with --json, which has the form that
// form says. request reads the arguments; without it the operation needs none.
func asking[Request, Reply any](
	a *app, c *cobra.Command, op wire.Op[Request, Reply], form string,
	request func(args []string) (Request, error), render func(*terminal.Page, Reply),
) *cobra.Command {
	asJSON := jsonFlag(c, form)
	c.RunE = func(c *cobra.Command, args []string) (err error) {
		var in Request
		if request != nil {
			in, err = request(args)
		}
		if err != nil {
			return err
		}
		return read(c.Context(), a, op, in, *asJSON, render)
	}
	return c
}

// named is the request of a command whose only argument names a thing.
func named(args []string) (wire.Named, error) { return wire.Named{ID: args[0]}, nil }
