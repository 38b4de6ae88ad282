package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/home"
	"github.com/afar-sh/afar/coordinator/wire"
)

// noon returns the time of all these tests.
func noon() time.Time { return time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC) }

func before(d time.Duration) int64 { return noon().Add(-d).UnixMilli() }

// A shell runs commands of Afar inside this process, with its own home.
type shell struct {
	t      *testing.T
	env    map[string]string
	bin    string
	stdin  string
	stdout bytes.Buffer
	stderr bytes.Buffer
}

func newShell(t *testing.T) *shell {
	dir := t.TempDir()
	env := map[string]string{"HOME": dir, "AFAR_HOME": dir + "/afar", "PATH": dir + "/bin", "AFAR_WEB_ADDR": "off"}
	return &shell{t: t, bin: dir + "/bin", env: env}
}

func (s *shell) getenv(name string) string { return s.env[name] }

func (s *shell) dirs() home.Dirs {
	s.t.Helper()
	d, err := home.ForPerson(s.bin, s.getenv)
	if err != nil {
		s.t.Fatal(err)
	}
	return d
}

func (s *shell) run(args ...string) int { return s.runIn(s.t.Context(), args...) }

func (s *shell) runIn(ctx context.Context, args ...string) int {
	s.stdout.Reset()
	s.stderr.Reset()
	return run(ctx, args, &app{
		stdin: bytes.NewBufferString(s.stdin), stdout: &s.stdout, stderr: &s.stderr,
		getenv: s.getenv, bin: s.bin, now: noon,
	})
}

// A handler answers one operation.
type handler func(body json.RawMessage) wire.Reply

// A standIn is a coordinator with fixed answers.
type standIn struct {
	t  *testing.T
	mu sync.Mutex
	do map[string]handler
	// asked are the requests so far.
	asked []wire.Request
}

// serve listens at the shell's socket until the test ends.
func (s *shell) serve() *standIn {
	s.t.Helper()
	d := s.dirs()
	if err := d.MakeRun(); err != nil {
		s.t.Fatal(err)
	}
	l, err := net.Listen("unix", d.Socket())
	if err != nil {
		s.t.Fatal(err)
	}
	c := &standIn{t: s.t, do: map[string]handler{}}
	var busy sync.WaitGroup
	busy.Go(func() {
		for conn, err := l.Accept(); err == nil; conn, err = l.Accept() {
			busy.Go(func() { c.answer(conn) })
		}
	})
	s.t.Cleanup(func() { l.Close(); busy.Wait() })
	return c
}

func (c *standIn) answer(conn net.Conn) {
	defer conn.Close()
	line, err := bufio.NewReader(conn).ReadBytes('\n')
	if err != nil {
		return // the caller only checked that a coordinator listens
	}
	var req wire.Request
	if err := json.Unmarshal(line, &req); err != nil {
		c.t.Errorf("request %q: %v", line, err)
		return
	}
	c.mu.Lock()
	c.asked = append(c.asked, req)
	do := c.do[req.Op]
	c.mu.Unlock()
	reply := wire.Reply{V: wire.Version, Code: wire.CodeUnknownOp, Error: "this coordinator does not know " + req.Op}
	if do != nil {
		reply = do(json.RawMessage(req.Body))
	}
	out, err := json.Marshal(reply)
	if err != nil {
		c.t.Errorf("reply: %v", err)
	}
	_, _ = conn.Write(append(out, '\n'))
}

// on sets the answer to an operation.
func (c *standIn) on(op fmt.Stringer, do handler) *standIn {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.do[op.String()] = do
	return c
}

// says answers an operation with a body.
func (c *standIn) says(op fmt.Stringer, body any) *standIn {
	raw, err := json.Marshal(body)
	if err != nil {
		c.t.Fatal(err)
	}
	return c.on(op, func(json.RawMessage) wire.Reply { return wire.Reply{V: wire.Version, Body: raw} })
}

// refuses answers an operation with a code.
func (c *standIn) refuses(op fmt.Stringer, code, text string) *standIn {
	return c.on(op, func(json.RawMessage) wire.Reply { return wire.Reply{V: wire.Version, Code: code, Error: text} })
}

// body returns the body of the last request for an operation.
func (c *standIn) body(op fmt.Stringer) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := len(c.asked) - 1; i >= 0; i-- {
		if c.asked[i].Op == op.String() {
			return string(c.asked[i].Body)
		}
	}
	return ""
}
