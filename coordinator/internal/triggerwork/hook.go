package triggerwork

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/feature"
	"github.com/afar-sh/afar/coordinator/internal/random"
	"github.com/afar-sh/afar/coordinator/internal/trigger"
)

// hookPath is the path below which webhooks are taken.
const hookPath = "/hook/"

// maxBody is the largest body of a webhook, in bytes.
const maxBody = 1 << 20

// Hooks takes webhooks. All that reaches an agent is the body, as data.
type Hooks struct {
	core   *feature.Core
	folder Folder
	log    *slog.Logger
	now    func() time.Time

	mu     sync.Mutex
	limits map[trigger.Name]*rate.Limiter // of the requests that are verified
	// strange are the limits of the requests that are not verified yet, by address.
	strange map[netip.Prefix]stranger
}

// NewHooks returns a handler for POST /hook/NAME.
func NewHooks(c *feature.Core, folder Folder, log *slog.Logger) *Hooks {
	return &Hooks{
		core: c, folder: folder, log: log, now: time.Now,
		limits: map[trigger.Name]*rate.Limiter{}, strange: map[netip.Prefix]stranger{},
	}
}

// A reply is what the sender of a webhook is told.
type reply struct {
	status int
	after  time.Duration // to wait before another try
	body   any
}

// refusal is a reply that says why nothing was done.
func refusal(status int, why string) reply {
	return reply{status: status, body: map[string]any{"ok": false, "error": why}}
}

// The refusals. Each kind has one form, so that it tells a stranger nothing.
var (
	notFound     = refusal(http.StatusNotFound, "not found")
	unauthorized = refusal(http.StatusUnauthorized, "unauthorized")
	tooLarge     = refusal(http.StatusRequestEntityTooLarge, "the body is larger than 1 MiB")
	tooSlow      = refusal(http.StatusRequestTimeout, "the body did not arrive in time")
	broken       = refusal(http.StatusInternalServerError, "nothing was recorded; try again")
)

func tooMany(after time.Duration) reply {
	r := refusal(http.StatusTooManyRequests, "too many requests")
	r.after = max(after, time.Second)
	return r
}

// ServeHTTP takes one webhook. It answers when the firing is on the disk.
func (h *Hooks) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	out := h.take(w, r)
	header := w.Header()
	header.Set("Content-Type", "application/json")
	header.Set("Cache-Control", "no-store")
	header.Set("X-Content-Type-Options", "nosniff")
	if out.after > 0 {
		header.Set("Retry-After", strconv.Itoa(int((out.after+time.Second-1)/time.Second)))
	}
	w.WriteHeader(out.status)
	_ = json.NewEncoder(w).Encode(out.body) // the sender may have gone
}

func (h *Hooks) take(w http.ResponseWriter, r *http.Request) reply {
	name := trigger.Name(strings.TrimPrefix(r.URL.Path, hookPath))
	rule, ok := h.rule(name)
	if !ok || r.Method != http.MethodPost {
		return notFound
	}
	secret, err := h.folder.secret(name)
	if err != nil {
		h.log.Error("read the secret of a webhook", "trigger", name, "err", err)
		return unauthorized
	}
	from := h.stranger(r.RemoteAddr)
	if !mayVerify(rule.Auth, secret, r.Header, h.now()) {
		if wait := h.spend(from.unsigned); wait > 0 {
			return tooMany(wait)
		}
		return unauthorized
	}
	if wait := h.spend(from.unproven); wait > 0 {
		return tooMany(wait)
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return tooLarge
	case err != nil:
		return tooSlow
	}
	key, ok := verify(rule.Auth, secret, r.Header, body, h.now())
	if !ok || inQuery(r.URL, secret) {
		return unauthorized
	}
	if wait := h.admit(name); wait > 0 {
		return tooMany(wait)
	}
	return h.shoot(name, key, payloadOf(r.Header, body))
}

// rule returns the rule of a webhook that is on.
func (h *Hooks) rule(name trigger.Name) (r trigger.Rule, ok bool) {
	t, _ := h.core.Trigger(name)
	if !t.Live() {
		return r, false
	}
	r, err := trigger.Parse(string(name), t.Text, Zones)
	return r, err == nil && r.When.Kind == trigger.Webhook
}

