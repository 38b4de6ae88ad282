package triggerwork

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/feature"
	"github.com/afar-sh/afar/coordinator/internal/store"
	"github.com/afar-sh/afar/coordinator/internal/trigger"
	"github.com/afar-sh/afar/coordinator/standin/long"
)

// TestVectors: the published examples of both signatures hold, and no change of them does.
func TestVectors(t *testing.T) {
	std := http.Header{
		"Webhook-Id":        {"msg_p5jXN8AQM9LWM0D4loKWxJek"},
		"Webhook-Timestamp": {"1614265330"},
		"Webhook-Signature": {"v1,AAAA v2,x v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="},
	}
	const secret, body = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", `{"test": 2432232314}`
	sent := time.Unix(1614265330, 0)
	for _, c := range []struct {
		name, body string
		at         time.Time
		want       bool
	}{
		{"as published", body, sent, true},
		{"5 minutes later", body, sent.Add(5 * time.Minute), true},
		{"too old", body, sent.Add(5*time.Minute + time.Second), false},
		{"from the future", body, sent.Add(-5*time.Minute - time.Second), false},
		{"another body", body + " ", sent, false},
	} {
		key, ok := verify(trigger.Standard, secret, std, []byte(c.body), c.at)
		if ok != c.want || ok && key != "id msg_p5jXN8AQM9LWM0D4loKWxJek" {
			t.Errorf("standard, %s: %q, %v", c.name, key, ok)
		}
	}
	const hub = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"
	for header, want := range map[string]bool{hub: true, strings.ToUpper(hub): false, hub[7:]: false, "": false} {
		h := http.Header{"X-Hub-Signature-256": {header}}
		if _, ok := verify(trigger.GitHub, "It's a Secret to Everybody", h, []byte("Hello, World!"), sent); ok != want {
			t.Errorf("github, %q: %v", header, ok)
		}
	}
}

// A hookRig is a real HTTP server that takes webhooks, over a core of its own.
type hookRig struct {
	t      *testing.T
	core   *feature.Core
	folder Folder
	hooks  *Hooks
	url    string
	secret map[trigger.Name]string
}

func newHookRig(t *testing.T) *hookRig {
	t.Helper()
	dir := t.TempDir()
	db, err := store.Open(filepath.Join(dir, "afar.db"))
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.NewTextHandler(t.Output(), nil))
	c, err := feature.New(core.Config{Store: db, Log: log, Now: time.Now, Secret: func() string { return "5ec" }})
	if err != nil {
		t.Fatal(err)
	}
	r := &hookRig{
		t:      t,
		core:   c,
		folder: NewFolder(filepath.Join(dir, "triggers"), filepath.Join(dir, "hooks")),
		secret: map[trigger.Name]string{},
	}
	r.hooks = NewHooks(c, r.folder, log)
	t.Cleanup(func() { db.Close() })
	r.url = "http://" + r.serve(wholeFor) + hookPath
	return r
}

// serve takes webhooks until the test ends, and returns the address.
func (r *hookRig) serve(whole time.Duration) string {
	r.t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		r.t.Fatal(err)
	}
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = r.hooks.serveOn(r.t.Context(), l, whole)
	}()
	r.t.Cleanup(func() { <-served })
	return l.Addr().String()
}

// hook adds a webhook that is on.
func (r *hookRig) hook(name trigger.Name, auth trigger.Auth, more string) {
	r.t.Helper()
	text := fmt.Sprintf("# Hook\n\n- on: webhook\n- to: person\n- auth: %s\n%s\nGot {{payload}}.\n", auth, more)
	if err := r.folder.Create(name, text); err != nil {
		r.t.Fatal(err)
	}
	secret, err := r.folder.NewSecret(name, auth)
	if err != nil {
		r.t.Fatal(err)
	}
	r.secret[name] = secret
	if _, err := r.core.ApproveTrigger(name, text, "Ann"); err != nil {
		r.t.Fatal(err)
	}
}

