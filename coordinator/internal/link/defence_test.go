package link

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/afar-sh/afar/coordinator/fleetserver"
	"github.com/afar-sh/afar/coordinator/standin/long"
	"github.com/afar-sh/afar/coordinator/standin/netproxy"
)

// as returns a connection with a machine's key, and the errors that the server says on it.
func (f *fleet) as(keys *Keys) (*nats.Conn, func() []string) {
	f.t.Helper()
	conn, _, err := door{addr: f.addr, pin: f.cert.Pin, key: keys.sign}.dial("test")
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(conn.Close)
	var mu sync.Mutex
	var said []string
	conn.SetErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
		mu.Lock()
		defer mu.Unlock()
		said = append(said, err.Error())
	})
	return conn, func() []string {
		_ = conn.FlushTimeout(dialWithin)
		mu.Lock()
		defer mu.Unlock()
		return said
	}
}

// tap returns what passes on a subject, as the server's operator sees it.
func (f *fleet) tap(subject string) func() [][]byte {
	f.t.Helper()
	conn, _ := f.as(f.keys)
	var mu sync.Mutex
	var all [][]byte
	_, err := conn.Subscribe(subject, func(m *nats.Msg) {
		mu.Lock()
		defer mu.Unlock()
		all = append(all, m.Data)
	})
	if err != nil || conn.FlushTimeout(dialWithin) != nil {
		f.t.Fatal("cannot listen")
	}
	return func() [][]byte {
		_ = conn.FlushTimeout(dialWithin)
		mu.Lock()
		defer mu.Unlock()
		return all
	}
}

// publish sends raw messages and waits until the hub has refused each.
func (f *fleet) publish(conn *nats.Conn, id string, messages ...[]byte) {
	f.t.Helper()
	was := f.like("refused " + id)
	for _, m := range messages {
		if err := conn.Publish(up("test", id), m); err != nil {
			f.t.Fatal(err)
		}
	}
	eventually(f.t, "all are refused", func() bool { return f.like("refused "+id) >= was+len(messages) })
}

// A wired is a session that a test speaks by hand, as a machine with its own program would.
type wired struct {
	f       *fleet
	keys    *Keys
	conn    *nats.Conn
	in      *nats.Subscription
	session [32]byte
}

func (f *fleet) wired(keys *Keys) *wired {
	f.t.Helper()
	w := &wired{f: f, keys: keys}
	w.conn, _ = f.as(keys)
	w.in, _ = w.conn.SubscribeSync(down("test", keys.ID()))
	said := hello{Nonce: newNonce()}
	w.send(envelope{kind: kindHello}, said)
	var reply hello
	w.read(&reply)
	w.session = sessionOf("test", keys.ID(), f.keys.ID(), said.Nonce, reply.Nonce)
	return w
}

func (w *wired) message(e envelope, body []byte) []byte {
	w.f.t.Helper()
	if err := e.seal(w.keys, w.f.keys.Public, body); err != nil {
		w.f.t.Fatal(err)
	}
	if err := e.sign(w.keys, "test"); err != nil {
		w.f.t.Fatal(err)
	}
	return e.bytes()
}

func (w *wired) send(e envelope, v any) {
	w.f.t.Helper()
	body, _ := json.Marshal(v)
	if err := w.conn.Publish(up("test", w.keys.ID()), w.message(e, body)); err != nil {
		w.f.t.Fatal(err)
	}
}

// read reads the next message of the hub.
func (w *wired) read(v any) *envelope {
	w.f.t.Helper()
	m, err := w.in.NextMsg(dialWithin)
	if err != nil {
		w.f.t.Fatal(err)
	}
	e, err := parse(m.Data)
	if err != nil {
		w.f.t.Fatal(err)
	}
	body, err := e.open(w.keys, w.f.keys.Public)
	if err != nil {
		w.f.t.Fatal(err)
	}
	_ = json.Unmarshal(body, v) // pings have no body
	return e
}

