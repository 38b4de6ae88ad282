package link

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"net"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"

	"github.com/afar-sh/afar/coordinator/standin/netproxy"
)

// An operator has a cluster of two servers, and gives out credentials for one account.
type operator struct {
	urls    []string
	account nkeys.KeyPair
}

func newOperator(t *testing.T) *operator {
	t.Helper()
	trusted, _ := nkeys.CreateOperator()
	trustedKey, _ := trusted.PublicKey()
	o := &operator{}
	o.account, _ = nkeys.CreateAccount()
	id, _ := o.account.PublicKey()
	token, err := jwt.NewAccountClaims(id).Encode(trusted)
	if err != nil {
		t.Fatal(err)
	}
	accounts := &server.MemAccResolver{}
	if err := accounts.Store(id, token); err != nil {
		t.Fatal(err)
	}
	routes := []string{netproxy.FreeAddr(t), netproxy.FreeAddr(t)}
	for i, route := range routes {
		port := portOf(route)
		s, err := server.NewServer(&server.Options{
			Host: "127.0.0.1", Port: portOf(netproxy.FreeAddr(t)), NoLog: true, NoSigs: true, ServerName: "node" + strconv.Itoa(i),
			TrustedKeys: []string{trustedKey}, AccountResolver: accounts,
			Cluster: server.ClusterOpts{Name: "test", Host: "127.0.0.1", Port: port},
			Routes:  []*url.URL{{Scheme: "nats", Host: routes[1-i]}},
		})
		if err != nil {
			t.Fatal(err)
		}
		s.Start()
		t.Cleanup(func() {
			s.Shutdown()
			s.WaitForShutdown()
		})
		eventually(t, "a server", func() bool { return s.ReadyForConnections(time.Second) && s.NumRoutes() > 0 || i == 0 })
		o.urls = append(o.urls, "nats://"+s.Addr().String())
	}
	return o
}

func portOf(addr string) int {
	_, port, _ := net.SplitHostPort(addr)
	n, _ := strconv.Atoi(port)
	return n
}

