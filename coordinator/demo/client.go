package demo

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"

	"github.com/creack/pty"

	"github.com/afar-sh/afar/coordinator/host/claude/sandbox"
)

// clientSession is a session of the real Claude Code, at a terminal that nobody sees, with the
// story for a model.
type clientSession struct {
	*demo
	model    *sandbox.Model
	client   *exec.Cmd
	terminal *os.File
}

// newClient prepares the client; play starts it.
func (d *demo) newClient() (session, error) {
	settings := map[string]any{
		"permissions":          map[string]any{"allow": []string{"Write"}},
		"prefersReducedMotion": true,
	}
	if err := errors.Join(d.room.CopyPlugin(d.Plugin), d.room.Settings(settings)); err != nil {
		return nil, err
	}
	model, err := sandbox.StartModel(func(ctx context.Context, said []sandbox.Message) sandbox.Turn {
		t, ok := d.turn(ctx, sandbox.Answered(said))
		if !ok {
			return sandbox.Say("ok")
		}
		return t
	})
	if err != nil {
		return nil, err
	}
	return &clientSession{demo: d, model: model}, nil
}

// play starts the client with the task once the first act has begun, and returns when the client
// has ended.
func (c *clientSession) play(ctx context.Context) error {
	select {
	case <-c.acts[0]:
	case <-ctx.Done():
		return ctx.Err()
	}
	c.client = exec.Command(c.Client, "--plugin-dir", c.room.Plugin(), "--permission-mode", "default", task)
	c.client.Dir = c.room.Project()
	c.client.Env = append(c.room.ClientEnv(c.model.URL), "TERM=xterm-256color")
	terminal, err := pty.StartWithSize(c.client, &pty.Winsize{Rows: 45, Cols: 140})
	if err != nil {
		return err
	}
	c.terminal = terminal
	_, _ = io.Copy(io.Discard, terminal) // it ends with an error when the client does
	return errors.New("the client has ended")
}

// close takes the terminal away, and waits for the client.
func (c *clientSession) close() {
	if c.client != nil {
		_ = c.terminal.Close()
		end(c.client)
	}
	c.model.Close()
}
