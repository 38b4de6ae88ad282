package link

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/nats-io/nkeys"

	"github.com/afar-sh/afar/coordinator/standin/netproxy"
)

// invite admits one more invite and returns its word.
func (f *fleet) invite() Word {
	id, seed := NewInvite()
	f.invites = append(f.invites, id)
	f.hub.Admit(f.members, f.invites)
	return Word{Fleet: "test", Addrs: []string{f.addr}, Pin: f.cert.Pin, Hub: f.keys.Public, Seed: seed}
}

// joining is what a coordinator does: it takes the machine in and the invite away, unless the body says "no".
func (f *fleet) joining(_ context.Context, invite string, who Public, body []byte) ([]byte, error) {
	if string(body) == "no" {
		return nil, &Refusal{Code: "taken", Text: "the name is taken"}
	}
	f.note("joining " + who.ID())
	f.members, f.invites = append(f.members, who), nil
	f.hub.Admit(f.members, nil)
	return append([]byte("welcome "), body...), nil
}

func cannotJoin(t *testing.T, w Word, why string) {
	t.Helper()
	if _, err := Join(t.Context(), w, testKeys(t), nil); err == nil || !strings.Contains(err.Error(), why) {
		t.Errorf("want %q, have %v", why, err)
	}
}

// TestJoin: a machine joins with a word, and is a member; the word is good for no other one.
func TestJoin(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	w := f.invite()
	parsed, err := ParseWord(" " + w.String() + "\n")
	if err != nil {
		t.Fatal(err)
	}
	keys := testKeys(t)
	eventually(t, "the hub is there", func() bool { return f.hub.State().Connected })
	for range 2 { // as if the first answer had been lost
		if got, err := Join(t.Context(), parsed, keys, []byte("build")); err != nil || string(got) != "welcome build" {
			t.Fatalf("%q, %v", got, err)
		}
	}
	if n := f.count("joining " + keys.ID()); n != 1 {
		t.Errorf("it joined %d times", n)
	}
	var refusal *Refusal
	_, err = Join(t.Context(), w, testKeys(t), nil)
	if !errors.As(err, &refusal) || refusal.Code != codeUnknown {
		t.Errorf("another machine with the same word: %v", err)
	}
	m, err := NewMember(parsed.Member(Config{Fleet: "test", Keys: keys, Handle: echo}))
	if err != nil {
		t.Fatal(err)
	}
	run(t, m.Run)
	connected(t, m)
	eventually(t, "gone from the server", func() bool {
		_, err := Join(t.Context(), w, testKeys(t), nil)
		return err != nil && strings.Contains(err.Error(), "the invite is refused")
	})
}

// TestJoinMeanwhile: a machine joins while the server takes new lists, which cuts those who have not signed in yet.
func TestJoinMeanwhile(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	w := f.invite()
	eventually(t, "the hub is there", func() bool { return f.hub.State().Connected })
	between := netproxy.New(t, f.addr)
	between.Hold(true)
	w.Addrs = []string{between.Addr()}
	joined := make(chan error)
	go func() { _, err := Join(t.Context(), w, testKeys(t), []byte("build")); joined <- err }()
	for range 8 { // each takes a quarter of a second, and three dials fifteen
		f.hub.Admit(f.members, f.invites)
	}
	between.Hold(false)
	if err := <-joined; err != nil {
		t.Error(err)
	}
}

// TestJoinRefused: what the hub refuses can be tried again, until the invite is spent.
func TestJoinRefused(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	w := f.invite()
	eventually(t, "the hub is there", func() bool { return f.hub.State().Connected })
	for i := range 5 {
		var refusal *Refusal
		_, err := Join(t.Context(), w, testKeys(t), []byte("no"))
		if !errors.As(err, &refusal) || refusal.Code != "taken" {
			t.Fatalf("request %d: %v", i, err)
		}
	}
	eventually(t, "spent", func() bool { return f.count("spent "+f.invites[0]) == 1 })
	f.hub.Admit(f.members, f.invites) // as a caller that has not heard of it
	cannotJoin(t, w, "the invite is refused")
}

// TestJoinExpired: an invite that the hub no longer admits is refused by its server; so is one of another
// fleet, and a hub that is not the pinned one gets nothing.
func TestJoinExpired(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	w := f.invite()
	eventually(t, "the hub is there", func() bool { return f.hub.State().Connected })
	f.hub.Admit(nil, nil)
	cannotJoin(t, w, "the invite is refused")
	other := w
	other.Pin = strings.Repeat("0", 64)
	cannotJoin(t, other, "not the pinned one")
	other = w
	other.Addrs = []string{netproxy.FreeAddr(t)}
	cannotJoin(t, other, "nobody answers at "+other.Addrs[0])
}

// TestJoinElsewhere: the first address that answers is used.
func TestJoinElsewhere(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	w := f.invite()
	eventually(t, "the hub is there", func() bool { return f.hub.State().Connected })
	w.Addrs = []string{netproxy.FreeAddr(t), w.Addrs[0]}
	if got, err := Join(t.Context(), w, testKeys(t), nil); err != nil || string(got) != "welcome " {
		t.Errorf("%q, %v", got, err)
	}
	large := bytes.Repeat([]byte("x"), maxMessage)
	if _, err := Join(t.Context(), w, testKeys(t), large); !errors.Is(err, ErrTooLarge) {
		t.Errorf("too large: %v", err)
	}
}

func TestWord(t *testing.T) {
	_, seed := NewInvite()
	w := Word{Fleet: "f", Addrs: []string{"h:1"}, Pin: "p", Hub: testKeys(t).Public, Seed: seed}
	word := w.String()
	if got, err := ParseWord(word); err != nil || got.String() != word {
		t.Errorf("%+v, %v", got, err)
	}
	curve, err := nkeys.CreateCurveKeys()
	if err != nil {
		t.Fatal(err)
	}
	box, _ := curve.PublicKey()
	twice := Public{Sign: box, Box: box}
	for name, bad := range map[string]string{
		"empty": "", "other": "hello", "cut": word[:len(word)-1], "changed": strings.Replace(word, "a", "b", 2),
		"huge":        "afar1-" + strings.Repeat("A", 1<<20),
		"no hub":      Word{Fleet: "f", Addrs: []string{"h:1"}, Pin: "p", Seed: seed}.String(),
		"no address":  Word{Fleet: "f", Pin: "p", Hub: w.Hub, Seed: seed}.String(),
		"no seed":     Word{Fleet: "f", Addrs: []string{"h:1"}, Pin: "p", Hub: w.Hub}.String(),
		"a subject":   Word{Fleet: "f.>", Addrs: []string{"h:1"}, Pin: "p", Hub: w.Hub, Seed: seed}.String(),
		"wrong kind":  Word{Fleet: "f", Addrs: []string{"h:1"}, Pin: "p", Hub: twice, Seed: seed}.String(),
		"without pin": Word{Fleet: "f", Addrs: []string{"h:1"}, Hub: w.Hub, Seed: seed}.String(),
	} {
		if got, err := ParseWord(bad); err == nil {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
