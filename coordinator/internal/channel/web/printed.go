package web

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/child"
)

// How long the output of a command is shown before it is run again.
const (
	configFor = 5 * time.Second
	doctorFor = time.Minute
	printFor  = 20 * time.Second // the longest run
)

// mostPrinted bounds the output of a command, in bytes.
const mostPrinted = 4 << 20

// afar runs a command of afar and returns what it prints.
func (c *Channel) afar(ctx context.Context, args ...string) ([]byte, error) {
	out, err := child.Program{
		Path: c.cfg.Afar, Args: args, Dir: c.cfg.Home, Env: c.cfg.Env,
		Limit: printFor, Grace: time.Second, Most: mostPrinted,
	}.Run(ctx)
	return out.Text, err
}

// A printed holds what a command of afar printed lately. So the page and the command line
// show the same.
type printed struct {
	run     func(ctx context.Context, args ...string) ([]byte, error)
	args    []string
	fresh   time.Duration
	wait    bool   // the page waits for the first output
	changed func() // called after an output that no page waited for

	mu      sync.Mutex // guards all below
	out     []byte
	at      time.Time
	running bool
}

// read decodes the last output into v. It runs the command again if that output is old, and
// leaves v unchanged if there is none yet.
func (p *printed) read(v any) error {
	p.mu.Lock()
	old := !p.running && time.Since(p.at) > p.fresh
	p.running = p.running || old
	p.mu.Unlock()
	switch {
	case old && p.wait:
		p.refresh()
	case old:
		go func() {
			p.refresh()
			p.changed()
		}()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.out) == 0 {
		return nil
	}
	return json.Unmarshal(p.out, v)
}

func (p *printed) refresh() {
	out, _ := p.run(context.Background(), p.args...) // a command that fails says why in its output, such as a red doctor
	p.mu.Lock()
	defer p.mu.Unlock()
	p.out, p.at, p.running = out, time.Now(), false
}