// TestReplayed: what a member sent once has no effect a second time, whoever sends it.
func TestReplayed(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	a, keys := f.member()
	connected(t, a)
	heard := f.tap(up("test", "*"))
	const body = "what only the hub may read, call " // long: a short one is in sealed bytes by chance
	for i := range 20 {
		if _, err := a.Call(t.Context(), "act", []byte(body+strconv.Itoa(i))); err != nil {
			t.Fatal(err)
		}
	}
	messages := heard()
	if len(messages) < 20 {
		t.Fatalf("%d messages were heard", len(messages))
	}
	conn, _ := f.as(keys)
	f.publish(conn, keys.ID(), messages...)
	if n := f.count("act"); n != 20 {
		t.Errorf("20 calls had %d effects", n)
	}
	for _, m := range messages {
		if bytes.Contains(m, []byte(body)) {
			t.Error("the operator can read a body")
		}
	}
	if _, err := a.Call(t.Context(), "act", nil); err != nil {
		t.Errorf("the session suffers: %v", err)
	}
}

// TestLate: what comes when its session is over has no effect, however much later that is. A session lives for two silent
// heartbeats at most, so what was on its way for an hour is of such a one.
func TestLate(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	eventually(t, "the hub is there", func() bool { return f.hub.State().Connected })
	keys := testKeys(t)
	f.members = append(f.members, keys.Public)
	f.hub.Admit(f.members, nil)
	heard := f.tap(up("test", "*"))
	w := f.wired(keys)
	sent := w.message(envelope{kind: "act", session: w.session, n: 1}, nil)
	late := w.message(envelope{kind: "act", session: w.session, n: 1000}, nil) // it was never there
	if err := w.conn.Publish(up("test", keys.ID()), sent); err != nil {
		t.Fatal(err)
	}
	eventually(t, "it counts", func() bool { return f.count("act") == 1 })
	eventually(t, "the silent session is over", func() bool { return f.count("down "+keys.ID()) == 1 })
	f.publish(w.conn, keys.ID(), late, sent)
	m, err := NewMember(f.config(keys))
	if err != nil {
		t.Fatal(err)
	}
	run(t, m.Run)
	connected(t, m)
	if err := w.conn.Publish(up("test", keys.ID()), heard()[0]); err != nil { // the hello of before
		t.Fatal(err)
	}
	f.publish(w.conn, keys.ID(), sent, late)
	if _, err := m.Call(t.Context(), "act", nil); err != nil || f.count("act") != 2 {
		t.Errorf("%v, %q", err, f.happened())
	}
}

// TestReplayedHello: helloes that come again push nobody out.
func TestReplayedHello(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	eventually(t, "the hub is there", func() bool { return f.hub.State().Connected })
	heard := f.tap(up("test", "*"))
	a, keys := f.member()
	connected(t, a)
	messages := heard()
	conn, _ := f.as(keys)
	for range 20 {
		if err := conn.Publish(up("test", keys.ID()), messages[0]); err != nil {
			t.Fatal(err)
		}
	}
	f.publish(conn, keys.ID(), messages[1]) // the first message of the session
	if _, err := a.Call(t.Context(), "act", nil); err != nil || f.count("up "+keys.ID()) != 1 {
		t.Errorf("%v, %q", err, f.happened())
	}
}

// TestReordered: a message whose counter is behind is refused, one with a gap before it is not.
func TestReordered(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	keys := testKeys(t)
	f.members = append(f.members, keys.Public)
	f.hub.Admit(f.members, nil)
	eventually(t, "the hub is there", func() bool { return f.hub.State().Connected })
	w := f.wired(keys)
	for _, n := range []uint64{1, 5} {
		w.send(envelope{kind: "act", session: w.session, n: n}, nil)
		var text string
		for e := w.read(&text); e.re != n; e = w.read(&text) {
			continue // its heartbeats
		}
	}
	var refusal Refusal
	w.send(envelope{kind: ".odd", session: w.session, n: 6}, nil)
	for e := w.read(&refusal); e.re != 6; e = w.read(&refusal) {
		continue
	}
	if refusal.Code != codeUnknown {
		t.Errorf("a kind of the link itself: %+v", refusal)
	}
	for _, n := range []uint64{3, 5, 0} {
		f.publish(w.conn, keys.ID(), w.message(envelope{kind: "act", session: w.session, n: n}, nil))
	}
	if n := f.count("act"); n != 2 {
		t.Errorf("%d effects", n)
	}
}

