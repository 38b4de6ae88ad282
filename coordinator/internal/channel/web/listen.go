package web

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"syscall"
	"time"

	"github.com/afar-sh/afar/coordinator/config"
)

// A limits says how long a browser may take. A stream has no limit as a whole.
type limits struct {
	header time.Duration // to send the header of a request
	whole  time.Duration // to send the whole request
	read   time.Duration // to take what a stream has for it
	idle   time.Duration // between two requests
}

var usualLimits = limits{
	header: 5 * time.Second, whole: 20 * time.Second, read: 10 * time.Second, idle: 2 * time.Minute,
}

const (
	maxHeader   = 16 << 10         // of a request, in bytes
	listenAgain = 15 * time.Second // after a port was taken
)

// listen opens the port, and notes why it could not.
func (c *Channel) listen() {
	err := config.CheckWebAddr(c.cfg.Addr)
	var l net.Listener
	if err == nil {
		l, err = net.Listen("tcp", c.cfg.Addr)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.listener, c.failing = l, ""
	if err != nil {
		c.listener, c.failing = nil, listenTrouble(c.cfg.Addr, err)
		return
	}
	if err := c.cfg.Note(l.Addr().String(), c.cfg.Hosts); err != nil {
		c.cfg.Log.Error("tell the guard where the page is", "err", err)
	}
}

func listenTrouble(addr string, err error) string {
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Sprintf("another program uses %s; want a free address in web.addr, or off", addr)
	}
	return fmt.Sprintf("the page cannot listen on %s: %v", addr, err)
}

// serve serves the page until ctx ends, and waits for its port while another program has it.
func (c *Channel) serve(ctx context.Context) {
	for ctx.Err() == nil {
		if l := c.current(); l != nil {
			c.serveOn(ctx, l)
			continue
		}
		c.cfg.Log.Warn("the page is not served", "err", c.State().Note)
		select {
		case <-time.After(listenAgain):
			c.listen()
		case <-ctx.Done():
		}
	}
}

func (c *Channel) serveOn(ctx context.Context, l net.Listener) {
	s := &http.Server{
		Handler:           c.handler(),
		ReadHeaderTimeout: c.limits.header,
		ReadTimeout:       c.limits.whole,
		IdleTimeout:       c.limits.idle,
		MaxHeaderBytes:    maxHeader,
		BaseContext:       func(net.Listener) context.Context { return ctx },
	}
	// One request for each connection: a program could take an idle one of a browser, and write its
	// own request into it.
	s.SetKeepAlivesEnabled(false)
	stop := context.AfterFunc(ctx, func() { s.Close() })
	defer stop()
	err := s.Serve(l)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.listener = nil
	if ctx.Err() == nil {
		c.failing = fmt.Sprintf("the page ended: %v", err)
	}
}

func (c *Channel) current() net.Listener {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.listener
}

// Link returns the address of a path, and says where it works. It returns "" while the page
// is not served.
func (c *Channel) Link(path string) (address, where string) {
	switch url := c.URL(); {
	case url == "":
		return "", ""
	case len(c.cfg.Hosts) > 0:
		return "https://" + c.cfg.Hosts[0] + path, "through your own proxy"
	default:
		return url + path, "on this machine alone"
	}
}

// URL returns the address of the page without a path, "" while it is not served.
func (c *Channel) URL() string {
	if c == nil {
		return ""
	}
	if l := c.current(); l != nil {
		return "http://" + l.Addr().String()
	}
	return ""
}
