package link

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/nats-io/nkeys"
)

// FuzzEnvelope: whatever comes, parse returns an error or an envelope with the same bytes, and nothing that
// differs from what was signed is taken for it.
func FuzzEnvelope(f *testing.F) {
	from, to := testKeys(f), testKeys(f)
	e := envelope{kind: "act", n: 7, re: 3}
	if e.seal(from, to.Public, []byte("body")) != nil || e.sign(from, "test") != nil {
		f.Fatal("no envelope")
	}
	sound := e.bytes()
	f.Add(sound)
	f.Add(sound[:len(sound)-1])
	f.Add([]byte{})
	f.Add([]byte{format, 0})
	f.Add([]byte{format, 255})
	f.Add(append([]byte{format, 32}, bytes.Repeat([]byte("a"), 400)...))
	f.Fuzz(func(t *testing.T, b []byte) {
		e, err := parse(b)
		if err != nil {
			return
		}
		if !bytes.Equal(e.bytes(), b) {
			t.Errorf("%q became %q", b, e.bytes())
		}
		if e.isFrom(from.Public, "test") && !bytes.Equal(b, sound) {
			t.Errorf("%q is taken for signed", b)
		}
		_, _ = e.open(to, from.Public)
	})
}

// FuzzWord: a word that is read is whole, and says the same again.
func FuzzWord(f *testing.F) {
	_, seed := NewInvite()
	w := Word{Fleet: "f", Addrs: []string{"h:1"}, Pin: "p", Hub: testKeys(f).Public, Seed: seed}
	f.Add(w.String())
	f.Add(wordPrefix)
	f.Add(wordPrefix + "AAAA")
	f.Add("")
	f.Fuzz(func(t *testing.T, s string) {
		w, err := ParseWord(s)
		if err != nil {
			return
		}
		if again, err := ParseWord(w.String()); err != nil || again.String() != w.String() {
			t.Errorf("%q: %v", s, err)
		}
		if w.check() != nil || len(s) > 2*maxWord {
			t.Errorf("%q is no invite", s)
		}
	})
}

// FuzzJoin: a request to join is taken only with the invite's signature and that of the keys it names.
func FuzzJoin(f *testing.F) {
	hub, err := NewHub(HubConfig{Config: Config{Fleet: "test", Keys: testKeys(f)}})
	if err != nil {
		f.Fatal(err)
	}
	id, seed := NewInvite()
	sound := joinBy(f, hub, seed, testKeys(f))
	if _, _, err := hub.readJoin(id, sound); err != nil {
		f.Fatal(err)
	}
	_, other := NewInvite()
	f.Add(joinBy(f, hub, other, testKeys(f)))
	f.Add(bytes.Replace(sound, []byte(`"sign":"U`), []byte(`"sign":"X`), 1))
	f.Add(sound[:len(sound)/2])
	f.Add([]byte(`{"who":{},"proof":"","message":""}`))
	f.Add([]byte(`[]`))
	f.Fuzz(func(t *testing.T, b []byte) {
		r, _, err := hub.readJoin(id, b)
		var want joinRequest
		if err == nil && (json.Unmarshal(sound, &want) != nil || r.Who != want.Who || !bytes.Equal(r.Message, want.Message)) {
			t.Errorf("%q is taken", b)
		}
	})
}

func joinBy(t testing.TB, hub *Hub, seed string, keys *Keys) []byte {
	t.Helper()
	key, err := nkeys.FromSeed([]byte(seed))
	if err != nil {
		t.Fatal(err)
	}
	w := Word{Fleet: "test", Hub: hub.config.Keys.Public}
	b, err := newJoinRequest(&envelope{kind: kindJoin, n: 1}, w, key, keys, []byte("build"))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// FuzzHello: what a member seals is read, or refused.
func FuzzHello(f *testing.F) {
	f.Add(`{"nonce":"` + strings.Repeat("0", 64) + `"}`)
	f.Add(`{"nonce":1}`)
	f.Add(``)
	f.Add(`null`)
	hub, member := testKeys(f), testKeys(f)
	c := Config{Keys: hub}
	f.Fuzz(func(t *testing.T, body string) {
		e := envelope{kind: kindHello}
		if err := e.seal(member, hub.Public, []byte(body)); err != nil {
			t.Fatal(err)
		}
		var h hello
		_ = c.readOutside(&e, member.Public, &h)
		_ = readRefusal([]byte(body)).Error()
	})
}