// signed returns the headers of Standard Webhooks.
func (r *hookRig) signed(name trigger.Name, id, body string, at time.Time) http.Header {
	r.t.Helper()
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(r.secret[name], secretPrefix))
	if err != nil {
		r.t.Fatal(err)
	}
	stamp := strconv.FormatInt(at.Unix(), 10)
	mac := base64.StdEncoding.EncodeToString(sign(key, []byte(id+"."+stamp+"."+body)))
	return http.Header{"Webhook-Id": {id}, "Webhook-Timestamp": {stamp}, "Webhook-Signature": {"v1," + mac}}
}

// do sends a request, and returns the status and the body of the reply.
func (r *hookRig) do(method, path string, h http.Header, body io.Reader) (int, string) {
	r.t.Helper()
	req, err := http.NewRequestWithContext(r.t.Context(), method, r.url+path, body)
	if err != nil {
		r.t.Fatal(err)
	}
	req.Header = h.Clone()
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer resp.Body.Close()
	said, _ := io.ReadAll(resp.Body)
	return resp.StatusCode, strings.TrimSpace(string(said))
}

func (r *hookRig) post(name trigger.Name, h http.Header, body string) (int, string) {
	r.t.Helper()
	return r.do(http.MethodPost, string(name), h, strings.NewReader(body))
}

// fresh lets the next requests of a test pass the limit per second.
func (r *hookRig) fresh() {
	r.hooks.mu.Lock()
	defer r.hooks.mu.Unlock()
	clear(r.hooks.limits)
	clear(r.hooks.strange)
}

// TestHookAttacks sends what a stranger may try, with a real client.
func TestHookAttacks(t *testing.T) {
	r := newHookRig(t)
	r.hook("std", trigger.Standard, "")
	r.hook("hub", trigger.GitHub, "")
	r.hook("plain", trigger.Header, "- limit: 1000\n")
	now := time.Now()
	const body = `{"a": 1}`
	hub := func(body string) http.Header {
		return http.Header{
			"X-Hub-Signature-256": {"sha256=" + hex.EncodeToString(sign([]byte(r.secret["hub"]), []byte(body)))},
		}
	}
	plain := http.Header{"X-Webhook-Secret": {r.secret["plain"]}}
	const refused, missing = `{"error":"unauthorized","ok":false}`, `{"error":"not found","ok":false}`

	for name, c := range map[string]struct {
		method, path string
		h            http.Header
		body         string
		want         int
	}{
		"no signature":        {"POST", "std", nil, body, 401},
		"no github signature": {"POST", "hub", nil, body, 401},
		"no secret":           {"POST", "plain", nil, body, 401},
		"a wrong secret":      {"POST", "plain", http.Header{"X-Webhook-Secret": {"x"}}, body, 401},
		"another's secret": {"POST", "plain",
			http.Header{"X-Webhook-Secret": {r.secret["hub"]}}, body, 401},
		"a changed body":         {"POST", "std", r.signed("std", "1", body, now), body + " ", 401},
		"a changed body, github": {"POST", "hub", hub(body), body + " ", 401},
		"an old timestamp": {"POST", "std",
			r.signed("std", "1", body, now.Add(-6*time.Minute)), body, 401},
		"a future timestamp": {"POST", "std",
			r.signed("std", "1", body, now.Add(6*time.Minute)), body, 401},
		"no id":                     {"POST", "std", r.signed("std", "", body, now), body, 401},
		"secret in the query alone": {"POST", "plain?secret=" + r.secret["plain"], nil, body, 401},
		"secret in the query too":   {"POST", "plain?s=" + url.QueryEscape(r.secret["plain"]), plain, body, 401},
		"standard secret in the query": {"POST", "std?s=" + url.QueryEscape(r.secret["std"]),
			r.signed("std", "q", body, now), body, 401},
		"unknown name":                    {"POST", "nobody", nil, body, 404},
		"a wrong method":                  {"GET", "std", nil, "", 404},
		"a wrong method with a signature": {"PUT", "std", r.signed("std", "1", body, now), body, 404},
		"a path below":                    {"POST", "std/x", r.signed("std", "1", body, now), body, 404},
		"a path above":                    {"POST", "..%2f..%2fstd", nil, body, 404},
	} {
		r.fresh()
		status, said := r.do(c.method, c.path, c.h, strings.NewReader(c.body))
		want := map[int]string{401: refused, 404: missing}[c.want]
		if status != c.want || said != want {
			t.Errorf("%s: %d %s, want %d", name, status, said, c.want)
		}
	}
	if due := r.core.DueFirings(); len(due) > 0 {
		t.Fatalf("a stranger made it fire: %+v", due)
	}

	r.fresh()
	status, first := r.post("std", r.signed("std", "one", body, now), body)
	again, same := r.post("std", r.signed("std", "one", body, now.Add(time.Second)), body)
	if status != 202 || again != 202 || first != same || len(r.core.DueFirings()) != 1 {
		t.Errorf("a repeated id: %d %s, then %d %s; %d due", status, first, again, same, len(r.core.DueFirings()))
	}
	replay := hub(body)
	_, first = r.post("hub", replay, body)
	replay.Set("X-Github-Delivery", "another")
	_, same = r.post("hub", replay, body)
	if first != same || len(r.core.DueFirings()) != 2 {
		t.Errorf("a replayed signature: %s, then %s", first, same)
	}

	large := bytes.NewReader(make([]byte, 2<<20))
	if status, _ := r.do("POST", "plain", plain, large); status != 413 {
		t.Errorf("2 MiB: %d", status)
	}
	r.fresh()
	passed, stopped := 0, 0
	for range 100 {
		switch status, _ := r.post("plain", nil, body); status {
		case 401:
			passed++
		case 429:
			stopped++
		}
	}
	if passed < 20 || passed > 40 || passed+stopped != 100 {
		t.Errorf("of 100 at once %d passed and %d were stopped", passed, stopped)
	}

	r.fresh()
	if err := r.core.LookedAtTrigger("plain", "its file was changed"); err != nil {
		t.Fatal(err)
	}
	if status, said := r.post("plain", plain, body); status != 404 || said != missing {
		t.Errorf("a webhook that is held: %d %s", status, said)
	}
}