// TestForged: a message with anything changed is refused.
func TestForged(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	keys, other := testKeys(t), testKeys(t)
	f.members = append(f.members, keys.Public, other.Public)
	f.hub.Admit(f.members, nil)
	eventually(t, "the hub is there", func() bool { return f.hub.State().Connected })
	w := f.wired(keys)
	sound := w.message(envelope{kind: "act", session: w.session, n: 1}, []byte("body"))
	var bad [][]byte
	for i := range sound {
		changed := bytes.Clone(sound)
		changed[i] ^= 1
		bad = append(bad, changed, sound[:i])
	}
	foreign := envelope{kind: "act", session: w.session, n: 1}
	if err := foreign.seal(keys, f.keys.Public, nil); err != nil {
		t.Fatal(err)
	}
	_ = foreign.sign(keys, "another")
	toOther := envelope{kind: "act", session: w.session, n: 1}
	_ = toOther.seal(keys, other.Public, nil)
	_ = toOther.sign(keys, "test")
	asOther := envelope{kind: "act", session: w.session, n: 1}
	_ = asOther.seal(other, f.keys.Public, nil)
	_ = asOther.sign(other, "test")
	bad = append(bad, foreign.bytes(), toOther.bytes(), asOther.bytes(), bytes.Repeat([]byte{1}, 1<<20-1024),
		w.message(envelope{kind: "act", n: 1}, nil), append(bytes.Clone(sound), 0))
	f.publish(w.conn, keys.ID(), bad...)
	if n := f.count("act"); n != 0 {
		t.Errorf("%d forged messages had an effect", n)
	}
	w.send(envelope{kind: "act", session: w.session, n: 1}, nil)
	eventually(t, "the sound one counts", func() bool { return f.count("act") == 1 })
}

// TestOfAnother: a member cannot speak for another one, though it has the other's message.
func TestOfAnother(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	a, aKeys := f.member()
	b, bKeys := f.member()
	connected(t, a)
	connected(t, b)
	conn, said := f.as(aKeys)
	for _, subject := range []string{
		up("test", bKeys.ID()), down("test", bKeys.ID()), down("test", aKeys.ID()), join("test", "x"), joined("test", "x"),
		inbox(bKeys.ID()) + ".x", "$SYS.REQ.SERVER.PING", "$JS.API.INFO", "other",
	} {
		if err := conn.Publish(subject, []byte("x")); err != nil {
			t.Fatal(err)
		}
		refuses(t, said, fmt.Sprintf("permissions violation for publish to %q", subject))
	}
	for _, subject := range []string{
		up("test", bKeys.ID()), up("test", aKeys.ID()), down("test", bKeys.ID()), down("test", "*"), joined("test", "*"),
		"afar.>", ">", inbox(bKeys.ID()) + ".>", "_INBOX.>", "$SYS.>",
	} {
		if _, err := conn.SubscribeSync(subject); err != nil {
			t.Fatal(err)
		}
		refuses(t, said, fmt.Sprintf("permissions violation for subscription to %q", subject))
	}
	if n := f.like("refused"); n != 0 {
		t.Errorf("something came through: %q", f.happened())
	}
}

// refuses waits until the server says why it refuses.
func refuses(t *testing.T, said func() []string, why string) {
	t.Helper()
	eventually(t, why, func() bool {
		return strings.Contains(strings.ToLower(strings.Join(said(), "\n")), strings.ToLower(why))
	})
}

// TestStrangers: who is not of the fleet does not get into the server.
func TestStrangers(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	eventually(t, "the hub is there", func() bool { return f.hub.State().Connected })
	for name, options := range map[string][]nats.Option{
		"no key":       {nats.Secure(pinned(f.cert.Pin)), nats.TLSHandshakeFirst()},
		"no TLS":       {},
		"a password":   {nats.Secure(pinned(f.cert.Pin)), nats.TLSHandshakeFirst(), nats.UserInfo("afar", "afar")},
		"another key":  {nats.Secure(pinned(f.cert.Pin)), nats.TLSHandshakeFirst(), keyOption(testKeys(t))},
		"a late TLS":   {nats.Secure(pinned(f.cert.Pin)), keyOption(f.keys)},
		"a system key": {nats.Secure(pinned(f.cert.Pin)), nats.TLSHandshakeFirst(), nats.UserInfo("sys", "pass")},
	} {
		conn, err := nats.Connect(f.addr, append(options, nats.NoReconnect(), nats.Timeout(time.Second))...)
		if err == nil {
			conn.Close()
			t.Errorf("%s: it is in", name)
		}
	}
}

func keyOption(k *Keys) nats.Option { return nats.Nkey(k.Sign, k.sign.Sign) }