// shoot makes a trigger fire. The same key gets the first answer again.
func (h *Hooks) shoot(name trigger.Name, key string, p trigger.Payload) reply {
	if key == "" {
		key = random.UUID()
	}
	f, _, wait, err := h.core.Shoot(feature.Shot{Trigger: name, Key: "hook " + key, By: "a webhook", Payload: p})
	switch {
	case errors.Is(err, trigger.ErrLimit):
		return tooMany(wait)
	case errors.Is(err, trigger.ErrOff), errors.Is(err, core.ErrNotFound):
		return notFound
	case err != nil:
		h.log.Error("record a webhook", "trigger", name, "err", err)
		return broken
	}
	return reply{status: http.StatusAccepted, body: map[string]any{"ok": true, "trigger": name, "firing": f.ID}}
}

// inQuery reports whether a secret stands in an address, where others can read it.
func inQuery(u *url.URL, secret string) bool {
	if strings.Contains(u.RawQuery, secret) {
		return true
	}
	for _, values := range u.Query() {
		for _, v := range values {
			if v == secret {
				return true
			}
		}
	}
	return false
}

// payloadOf returns what a webhook brings.
func payloadOf(h http.Header, body []byte) trigger.Payload {
	p := trigger.Payload{Text: string(bytes.ToValidUTF8(body, []byte("\ufffd")))}
	kind, _, _ := mime.ParseMediaType(h.Get("Content-Type"))
	if kind != "application/x-www-form-urlencoded" {
		return p
	}
	form, err := url.ParseQuery(p.Text)
	if err != nil {
		return p
	}
	p.Fields = map[string]string{}
	for name, values := range form {
		p.Fields[name] = strings.ToValidUTF8(values[0], "\ufffd")
	}
	return p
}

// How many webhooks are taken for one trigger.
const (
	perSecond = 10
	burst     = 20
)

// admit takes one request that is verified. It returns how long to wait if there are too many.
func (h *Hooks) admit(name trigger.Name) (wait time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	l := h.limits[name]
	if l == nil {
		l = rate.NewLimiter(perSecond, burst)
		h.limits[name] = l
	}
	return h.spend(l)
}

// spend takes one event of a limit. It returns how long to wait if there are too many.
func (h *Hooks) spend(l *rate.Limiter) (wait time.Duration) {
	now := h.now()
	r := l.ReserveN(now, 1)
	if wait = r.DelayFrom(now); wait > 0 {
		r.CancelAt(now)
	}
	return wait
}

// A stranger is one address that requests come from. Behind a tunnel all senders have the same
// address, so requests that cannot be genuine have a limit of their own and delay no others.
type stranger struct {
	unsigned *rate.Limiter // requests whose headers show that they are not genuine: their bodies are not read
	unproven *rate.Limiter // requests that may be genuine: only their bodies tell
}

// unprovenPerSecond and unprovenBurst limit the requests of one address whose bodies are read.
// mostStrangers is the number of addresses that are counted.
const (
	unprovenPerSecond = 50
	unprovenBurst     = 200
	mostStrangers     = 1000
)

// stranger returns the limits of an address. The addresses of one IPv6 network count as one.
func (h *Hooks) stranger(remote string) stranger {
	h.mu.Lock()
	defer h.mu.Unlock()
	network := networkOf(remote)
	s, known := h.strange[network]
	if known {
		return s
	}
	if len(h.strange) >= mostStrangers {
		clear(h.strange)
	}
	s = stranger{
		unsigned: rate.NewLimiter(perSecond, burst), unproven: rate.NewLimiter(unprovenPerSecond, unprovenBurst),
	}
	h.strange[network] = s
	return s
}

// networkOf returns the address of a sender, or its network of IPv6. It returns the zero prefix for an
// address that cannot be read.
func networkOf(remote string) netip.Prefix {
	at, err := netip.ParseAddrPort(remote)
	if err != nil {
		return netip.Prefix{}
	}
	addr, bits := at.Addr().Unmap(), 64
	if addr.Is4() {
		bits = 32
	}
	network, _ := addr.WithZone("").Prefix(bits) // the bits fit the address
	return network
}