// TestHookFlood: requests that do not hold, however many and of whatever kind, do not keep the genuine
// one away, also from the same address, as behind a tunnel. Beyond their own limit they are told to
// wait before their bodies are read.
func TestHookFlood(t *testing.T) {
	r := newHookRig(t)
	r.hook("std", trigger.Standard, "")
	r.hook("hub", trigger.GitHub, "")
	r.hook("plain", trigger.Header, "")
	const body = `{"a": 1}`
	genuine := map[trigger.Name]func() http.Header{
		"std": func() http.Header { return r.signed("std", "real", body, time.Now()) },
		"hub": func() http.Header {
			mac := hex.EncodeToString(sign([]byte(r.secret["hub"]), []byte(body)))
			return http.Header{"X-Hub-Signature-256": {"sha256=" + mac}}
		},
		"plain": func() http.Header { return http.Header{"X-Webhook-Secret": {r.secret["plain"]}} },
	}
	for kind, forged := range map[string]http.Header{
		"unsigned":       nil,
		"forged":         r.signed("std", "forged", body+"x", time.Now()),
		"forged, github": {"X-Hub-Signature-256": {"sha256=" + strings.Repeat("0", 64)}},
		"a wrong secret": {"X-Webhook-Secret": {"x"}},
		"too old":        r.signed("std", "old", body, time.Now().Add(-time.Hour)),
	} {
		for name, headers := range genuine {
			r.fresh()
			waits := 0
			for range 3 * burst {
				switch status, _ := r.post(name, forged, body); status {
				case 401:
				case 429:
					waits++
				default:
					t.Fatalf("%s to %s: %d", kind, name, status)
				}
			}
			if kind == "unsigned" && waits == 0 {
				t.Errorf("of %d unsigned ones to %s none was told to wait", 3*burst, name)
			}
			if status, said := r.post(name, headers(), body); status != 202 {
				t.Errorf("the genuine one of %s after a flood of %s: %d %s", name, kind, status, said)
			}
		}
	}
}

