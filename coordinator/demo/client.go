package demo

import (
	"context"
	"errors"
	"io"
	"os/exec"

	"github.com/creack/pty"

	"github.com/afar-sh/afar/coordinator/host/claude/sandbox"
)

// clientSession is a session of the real Claude Code, at a terminal that nobody sees, with the
// story for a model.
type clientSession struct {
	*demo
	model *sandbox.Model
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

// play starts the client with the task once the first act has begun, and takes the terminal away
// when ctx ends.
func (c *clientSession) play(ctx context.Context) error {
	defer c.model.Close()
	select {
	case <-c.acts[0]:
	case <-ctx.Done():
		return ctx.Err()
	}
	client := exec.Command(c.Client, "--plugin-dir", c.room.Plugin(), "--permission-mode", "default", task)
	client.Dir = c.room.Project()
	client.Env = append(c.room.ClientEnv(c.model.URL), "TERM=xterm-256color")
	terminal, err := pty.StartWithSize(client, &pty.Winsize{Rows: 45, Cols: 140})
	if err != nil {
		return err
	}
	defer end(client)
	defer terminal.Close()
	ended := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, terminal) // it ends with an error when the client does
		close(ended)
	}()
	select {
	case <-ended:
		return errors.New("the client has ended")
	case <-ctx.Done():
		return ctx.Err()
	}
}