// creds returns the text of credentials that an account signed.
func creds(t *testing.T, account nkeys.KeyPair) string {
	t.Helper()
	user, _ := nkeys.CreateUser()
	id, _ := user.PublicKey()
	token, err := jwt.NewUserClaims(id).Encode(account)
	if err != nil {
		t.Fatal(err)
	}
	seed, _ := user.Seed()
	text, err := jwt.FormatUserConfig(token, seed)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestCluster: hub and member speak over a cluster of others, whose account lets each user hear and say
// everything. The link alone keeps them apart then.
func TestCluster(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	f := &fleet{t: t, keys: testKeys(t), addr: o.urls[1]}
	c := HubConfig{
		Config: Config{
			Fleet: "test", Keys: f.keys, Handle: f.handle, Beat: beat,
			Refused: func(id, why string) { f.note("refused " + id + ": " + why) },
		},
		Server:  Cluster{URL: o.urls[0], Creds: creds(t, o.account)},
		Doubled: func(id string) { f.note("doubled " + id) }, Joining: f.joining,
	}
	start := func() (stop func()) {
		var err error
		if f.hub, err = NewHub(c); err != nil {
			t.Fatal(err)
		}
		f.hub.Admit(f.members, f.invites)
		stop = run(t, f.hub.Run)
		eventually(t, "the hub is there", func() bool { return f.hub.State().Connected })
		return stop
	}
	id, seed := NewInvite()
	f.invites = []string{id}
	stop := start()
	w, err := ParseWord(Word{
		Fleet: "test", Addrs: o.urls[1:], Hub: f.keys.Public, Seed: seed, Cluster: true, Creds: creds(t, o.account),
	}.String())
	if err != nil {
		t.Fatal(err)
	}
	keys, other := testKeys(t), testKeys(t)
	if got, err := Join(t.Context(), w, keys, []byte("build")); err != nil || string(got) != "welcome build" {
		t.Fatalf("%q, %v", got, err)
	}
	var refusal *Refusal
	if _, err := Join(t.Context(), w, other, nil); !errors.As(err, &refusal) || refusal.Code != codeUnknown {
		t.Errorf("another machine with the same word: %v", err)
	}
	m, err := NewMember(w.Member(Config{Fleet: "test", Keys: keys, Handle: echo, Beat: beat}))
	if err != nil {
		t.Fatal(err)
	}
	run(t, m.Run)
	connected(t, m)
	for range 20 {
		if _, err := m.Call(t.Context(), "act", nil); err != nil {
			t.Fatal(err)
		}
	}
	stop()
	eventually(t, "away", func() bool {
		return !m.State().Connected && strings.Contains(m.State().Why(), "the hub is not at its server")
	})
	start()
	connected(t, m)
	if got, err := f.hub.Call(t.Context(), keys.ID(), "greet", nil); err != nil || string(got) != f.keys.ID()+" greet " {
		t.Errorf("%q, %v", got, err)
	}
	foreign, _ := NewMember(w.Member(Config{Fleet: "test", Keys: other, Handle: echo}))
	run(t, foreign.Run)
	eventually(t, "a stranger is refused", func() bool {
		return f.count("refused "+other.ID()+": the machine is not of the fleet") > 0 && !foreign.State().Connected
	})
	if f.like("doubled") != 0 || f.count("act") != 20 {
		t.Errorf("%q", f.happened())
	}
}

// TestTwoHubs: a copy of the hub at the same cluster has both refused, and both say so, once. Old announcements of a hub
// that are said again refuse nobody.
func TestTwoHubs(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	f := &fleet{t: t, keys: testKeys(t), addr: o.urls[0]}
	hub := func(name string) (*Hub, func()) {
		h, err := NewHub(HubConfig{
			Config:  Config{Fleet: "test", Keys: f.keys, Handle: f.handle, Beat: beat},
			Server:  Cluster{URL: o.urls[0], Creds: creds(t, o.account)},
			Doubled: func(id string) { f.note("doubled " + name + " " + id) },
		})
		if err != nil {
			t.Fatal(err)
		}
		h.Admit(f.members, nil)
		return h, run(t, h.Run)
	}
	conn, _, err := door{addr: o.urls[0], creds: creds(t, o.account)}.dial("operator")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	in, err := conn.SubscribeSync(">")
	if err != nil || conn.FlushTimeout(dialWithin) != nil {
		t.Fatal("the operator hears nothing")
	}
	_, stop := hub("before")
	heard, err := in.NextMsg(dialWithin)
	if err != nil {
		t.Fatal(err)
	}
	stop()
	first, _ := hub("first")
	eventually(t, "the hub is there", func() bool { return first.State().Connected })
	for range 5 {
		if err := conn.Publish(heard.Subject, heard.Data); err != nil {
			t.Fatal(err)
		}
	}
	keys := testKeys(t)
	f.members = append(f.members, keys.Public)
	first.Admit(f.members, nil)
	m, err := NewMember(MemberConfig{
		Config: Config{Fleet: "test", Keys: keys, Handle: echo, Beat: beat},
		Hub:    f.keys.Public, Addrs: o.urls[1:], Creds: creds(t, o.account),
	})
	if err != nil {
		t.Fatal(err)
	}
	run(t, m.Run)
	connected(t, m)
	if f.like("doubled") > 0 {
		t.Fatalf("an old announcement counts: %q", f.happened())
	}
	second, _ := hub("second")
	for name, h := range map[string]*Hub{"first": first, "second": second} {
		eventually(t, name+" is refused", func() bool {
			return !h.State().Connected && errors.Is(h.State().Err, ErrTwoHubs) && f.count("doubled "+name+" "+f.keys.ID()) == 1
		})
	}
	if _, err := m.Call(t.Context(), "act", nil); err == nil {
		t.Error("a member still speaks with one")
	}
}

// TestOperator: who runs the cluster, hears every subject and may say everything reads nothing of what is said, in a join
// or in a session, and what they say again, change or make up has no effect on either side.
func TestOperator(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	f := &fleet{t: t, keys: testKeys(t), addr: o.urls[1]}
	c := HubConfig{
		Config: Config{
			Fleet: "test", Keys: f.keys, Handle: f.handle,
			Refused: func(id, why string) { f.note("refused " + id + ": " + why) },
		},
		Server: Cluster{URL: o.urls[0], Creds: creds(t, o.account)}, Joining: f.joining,
	}
	var err error
	if f.hub, err = NewHub(c); err != nil {
		t.Fatal(err)
	}
	id, seed := NewInvite()
	f.invites = []string{id}
	f.hub.Admit(nil, f.invites)
	run(t, f.hub.Run)
	eventually(t, "the hub is there", func() bool { return f.hub.State().Connected })
	conn, _, err := door{addr: o.urls[0], creds: creds(t, o.account)}.dial("operator")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	in, err := conn.SubscribeSync(">")
	if err != nil || conn.FlushTimeout(dialWithin) != nil {
		t.Fatal("the operator hears nothing")
	}

	const secret = "rm -rf the-quarterly-report"
	w := Word{Fleet: "test", Addrs: o.urls[1:], Hub: f.keys.Public, Seed: seed, Cluster: true, Creds: creds(t, o.account)}
	keys := testKeys(t)
	if _, err := Join(t.Context(), w, keys, []byte(secret)); err != nil {
		t.Fatal(err)
	}
	var did, refused atomic.Int64
	m, err := NewMember(w.Member(Config{Fleet: "test", Keys: keys, Handle: func(context.Context, string, string, []byte) ([]byte, error) {
		did.Add(1)
		return []byte(secret), nil
	}, Refused: func(string, string) { refused.Add(1) }}))
	if err != nil {
		t.Fatal(err)
	}
	run(t, m.Run)
	connected(t, m)
	if _, err := m.Call(t.Context(), "act", []byte(secret)); err != nil {
		t.Fatal(err)
	}
	if _, err := f.hub.Call(t.Context(), keys.ID(), "act", []byte(secret)); err != nil {
		t.Fatal(err)
	}
	if conn.FlushTimeout(dialWithin) != nil {
		t.Fatal("the operator is cut off")
	}
	was := f.like("refused")
	var toMember, toHub int
	waiting, _, _ := in.Pending()
	for range waiting {
		heard, err := in.NextMsg(dialWithin)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range []string{secret, "the-quarterly", base64.StdEncoding.EncodeToString([]byte(secret))[:20]} {
			if bytes.Contains(heard.Data, []byte(part)) {
				t.Errorf("the operator reads %q on %s", part, heard.Subject)
			}
		}
		var changed []byte
		if e, err := parse(heard.Data); err == nil {
			e.n += 1000 // as if it came now
			changed = e.bytes()
		}
		for _, data := range [][]byte{heard.Data, changed, nil, []byte("{}")} {
			if err := conn.Publish(heard.Subject, data); err != nil {
				t.Fatal(err)
			}
		}
		switch heard.Subject {
		case up("test", keys.ID()):
			toHub++
		case down("test", keys.ID()):
			toMember++
		}
	}
	if toHub < 3 || toMember < 3 {
		t.Fatalf("%d messages to the hub and %d to the member were heard", toHub, toMember)
	}
	eventually(t, "both refuse", func() bool {
		return f.like("refused")-was >= 3*toHub && refused.Load() >= int64(3*toMember)
	})
	if _, err := f.hub.Call(t.Context(), keys.ID(), "act", nil); err != nil || did.Load() != 2 || f.count("act") != 1 {
		t.Errorf("%v, %d calls of the member, %q", err, did.Load(), f.happened())
	}
	if n := f.like("joining"); n != 1 {
		t.Errorf("one machine joined %d times", n)
	}
}

// TestClusterRefuses: credentials of another account are not let in, and the words say so.
func TestClusterRefuses(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	another, _ := nkeys.CreateAccount()
	for name, text := range map[string]string{"another account": creds(t, another), "none": "", "odd": "hello"} {
		_, _, err := door{addr: o.urls[0], creds: text}.dial("test")
		if err == nil {
			t.Errorf("%s: it is in", name)
		}
	}
}