// TestHookUnread: the reply to a request that cannot hold comes before its body.
func TestHookUnread(t *testing.T) {
	r := newHookRig(t)
	r.hook("std", trigger.Standard, "")
	conn, err := net.Dial("tcp", strings.TrimSuffix(strings.TrimPrefix(r.url, "http://"), hookPath))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "POST /hook/std HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n")
	if err := conn.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	said := make([]byte, len("HTTP/1.1 401 "))
	if _, err := io.ReadFull(conn, said); err != nil || string(said) != "HTTP/1.1 401 " {
		t.Errorf("%q, %v", said, err)
	}
}

// TestHookNetworks: a limit is of an address, or of a network of IPv6.
func TestHookNetworks(t *testing.T) {
	for remote, want := range map[string]string{
		"127.0.0.1:5": "127.0.0.1/32", "[::ffff:10.0.0.9]:5": "10.0.0.9/32",
		"[2001:db8:1:2:3:4:5:6]:5": "2001:db8:1:2::/64", "[fe80::1%eth0]:5": "fe80::/64",
		"": "invalid Prefix", "@": "invalid Prefix",
	} {
		if got := networkOf(remote).String(); got != want {
			t.Errorf("%q: have %s, want %s", remote, got, want)
		}
	}
}

// TestHookPayload: what comes arrives as it is, whatever its type.
func TestHookPayload(t *testing.T) {
	r := newHookRig(t)
	r.hook("ci", trigger.Header, "- limit: 1000\n")
	const nasty = "{{payload}} $& `id` |;1e\nline two \\1"
	form := url.Values{"text": {nasty}, "n": {"1"}}
	for kind, body := range map[string]string{
		"application/json":                  `{"text": "{{payload}} $& ` + "`id`" + ` |;1e\nline two \\1"}`,
		"application/x-www-form-urlencoded": form.Encode(),
		"text/plain":                        nasty,
		"":                                  nasty + strings.Repeat("x", 900<<10),
	} {
		h := http.Header{"X-Webhook-Secret": {r.secret["ci"]}, "Webhook-Id": {kind}, "Content-Type": {kind}}
		if status, said := r.post("ci", h, body); status != 202 {
			t.Fatalf("%s: %d %s", kind, status, said)
		}
		f, ok, err := findFiring(r.core, "hook id "+kind)
		if kind == "" { // without an id each one is new
			f, ok = r.core.DueFirings()[len(r.core.DueFirings())-1], true
		}
		if !ok || err != nil || f.Payload.Text != body {
			t.Errorf("%s: %.80q, %v", kind, f.Payload.Text, err)
		}
		if v, _ := f.Payload.Field("text"); strings.Contains(kind, "/") && kind != "text/plain" && v != nasty {
			t.Errorf("%s: the field is %q", kind, v)
		}
	}
}

func findFiring(c *feature.Core, key string) (f trigger.Firing, ok bool, err error) {
	for _, f := range c.DueFirings() {
		if f.Key == key {
			return f, true, nil
		}
	}
	return f, false, nil
}

// TestHookLimit: beyond its firings per minute a webhook is told to wait, and nothing is
// recorded, so that the sender can try again with the same id.
func TestHookLimit(t *testing.T) {
	r := newHookRig(t)
	r.hook("ci", trigger.Header, "- limit: 2\n")
	for i, want := range []int{202, 202, 429, 429} {
		h := http.Header{"X-Webhook-Secret": {r.secret["ci"]}, "Webhook-Id": {strconv.Itoa(i)}}
		if status, said := r.post("ci", h, "x"); status != want {
			t.Errorf("request %d: %d %s, want %d", i, status, said, want)
		}
	}
	if n := len(r.core.DueFirings()); n != 2 {
		t.Errorf("%d firings", n)
	}
}

