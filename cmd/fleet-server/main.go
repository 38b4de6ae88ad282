// Command fleet-server is the server that carries the messages of a fleet: nats-server with what a
// fleet needs and nothing else. The hub's coordinator starts it, tells it on the standard input who
// may connect, and it ends with that input. Package fleetserver says what both say.
package main

import (
	"bufio"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/afar-sh/afar/coordinator/fleetserver"
)

const (
	maxLine     = 8 << 20 // bytes of a state, about ten thousand users
	maxPayload  = 1 << 20
	maxPending  = 16 << 20 // bytes that wait for one slow machine
	maxSubs     = 32 << 10 // of one machine; the hub has one for each other
	startWithin = 10 * time.Second
)

func main() {
	if len(os.Args) > 1 {
		fmt.Fprintln(os.Stderr, "fleet-server takes no arguments: the coordinator starts it and says what to do")
		os.Exit(2)
	}
	os.Exit(serve())
}

// serve does what the lines of the standard input say until they end.
func serve() int {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, maxLine)
	out := json.NewEncoder(os.Stdout)
	s := &serving{}
	defer s.stop()
	for in.Scan() {
		reply, err := s.take(in.Bytes())
		if err != nil {
			_ = out.Encode(fleetserver.Reply{Error: err.Error()})
			return 1
		}
		_ = out.Encode(reply)
	}
	if err := in.Err(); err != nil {
		_ = out.Encode(fleetserver.Reply{Error: "cannot read the next state: " + err.Error()})
		return 1
	}
	return 0
}

// serving is the server and the state that it was started with.
type serving struct {
	nats  *server.Server
	first fleetserver.State
	tls   *tls.Config
}

// take starts the server with a state, or has it take the state's users from now on.
func (s *serving) take(line []byte) (fleetserver.Reply, error) {
	var state fleetserver.State
	if err := json.Unmarshal(line, &state); err != nil {
		return fleetserver.Reply{}, fmt.Errorf("this line is no state of a server: %w", err)
	}
	switch {
	case s.nats == nil:
		return s.start(state)
	case state.Listen != s.first.Listen, state.Cert != s.first.Cert, state.Key != s.first.Key:
		return fleetserver.Reply{}, errors.New("the address and the certificate cannot change while it runs: start it anew")
	}
	options, err := s.options(state)
	if err != nil {
		return fleetserver.Reply{}, err
	}
	if err := s.nats.ReloadOptions(options); err != nil {
		return fleetserver.Reply{}, fmt.Errorf("cannot take the new users: %w", err)
	}
	return s.ready(), nil
}

func (s *serving) start(state fleetserver.State) (fleetserver.Reply, error) {
	pair, err := tls.LoadX509KeyPair(state.Cert, state.Key)
	if err != nil {
		return fleetserver.Reply{}, fmt.Errorf("cannot use the certificate: %w", err)
	}
	s.tls = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS13}
	s.first = state
	options, err := s.options(state)
	if err != nil {
		return fleetserver.Reply{}, err
	}
	if err := isFree(state.Listen); err != nil {
		return fleetserver.Reply{}, err
	}
	if s.nats, err = server.NewServer(options); err != nil {
		return fleetserver.Reply{}, fmt.Errorf("cannot make the server: %w", err)
	}
	s.nats.Start()
	if !s.nats.ReadyForConnections(startWithin) {
		return fleetserver.Reply{}, fmt.Errorf("cannot listen on %s", state.Listen)
	}
	return s.ready(), nil
}

// isFree returns an error if nobody can listen at the address. nats-server itself would end this
// process without a word.
func isFree(address string) error {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return fmt.Errorf("cannot listen: %w", err)
	}
	return l.Close()
}

func (s *serving) ready() fleetserver.Reply {
	return fleetserver.Reply{Ready: s.nats.Addr().String()}
}

func (s *serving) stop() {
	if s.nats != nil {
		s.nats.Shutdown()
	}
}

// options returns what nats-server is told. There is no way in but TLS with one of the keys.
func (s *serving) options(state fleetserver.State) (*server.Options, error) {
	host, portText, err := net.SplitHostPort(state.Listen)
	if err != nil {
		return nil, fmt.Errorf("listen is no address: %w", err)
	}
	port, err := strconv.ParseUint(portText, 10, 16)
	if err != nil || port == 0 {
		return nil, fmt.Errorf("listen is %q: want a port from 1 to 65535", state.Listen)
	}
	if len(state.Users) == 0 {
		return nil, errors.New("a server needs at least one user: without any, everybody could connect")
	}
	o := &server.Options{
		Host: host, Port: int(port), ServerName: "afar",
		TLS: true, TLSConfig: s.tls, TLSHandshakeFirst: true, TLSTimeout: 5, AuthTimeout: 5,
		NoLog: true, NoSigs: true, NoSystemAccount: true,
		MaxPayload: maxPayload, MaxPending: maxPending, MaxSubs: maxSubs, MaxConn: 2*len(state.Users) + 64,
		MaxControlLine: 1024, WriteDeadline: 5 * time.Second, PingInterval: 10 * time.Second, MaxPingsOut: 2,
	}
	for _, u := range state.Users {
		o.Nkeys = append(o.Nkeys, &server.NkeyUser{Nkey: u.Nkey, Permissions: &server.Permissions{
			Publish: only(u.Publish), Subscribe: only(u.Subscribe),
		}})
	}
	return o, nil
}

// only returns a permission for some subjects. nats-server reads an empty list as all subjects.
func only(subjects []string) *server.SubjectPermission {
	if len(subjects) == 0 {
		return &server.SubjectPermission{Deny: []string{">"}}
	}
	return &server.SubjectPermission{Allow: subjects}
}
