package web

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/child"
	"github.com/afar-sh/afar/coordinator/internal/page"
)

// How long the output of a command is shown before it is run again.
const (
	configFor = 5 * time.Second
	issuesFor = 10 * time.Second
	doctorFor = time.Minute
	printFor  = 20 * time.Second // the longest run
)

// mostPrinted bounds the output of a command, in bytes.
const mostPrinted = 4 << 20

// afar runs a command of afar in the person's home and returns what it prints.
func (c *Channel) afar(ctx context.Context, args ...string) ([]byte, error) {
	return c.afarIn(ctx, c.cfg.Home, args...)
}

// afarIn runs a command of afar in a directory and returns what it prints.
func (c *Channel) afarIn(ctx context.Context, dir string, args ...string) ([]byte, error) {
	out, err := child.Program{
		Path: c.cfg.Afar, Args: args, Dir: dir, Env: c.cfg.Env,
		Limit: printFor, Grace: time.Second, Most: mostPrinted,
	}.Run(ctx)
	if err != nil && out.Said != "" {
		err = errors.New(strings.TrimPrefix(strings.TrimSpace(out.Said), "afar: "))
	}
	return out.Text, err
}

// issuesOf returns the issues of the project in a directory.
func (c *Channel) issuesOf(dir string) (list page.IssueList) {
	c.mu.Lock()
	p := c.issues[dir]
	if p == nil {
		p = &printed{args: []string{"issue", "list", "--json"}, fresh: issuesFor, wait: true}
		p.run = func(ctx context.Context, args ...string) ([]byte, error) { return c.afarIn(ctx, dir, args...) }
		c.issues[dir] = p
	}
	c.mu.Unlock()
	list.Top = dir
	if err := p.read(&list.Issues); err != nil {
		list.Trouble = err.Error()
	}
	return list
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
	err     error // why there is no out
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
		return p.err
	}
	return json.Unmarshal(p.out, v)
}

func (p *printed) refresh() {
	out, err := p.run(context.Background(), p.args...) // a red doctor is an error too, and has an output
	p.mu.Lock()
	defer p.mu.Unlock()
	p.out, p.err, p.at, p.running = out, err, time.Now(), false
}