// TestHookPaced: of 100 good requests a second for some seconds, as many are taken as the limit lets
// through. Each of those fires once, the others are told when to come again, and another webhook is
// not held up.
func TestHookPaced(t *testing.T) {
	long.Only(t)
	r := newHookRig(t)
	r.hook("ci", trigger.Header, "- limit: 1000\n")
	r.hook("other", trigger.Header, "- limit: 1000\n")
	const all = 500
	taken, refused, begun := 0, 0, time.Now()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for i := range all {
		<-tick.C
		h := http.Header{"X-Webhook-Secret": {r.secret["ci"]}, "Webhook-Id": {strconv.Itoa(i)}}
		switch status, _ := r.post("ci", h, "x"); status {
		case http.StatusAccepted:
			taken++
		case http.StatusTooManyRequests:
			refused++
		}
	}
	most := burst + perSecond*time.Since(begun).Seconds()
	if taken+refused != all || float64(taken) > most+1 || float64(taken) < 0.8*most {
		t.Errorf("%d taken and %d refused, want about %.0f taken", taken, refused, most)
	}
	if n := len(r.core.DueFirings()); n != taken {
		t.Errorf("%d firings of %d requests that were taken", n, taken)
	}
	status, _ := r.post("other", http.Header{"X-Webhook-Secret": {r.secret["other"]}}, "x")
	if status != http.StatusAccepted {
		t.Errorf("another webhook: %d", status)
	}
	t.Logf("%d of %d taken in %s", taken, all, time.Since(begun).Round(time.Millisecond))
}

// TestHookSecret: a secret is readable by its owner alone, and a new one ends the old one.
func TestHookSecret(t *testing.T) {
	r := newHookRig(t)
	r.hook("ci", trigger.Header, "")
	info, err := os.Stat(r.folder.secretFile("ci"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	old := r.secret["ci"]
	if r.secret["ci"], err = r.folder.NewSecret("ci", trigger.Header); err != nil || r.secret["ci"] == old ||
		len(old) < 40 {
		t.Fatalf("%q, then %q: %v", old, r.secret["ci"], err)
	}
	for secret, want := range map[string]int{old: 401, r.secret["ci"]: 202} {
		if status, _ := r.post("ci", http.Header{"X-Webhook-Secret": {secret}}, "x"); status != want {
			t.Errorf("%d, want %d", status, want)
		}
	}
}

// TestHookSlow: a body that does not come ends the request, and holds nobody up.
func TestHookSlow(t *testing.T) {
	r := newHookRig(t)
	r.hook("ci", trigger.Header, "")
	conn, err := net.Dial("tcp", strings.TrimSuffix(strings.TrimPrefix(r.url, "http://"), hookPath))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "POST /hook/ci HTTP/1.1\r\nHost: x\r\nX-Webhook-Secret: %s\r\nContent-Length: 100\r\n\r\nhalf",
		r.secret["ci"])
	if status, _ := r.post("ci", http.Header{"X-Webhook-Secret": {r.secret["ci"]}}, "x"); status != 202 {
		t.Errorf("beside a slow one: %d", status)
	}
	if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	said, _ := io.ReadAll(conn)
	if !strings.HasPrefix(string(said), "HTTP/1.1 408 ") || len(r.core.DueFirings()) != 1 {
		t.Errorf("a body that ends early: %.60q, %d due", said, len(r.core.DueFirings()))
	}
}

// TestHookTrickles: a body whose bytes come one by one ends when its time is over.
func TestHookTrickles(t *testing.T) {
	r := newHookRig(t)
	r.hook("ci", trigger.Header, "")
	conn, err := net.Dial("tcp", r.serve(200*time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "POST /hook/ci HTTP/1.1\r\nHost: x\r\nX-Webhook-Secret: %s\r\nContent-Length: 1000\r\n\r\n",
		r.secret["ci"])
	go func() {
		for err := error(nil); err == nil; time.Sleep(10 * time.Millisecond) {
			_, err = conn.Write([]byte("x"))
		}
	}()
	said := make([]byte, len("HTTP/1.1 408 "))
	if _, err := io.ReadFull(conn, said); err != nil || string(said) != "HTTP/1.1 408 " {
		t.Errorf("%q, %v", said, err)
	}
	if due := r.core.DueFirings(); len(due) > 0 {
		t.Errorf("it fires: %+v", due)
	}
}
