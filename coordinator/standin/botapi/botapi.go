// Package botapi is a stand-in for Telegram's Bot API: a real HTTP server on
// loopback that is as strict as the real one.
//
// The bot under test talks to URL() with Token(). The test acts for the
// people: a User says, replies, taps and reacts as with a phone, and each act
// becomes an update in the bot's queue. Messages, CallbackAnswers and Calls
// return what the bot did, and Await waits for it without polling.
//
// It is strict where Telegram is: limits count UTF-16 units after entity
// parsing, HTML is refused at the byte Telegram refuses it, an update stays
// until its offset is confirmed, and a newer getUpdates ends the older one with
// a conflict. It differs in one point: message ids are unique over all chats,
// so that Reply and Tap need no chat.
//
// The state exists as long as the Server. Stop and Start only cut and restore the
// network, on the same address, and people can act meanwhile.
package botapi

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"
)

const (
	defaultToken = "7000000001:AAH-stand-in-token-for-tests_0123456"
	botID        = 7000000001
	botName      = "Afar stand-in"
	botUsername  = "afar_standin_bot"
)

// A TB is the part of testing.TB that New needs.
type TB interface {
	Helper()
	Fatalf(format string, args ...any)
	Cleanup(func())
}

// A Server is one bot's view of Telegram. All methods are safe for concurrent use. Only
// the methods that the bot calls need the server to be up.
type Server struct {
	token string
	addr  string // as first bound, so that Start finds the same port

	mu sync.Mutex
	// changed is closed and replaced at each change of the state that mu guards. All
	// waiters wait for it.
	changed chan struct{}

	chats    map[int64]*Chat
	users    map[int64]*User
	messages map[int]*Message
	order    []int // message ids as they came to be
	lastMsg  int
	topics   map[int64]map[int]*Topic // by chat and thread id

	queue   []queued
	nextUpd int64
	allowed map[string]bool // nil: the default set
	poll    *longPoll
	polls   int
	webhook string

	queries  map[string]*query
	lastQry  int64
	queryTTL time.Duration
	answers  []CallbackAnswer
	calls    []Call

	faults map[string][]fault
	limits map[int64]*limit

	commands []byte

	// lifeMu guards the start and the end of the listener. Lock order: lifeMu before mu.
	lifeMu sync.Mutex
	http   *http.Server
	stop   chan struct{} // closed when the network goes away
	serve  sync.WaitGroup
	busy   sync.WaitGroup // requests under way
}

// New starts a server for one test and closes it when the test ends.
func New(tb TB) *Server {
	tb.Helper()
	s, err := Start()
	if err != nil {
		tb.Fatalf("start the Bot API stand-in: %v", err)
	}
	tb.Cleanup(s.Close)
	return s
}

// Start starts a server on a free loopback port. The caller calls Close.
func Start() (*Server, error) { return Serve("127.0.0.1:0") }

// Serve starts a server on addr, which must be a loopback address.
func Serve(addr string) (*Server, error) {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, fmt.Errorf("read stand-in address: %w", err)
	}
	if ip := net.ParseIP(host); ip == nil || !ip.IsLoopback() {
		return nil, fmt.Errorf("listen on %s: not a loopback address", addr)
	}
	s := &Server{
		token:    defaultToken,
		addr:     addr,
		changed:  make(chan struct{}),
		chats:    map[int64]*Chat{},
		users:    map[int64]*User{},
		messages: map[int]*Message{},
		topics:   map[int64]map[int]*Topic{},
		lastMsg:  100,
		nextUpd:  500_000_001,
		queries:  map[string]*query{},
		lastQry:  4_000_000_000_000_000_000,
		queryTTL: 15 * time.Minute,
		faults:   map[string][]fault{},
		limits:   map[int64]*limit{},
	}
	if err := s.Start(); err != nil {
		return nil, err
	}
	return s, nil
}

// URL returns the address to use instead of https://api.telegram.org, without a slash at
// its end. Stop and Start do not change it.
func (s *Server) URL() string { return "http://" + s.addr }

// Token returns the only token that the server accepts.
func (s *Server) Token() string { return s.token }

// BotID returns the bot's own user id, as getMe does.
func (s *Server) BotID() int64 { return botID }

// Start restores the network after Stop, on the same address and with the same state.
func (s *Server) Start() error {
	s.lifeMu.Lock()
	defer s.lifeMu.Unlock()
	if s.http != nil {
		return errors.New("start stand-in: already up")
	}
	l, err := net.Listen("tcp", s.addr)
	if err != nil {
		return fmt.Errorf("listen for the stand-in: %w", err)
	}
	s.addr = l.Addr().String()
	s.stop = make(chan struct{})
	s.http = &http.Server{Handler: handler{s, s.stop}, ReadHeaderTimeout: time.Minute}
	srv := s.http
	// Serve's error is always ErrServerClosed: only Stop ends it.
	s.serve.Go(func() { _ = srv.Serve(l) })
	return nil
}

// Stop makes Telegram unreachable: open requests are aborted, and the system refuses new
// ones. The state stays, and people can act. Stop returns when no request is running.
func (s *Server) Stop() {
	s.lifeMu.Lock()
	defer s.lifeMu.Unlock()
	if s.http == nil {
		return
	}
	s.mu.Lock()
	close(s.stop) // under mu: no request begins after it
	s.mu.Unlock()
	_ = s.http.Close()
	s.serve.Wait()
	s.busy.Wait()
	s.http = nil
}

// Close does the same as Stop.
func (s *Server) Close() { s.Stop() }

// wake tells every waiter that something changed. The caller holds mu.
func (s *Server) wake() {
	close(s.changed)
	s.changed = make(chan struct{})
}