// TestClone: two machines with one key are both refused, and the person is told once.
func TestClone(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	a, keys := f.member()
	connected(t, a)
	clone, err := NewMember(f.config(keys))
	if err != nil {
		t.Fatal(err)
	}
	run(t, clone.Run)
	eventually(t, "both are refused", func() bool {
		return strings.Contains(a.State().Why(), errDoubled.Text) && strings.Contains(clone.State().Why(), errDoubled.Text)
	})
	if n := f.count("doubled " + keys.ID()); n != 1 {
		t.Errorf("the person was told %d times", n)
	}
	for _, m := range []*Member{a, clone} {
		if _, err := m.Call(t.Context(), "act", nil); err == nil {
			t.Error("it can still act")
		}
	}
	if _, err := f.hub.Call(t.Context(), keys.ID(), "act", nil); err == nil {
		t.Error("the hub still speaks with one")
	}
	eventually(t, "down", func() bool { return f.count("down "+keys.ID()) == f.count("up "+keys.ID()) })
}

// TestRestarts: a member that starts again is no clone, however its end was: said, cut, or not heard of; nor
// when the server is killed meanwhile.
func TestRestarts(t *testing.T) {
	long.InCI(t)
	t.Parallel()
	f := newFleet(t)
	keys := testKeys(t)
	f.members = append(f.members, keys.Public)
	f.hub.Admit(f.members, nil)
	for i, end := range []func(p *netproxy.Proxy){
		func(*netproxy.Proxy) {},
		func(p *netproxy.Proxy) { p.Refuse(true); p.Cut() },
		func(p *netproxy.Proxy) { p.Hold(true) },
		func(p *netproxy.Proxy) { p.Hold(true); f.killServer() },
	} {
		proxy := netproxy.New(t, f.addr)
		c := f.config(keys)
		c.Addrs = []string{proxy.Addr()}
		m, _ := NewMember(c)
		stop := run(t, m.Run)
		connected(t, m)
		end(proxy)
		stop()
		again, _ := NewMember(f.config(keys))
		stop = run(t, again.Run)
		connected(t, again)
		if _, err := again.Call(t.Context(), "act", nil); err != nil {
			t.Errorf("%d: %v", i, err)
		}
		time.Sleep(probeWithin + 200*time.Millisecond) // until the hub would say so
		stop()
		if n := f.like("doubled"); n != 0 {
			t.Fatalf("%d: it was taken for a clone", i)
		}
	}
}

// killServer kills the hub's server as kill -9 does.
func (f *fleet) killServer() {
	f.t.Helper()
	f.hub.mu.Lock()
	p := f.hub.server
	f.hub.mu.Unlock()
	if p == nil {
		f.t.Fatal("no server runs")
	}
	_ = p.cmd.Process.Kill()
	<-p.over
}

// TestServerKilled: hub and members find each other again.
func TestServerKilled(t *testing.T) {
	long.InCI(t)
	t.Parallel()
	f := newFleet(t)
	a, keys := f.member()
	connected(t, a)
	for range 7 {
		time.Sleep(1100 * time.Millisecond) // a server that ends sooner waits longer each time
		f.killServer()
		began := time.Now()
		eventually(t, "cut", func() bool { return !a.State().Connected })
		connected(t, a)
		eventually(t, "the hub calls", func() bool {
			_, err := f.hub.Call(t.Context(), keys.ID(), "act", nil)
			return err == nil
		})
		if took := time.Since(began); took > 20*time.Second {
			t.Errorf("they found each other after %v", took)
		}
	}
	eventually(t, "up and down", func() bool { return f.count("up "+keys.ID()) == 8 && f.count("down "+keys.ID()) == 7 })
	if n := f.like("doubled"); n != 0 {
		t.Errorf("%q", f.happened())
	}
}

