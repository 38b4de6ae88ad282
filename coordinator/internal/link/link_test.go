package link

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/afar-sh/afar/coordinator/standin/netproxy"
)

// programs is where cmd/fleet-server is built, "" before the first test that needs it.
var programs string

// serverBin builds cmd/fleet-server once.
var serverBin = sync.OnceValue(func() string {
	var err error
	if programs, err = os.MkdirTemp("", "fleet-server"); err != nil {
		panic(err)
	}
	bin := filepath.Join(programs, "fleet-server")
	build := exec.Command("go", "build", "-o", bin, "github.com/afar-sh/afar/cmd/fleet-server")
	if out, err := build.CombinedOutput(); err != nil {
		panic(string(out))
	}
	return bin
})

func TestMain(m *testing.M) {
	if line := os.Getenv(ownerVar); line != "" {
		own(line)
	}
	flag.Parse()
	_ = flag.Set("test.parallel", "8") // they wait more than they compute
	code := m.Run()
	if err := goleak.Find(); err != nil && code == 0 {
		fmt.Println(err)
		code = 1
	}
	_ = os.RemoveAll(programs) // "" removes nothing
	os.Exit(code)
}

// a fleet is a hub with its real server, for a test.
type fleet struct {
	t    testing.TB
	hub  *Hub
	keys *Keys
	cert Cert
	addr string

	mu      sync.Mutex
	events  []string
	members []Public
	invites []string
}

func testKeys(t testing.TB) *Keys {
	t.Helper()
	k, err := LoadKeys(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// echo answers with what it got.
func echo(_ context.Context, from, kind string, body []byte) ([]byte, error) {
	switch kind {
	case "refuse":
		return nil, &Refusal{Code: "no", Text: "not today"}
	case "fail":
		return nil, errors.New("it broke")
	}
	return append([]byte(from+" "+kind+" "), body...), nil
}

// handle answers as echo does, and notes what came.
func (f *fleet) handle(ctx context.Context, from, kind string, body []byte) ([]byte, error) {
	f.note(kind)
	return echo(ctx, from, kind, body)
}

// beat is the time between two heartbeats. Two of them are longer than a busy machine keeps one side silent.
const beat = 3 * time.Second

func newFleet(t testing.TB) *fleet {
	t.Helper()
	f := &fleet{t: t, keys: testKeys(t), addr: netproxy.FreeAddr(t)}
	dir := t.TempDir()
	var err error
	if f.cert, err = Certificate(dir); err != nil {
		t.Fatal(err)
	}
	f.hub, err = NewHub(HubConfig{
		Config: Config{
			Fleet: "test", Keys: f.keys, Handle: f.handle, Beat: beat,
			Up:      func(id string) { f.note("up " + id) },
			Down:    func(id string) { f.note("down " + id) },
			Refused: func(id, why string) { f.note("refused " + id + ": " + why) },
		},
		Server:  Embedded{Bin: serverBin(), Listen: f.addr, Dir: dir},
		Doubled: func(id string) { f.note("doubled " + id) }, Joining: f.joining,
		InviteSpent: func(id string) { f.note("spent " + id) },
	})
	if err != nil {
		t.Fatal(err)
	}
	run(t, f.hub.Run)
	return f
}

// run runs until the test ends.
func run(t testing.TB, what func(context.Context) error) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = what(ctx)
	}()
	stop = func() {
		cancel()
		<-done
	}
	t.Cleanup(stop)
	return stop
}

func (f *fleet) note(s string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.events = append(f.events, s)
}

// happened returns all that happened.
func (f *fleet) happened() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.events)
}

// count returns how often something happened.
func (f *fleet) count(event string) int {
	return len(slices.DeleteFunc(f.happened(), func(e string) bool { return e != event }))
}

// like returns how often something happened that begins so.
func (f *fleet) like(prefix string) int {
	return len(slices.DeleteFunc(f.happened(), func(e string) bool { return !strings.HasPrefix(e, prefix) }))
}

// member starts a member that the hub admits.
func (f *fleet) member() (*Member, *Keys) {
	f.t.Helper()
	keys := testKeys(f.t)
	f.members = append(f.members, keys.Public)
	f.hub.Admit(f.members, nil)
	m, err := NewMember(f.config(keys))
	if err != nil {
		f.t.Fatal(err)
	}
	run(f.t, m.Run)
	return m, keys
}

func (f *fleet) config(keys *Keys) MemberConfig {
	return MemberConfig{
		Config: Config{Fleet: "test", Keys: keys, Handle: echo, Beat: beat},
		Hub:    f.keys.Public, Addrs: []string{f.addr}, Pin: f.cert.Pin,
	}
}

func eventually(t testing.TB, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("never: " + what)
		}
	}
}

func connected(t testing.TB, m *Member) {
	t.Helper()
	eventually(t, "connected", func() bool { return m.State().Connected })
}

// TestCall: a hub and two members call each other.
func TestCall(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	a, aKeys := f.member()
	b, bKeys := f.member()
	for _, m := range []*Member{a, b} {
		connected(t, m)
	}
	ctx := t.Context()
	for m, keys := range map[*Member]*Keys{a: aKeys, b: bKeys} {
		if got, err := m.Call(ctx, "greet", []byte("you")); err != nil || string(got) != keys.ID()+" greet you" {
			t.Errorf("member: %q, %v", got, err)
		}
		want := f.keys.ID() + " greet you"
		if got, err := f.hub.Call(ctx, keys.ID(), "greet", []byte("you")); err != nil || string(got) != want {
			t.Errorf("hub: %q, %v", got, err)
		}
	}
	var refusal *Refusal
	_, err := a.Call(ctx, "refuse", nil)
	if !errors.As(err, &refusal) || *refusal != (Refusal{Code: "no", Text: "not today"}) {
		t.Errorf("a refusal: %v", err)
	}
	if _, err := a.Call(ctx, "fail", nil); !errors.As(err, &refusal) || refusal.Code != codeFailed {
		t.Errorf("an error: %v", err)
	}
	if _, err := f.hub.Call(ctx, "nobody", "greet", nil); !errors.Is(err, ErrAway) {
		t.Errorf("to nobody: %v", err)
	}
	if _, err := a.Call(ctx, "greet", make([]byte, maxBody+1)); !errors.Is(err, ErrTooLarge) {
		t.Errorf("too large: %v", err)
	}
	if testing.Short() {
		return // the race detector takes most of a minute for so many bytes
	}
	if got, err := a.Call(ctx, "greet", make([]byte, maxBody-100)); err != nil || len(got) < maxBody-100 {
		t.Errorf("as large as it may be: %d bytes, %v", len(got), err)
	}
}

// TestRemoved: a member that is no longer admitted is cut at once, and stays out.
func TestRemoved(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	a, _ := f.member()
	b, _ := f.member()
	connected(t, a)
	connected(t, b)
	f.hub.Admit(f.members[1:], nil)
	began := time.Now()
	eventually(t, "cut", func() bool { return !a.State().Connected })
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("it was cut after %v", took)
	}
	if _, err := b.Call(t.Context(), "greet", nil); err != nil {
		t.Errorf("the one that stays: %v", err)
	}
	eventually(t, "refused", func() bool { return a.State().Why() == f.addr+": the key is refused" })
}
