package link

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"
)

const (
	dialWithin = 5 * time.Second
	lastPause  = 30 * time.Second
)

// A door is a way to a server: its address, and what proves both sides.
type door struct {
	addr  string
	pin   string        // of the fleet's own server; none in a cluster
	key   nkeys.KeyPair // for the fleet's own server
	creds string        // the text of credentials, for a cluster
}

// dial returns a connection, and a channel that is closed when it ends.
func (d door) dial(name string) (*nats.Conn, chan struct{}, error) {
	over := make(chan struct{})
	options := []nats.Option{
		nats.Name(name), nats.NoReconnect(), nats.Timeout(dialWithin), nats.IgnoreDiscoveredServers(),
		nats.PingInterval(d.pings()), nats.MaxPingsOutstanding(2),
		nats.ClosedHandler(func(*nats.Conn) { close(over) }),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}), // it would print them
	}
	url := d.addr
	if d.pin != "" {
		public, err := d.key.PublicKey()
		if err != nil {
			return nil, nil, err
		}
		url = "tls://" + d.addr
		options = append(options, nats.Secure(pinned(d.pin)), nats.TLSHandshakeFirst(), nats.Nkey(public, d.key.Sign))
	} else if d.creds != "" {
		options = append(options, nats.UserCredentialBytes([]byte(d.creds)))
	}
	conn, err := nats.Connect(url, options...)
	if err != nil {
		return nil, nil, d.why(err)
	}
	return conn, over, nil
}

// pings returns the time between two questions of NATS whether the connection lives. Nothing else tells that to a hub in
// a cluster. The fleet's own server is on the hub's machine, and members have heartbeats.
func (d door) pings() time.Duration {
	if d.pin == "" {
		return 10 * time.Second
	}
	return time.Minute
}

// dialAgain dials up to three times: when a machine joins or leaves, the server cuts whoever has not signed in yet, as if
// the key were refused.
func (d door) dialAgain(ctx context.Context, name string) (conn *nats.Conn, over chan struct{}, err error) {
	for range 3 {
		if conn, over, err = d.dial(name); err == nil || errors.Is(err, ErrPin) {
			break
		}
		select {
		case <-ctx.Done():
			return nil, nil, err
		case <-time.After(100 * time.Millisecond):
		}
	}
	return conn, over, err
}

// why says in words for people why there is no connection.
func (d door) why(err error) error {
	switch {
	case errors.Is(err, ErrPin):
		return fmt.Errorf("%s: %w", d.addr, ErrPin)
	case errors.Is(err, nats.ErrAuthorization):
		return fmt.Errorf("%s: %w", d.addr, ErrKey)
	case errors.Is(err, nats.ErrNoServers), os.IsTimeout(err):
		return fmt.Errorf("nobody answers at %s", d.addr)
	}
	return fmt.Errorf("%s: %w", d.addr, err)
}

// ErrKey says that the server does not know this machine.
var ErrKey = errors.New("the key is refused")

// pause returns how long to wait after so many failures in a row.
func pause(first time.Duration, failures int) time.Duration {
	return min(first<<min(failures, 10), lastPause)
}