// TestBadNetwork: a call over a slow network takes its time; over a held one it ends, and both sides
// know that the other one is away; then all is as before.
func TestBadNetwork(t *testing.T) {
	long.InCI(t)
	t.Parallel()
	f := newFleet(t)
	keys := testKeys(t)
	f.members = append(f.members, keys.Public)
	f.hub.Admit(f.members, nil)
	proxy := netproxy.New(t, f.addr)
	c := f.config(keys)
	c.Addrs = []string{proxy.Addr()}
	m, _ := NewMember(c)
	run(t, m.Run)
	connected(t, m)
	proxy.Delay(100 * time.Millisecond)
	began := time.Now()
	if _, err := m.Call(t.Context(), "act", nil); err != nil || time.Since(began) < 200*time.Millisecond {
		t.Errorf("after %v: %v", time.Since(began), err)
	}
	proxy.Delay(0)
	proxy.Hold(true)
	if _, err := m.Call(t.Context(), "act", nil); err == nil {
		t.Error("a call went through a held network")
	}
	eventually(t, "both know", func() bool { return !m.State().Connected && f.count("down "+keys.ID()) == 1 })
	if _, err := f.hub.Call(t.Context(), keys.ID(), "act", nil); err == nil {
		t.Error("the hub calls nobody")
	}
	proxy.Hold(false)
	connected(t, m)
	proxy.Cut()
	eventually(t, "cut", func() bool { return !m.State().Connected })
	connected(t, m)
	ctx, cancel := context.WithTimeout(t.Context(), dialWithin)
	defer cancel()
	if _, err := m.Call(ctx, "act", nil); err != nil {
		t.Error(err)
	}
}

// TestNotTheHub: a member does not speak with a server that has another certificate.
func TestNotTheHub(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	c := f.config(testKeys(t))
	c.Pin = strings.Repeat("0", 64)
	m, _ := NewMember(c)
	eventually(t, "the hub is there", func() bool { return f.hub.State().Connected })
	run(t, m.Run)
	eventually(t, "said", func() bool { return m.State().Why() == f.addr+": the certificate is not the pinned one" })
}

// TestServerAlone: the server refuses arguments, lines that are no state, and an address in use; it ends
// with its input.
func TestServerAlone(t *testing.T) {
	t.Parallel()
	out, err := exec.Command(serverBin(), "-c", "x").CombinedOutput()
	if err == nil || !bytes.Contains(out, []byte("no arguments")) {
		t.Errorf("%s, %v", out, err)
	}
	f := newFleet(t)
	eventually(t, "the hub is there", func() bool { return f.hub.State().Connected })
	state := f.hub.serverState()
	inUse, _ := json.Marshal(state)
	state.Listen, state.Users = netproxy.FreeAddr(t), nil
	open, _ := json.Marshal(state)
	for line, want := range map[string]string{
		"":            "",
		"{":           "this line is no state",
		"[]":          "this line is no state",
		"{}":          "cannot use the certificate",
		string(inUse): "address already in use",
		string(open):  "needs at least one user",
	} {
		cmd := exec.Command(serverBin())
		cmd.Stdin = strings.NewReader(line)
		out, err := cmd.CombinedOutput()
		if !strings.Contains(string(out), want) || (err == nil) != (want == "") {
			t.Errorf("%.20q: %s, %v", line, out, err)
		}
	}
}

// ownerVar has this program start the server with a state, and wait.
const ownerVar = "AFAR_TEST_SERVER_STATE"

func own(state string) {
	var s fleetserver.State
	if err := json.Unmarshal([]byte(state), &s); err != nil {
		panic(err)
	}
	if _, err := startServer(context.Background(), os.Getenv("AFAR_TEST_SERVER"), s); err != nil {
		panic(err)
	}
	fmt.Println("ready")
	select {}
}

// TestOwnerKilled: the server ends with the process that started it, though that is killed.
func TestOwnerKilled(t *testing.T) {
	t.Parallel()
	cert, err := Certificate(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	user := fleetserver.User{Nkey: testKeys(t).Sign}
	s := fleetserver.State{Listen: netproxy.FreeAddr(t), Cert: cert.File, Key: cert.KeyFile, Users: []fleetserver.User{user}}
	text, _ := json.Marshal(s)
	owner := exec.Command(os.Args[0])
	owner.Env = append(os.Environ(), ownerVar+"="+string(text), "AFAR_TEST_SERVER="+serverBin())
	out, err := owner.StdoutPipe()
	if err != nil || owner.Start() != nil {
		t.Fatal("it does not start")
	}
	_, _ = out.Read(make([]byte, 8)) // it is ready, or gone
	listens := func() bool {
		conn, err := net.Dial("tcp", s.Listen)
		if err == nil {
			conn.Close()
		}
		return err == nil
	}
	if !listens() {
		t.Fatal("no server listens")
	}
	_ = owner.Process.Kill()
	_ = owner.Wait()
	eventually(t, "the server is gone", func() bool { return !listens() })
}
