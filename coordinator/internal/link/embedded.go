package link

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"sync"
	"time"

	"github.com/afar-sh/afar/coordinator/fleetserver"
)

// A Server is where a hub's messages go: Embedded or Cluster.
type Server interface{ isServer() }

// Embedded is a server of the hub's own: cmd/fleet-server, a process that ends with this one.
type Embedded struct {
	Bin    string // the program
	Listen string // host and port
	Dir    string // of the certificate
}

// Cluster is a cluster of NATS that is already there.
type Cluster struct {
	URL   string
	Creds string // the text of a file with credentials
}

func (Embedded) isServer() {}
func (Cluster) isServer()  {}

// replyWithin is how long the server may take for a new state.
const replyWithin = 10 * time.Second

// A process is a running server.
type process struct {
	mu      sync.Mutex
	cmd     *exec.Cmd
	in      io.WriteCloser
	replies chan fleetserver.Reply
	over    chan struct{}
}

// startServer starts a server and returns when it listens.
func startServer(ctx context.Context, bin string, first fleetserver.State) (*process, error) {
	p := &process{cmd: exec.Command(bin), replies: make(chan fleetserver.Reply, 1), over: make(chan struct{})}
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("the server of the fleet does not start: %w", err)
	}
	go p.watch(out)
	if err := p.say(ctx, first); err != nil {
		p.stop()
		return nil, err
	}
	return p, nil
}

// watch passes on what the server says, until it ends.
func (p *process) watch(out io.Reader) {
	defer close(p.over)
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		var r fleetserver.Reply
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			r.Error = "it says what is no reply: " + err.Error()
		}
		select {
		case p.replies <- r:
		case <-time.After(replyWithin): // nobody asked
		}
	}
	_ = p.cmd.Wait() // how it ended says nothing that its last line did not
}

// say tells the server a state and waits until it has taken it.
func (p *process) say(ctx context.Context, state fleetserver.State) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := json.NewEncoder(p.in).Encode(state); err != nil {
		return fmt.Errorf("the server of the fleet hears nothing: %w", err)
	}
	limit := time.NewTimer(replyWithin)
	defer limit.Stop()
	select {
	case r := <-p.replies:
		if r.Error != "" {
			return errors.New("the server of the fleet: " + r.Error)
		}
		return nil
	case <-p.over:
		return errors.New("the server of the fleet ended at once")
	case <-limit.C:
		return errors.New("the server of the fleet does not answer")
	case <-ctx.Done():
		return ctx.Err()
	}
}

// stop ends the server and returns when it is gone.
func (p *process) stop() {
	_ = p.in.Close() // it ends by this
	select {
	case <-p.over:
	case <-time.After(2 * time.Second):
		_ = p.cmd.Process.Kill()
		<-p.over
	}
}
