// Package model is a stand-in for the Messages API and the Responses API on loopback, for tests
// that run the real clients. Its answers come from the prompt (see Play) or from a function of the test. The
// test can read its requests and wait for them.
package model

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"
)

// Summary is the answer of the stand-in when the client compacts a conversation.
const Summary = "CANNED SUMMARY OF THE CONVERSATION"

// A Server is a running stand-in. Its methods may be called from any goroutine.
type Server struct {
	listener net.Listener
	http     *http.Server
	running  sync.WaitGroup

	scripting sync.Mutex // one script call at a time, so that a script may keep state

	mu       sync.Mutex // guards all below
	fn       func(Request) Turn
	judge    func(Request) string
	requests []Request
	arrived  chan struct{} // closed and replaced when a request is recorded
	closed   bool
}

// Start returns a Server that listens on a free loopback port. The caller calls Close.
func Start() (*Server, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("start model stand-in: %w", err)
	}
	s := &Server{listener: l, arrived: make(chan struct{})}
	s.http = &http.Server{Handler: http.HandlerFunc(s.serve), ReadHeaderTimeout: 30 * time.Second}
	s.running.Go(func() { s.http.Serve(l) })
	return s, nil
}

// URL returns the value for ANTHROPIC_BASE_URL.
func (s *Server) URL() string { return "http://" + s.listener.Addr().String() }

// Close aborts the running requests and returns when all of them have ended.
func (s *Server) Close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.http.Close()
	s.running.Wait()
}

// enter counts a handler. It returns false if Close already waits for the last one.
func (s *Server) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.running.Add(1)
	}
	return !s.closed
}

// Script lets fn answer every turn from now on. With nil, the prompt's script answers again.
// fn does not get the errands of the client (Request.Errand). Calls of fn never overlap. A
// zero Turn says "done". Request.Scripted returns the turn of the prompt's script.
func (s *Server) Script(fn func(Request) Turn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fn = fn
}

// Requests returns all requests so far, errands included, in order of arrival.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// Turns returns the requests so far that were turns of a conversation.
func (s *Server) Turns() []Request {
	var out []Request
	for _, r := range s.Requests() {
		if !r.Errand() {
			out = append(out, r)
		}
	}
	return out
}

// Await returns the first wanted request, past or future. A request is recorded before it
// is answered.
func (s *Server) Await(ctx context.Context, want func(Request) bool) (Request, error) {
	for next := 0; ; {
		s.mu.Lock()
		seen, arrived := s.requests[next:], s.arrived
		s.mu.Unlock()
		for _, r := range seen {
			if want(r) {
				return r, nil
			}
		}
		next += len(seen)
		select {
		case <-arrived:
		case <-ctx.Done():
			return Request{}, fmt.Errorf("await request (%d seen): %w", next, ctx.Err())
		}
	}
}

func (s *Server) record(r Request) Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	r.N = len(s.requests) + 1
	s.requests = append(s.requests, r)
	close(s.arrived)
	s.arrived = make(chan struct{})
	return r
}

func (s *Server) answer(r Request) Turn {
	switch {
	case r.Compaction():
		return Say("<analysis>a</analysis>\n<summary>" + Summary + "</summary>")
	case r.Judges():
		return s.verdict(r)
	case r.Formatted:
		return Say(`{"title":"scripted","ok":true}`)
	}
	s.scripting.Lock()
	defer s.scripting.Unlock()
	s.mu.Lock()
	fn := s.fn
	s.mu.Unlock()
	if fn == nil {
		return r.Scripted()
	}
	return fn(r)
}
