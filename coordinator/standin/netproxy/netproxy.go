// Package netproxy stands between two programs that speak over TCP, and plays a bad network: it cuts
// connections, holds what is on its way, delays it, and refuses new connections.
package netproxy

import (
	"net"
	"sync"
	"testing"
	"time"
)

// A Proxy passes on what it gets to its target.
type Proxy struct {
	target   string
	listener net.Listener

	mu      sync.Mutex
	changed *sync.Cond
	conns   map[net.Conn]bool // both ends of all
	held    bool
	refuses bool
	delay   time.Duration
	work    sync.WaitGroup
}

// New returns a proxy on a port of its own. It ends with the test.
func New(t testing.TB, target string) *Proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &Proxy{target: target, listener: l, conns: map[net.Conn]bool{}}
	p.changed = sync.NewCond(&p.mu)
	p.work.Go(p.accept)
	t.Cleanup(func() {
		_ = l.Close()
		p.Refuse(true)
		p.Hold(false)
		p.Delay(0)
		p.Cut()
		p.work.Wait()
	})
	return p
}

// Addr returns where the proxy listens.
func (p *Proxy) Addr() string { return p.listener.Addr().String() }

// Cut ends all connections.
func (p *Proxy) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.conns {
		_ = c.Close()
	}
}

// Refuse has new connections ended at once, or no longer.
func (p *Proxy) Refuse(on bool) { p.change(func() { p.refuses = on }) }

// Hold keeps what comes from now on, as a network does whose cable is out, or lets it go.
func (p *Proxy) Hold(on bool) { p.change(func() { p.held = on }) }

// Delay has all that comes from now on wait for so long.
func (p *Proxy) Delay(d time.Duration) { p.change(func() { p.delay = d }) }

func (p *Proxy) change(set func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	set()
	p.changed.Broadcast()
}

func (p *Proxy) accept() {
	for {
		near, err := p.listener.Accept()
		if err != nil {
			return
		}
		p.work.Go(func() { p.connect(near) })
	}
}

// connect passes on both directions of a connection until one ends.
func (p *Proxy) connect(near net.Conn) {
	defer near.Close()
	far, err := net.Dial("tcp", p.target)
	if err != nil {
		return
	}
	defer far.Close()
	defer p.remove(near, far)
	if isRefused := p.add(near, far); isRefused {
		return
	}
	var both sync.WaitGroup
	both.Go(func() { p.pass(near, far) })
	both.Go(func() { p.pass(far, near) })
	both.Wait()
}

func (p *Proxy) add(ends ...net.Conn) (isRefused bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range ends {
		p.conns[c] = true
	}
	return p.refuses
}

func (p *Proxy) remove(ends ...net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range ends {
		delete(p.conns, c)
	}
}

// pass passes on what one end sends. When it ends, so does the connection.
func (p *Proxy) pass(from, to net.Conn) {
	defer from.Close()
	defer to.Close()
	b := make([]byte, 32<<10)
	for {
		n, err := from.Read(b)
		p.wait()
		if _, werr := to.Write(b[:n]); err != nil || werr != nil {
			return
		}
	}
}

// wait waits as long as the network is bad.
func (p *Proxy) wait() {
	p.mu.Lock()
	delay := p.delay
	p.mu.Unlock()
	time.Sleep(delay)
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.held {
		p.changed.Wait()
	}
}
