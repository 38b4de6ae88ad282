// Package signin decides which browsers may use the page: one-time links, and the sign-ins
// that they become. It is pure. Of a link and of a cookie it keeps only a digest.
package signin

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"io"
	"slices"
	"time"

	"github.com/afar-sh/afar/coordinator/redact"
	"github.com/afar-sh/afar/coordinator/text"
)

// Limits of links and sign-ins.
const (
	LinkFor   = time.Minute         // how long a link can be used
	mostLinks = 4                   // links that can be used at the same time; a new one replaces the oldest
	For       = 30 * 24 * time.Hour // how long a browser stays signed in after its last use
	SeenEvery = time.Hour           // how often a use is noted
	agentMost = 120                 // characters of a browser's name for itself

	// Most is how many browsers are signed in; a new one replaces the one that was unused the longest.
	Most = 50
)

// Errors of links and sign-ins.
var (
	ErrLink  = errors.New("this link was used or has expired; `afar open` makes a new one")
	ErrEnded = errors.New("the browser is signed out")
)

// A Digest stands for a secret that is not kept.
type Digest string

// DigestOf returns the digest of a secret of a home. The same secret has another digest in
// another home.
func DigestOf(home, secret string) Digest {
	h := sha256.New()
	_, _ = io.WriteString(h, "afar sign-in\x00"+home+"\x00"+secret) // a hash never fails
	return Digest(hex.EncodeToString(h.Sum(nil)))
}

// Equal compares in constant time.
func (d Digest) Equal(other Digest) bool {
	return subtle.ConstantTimeCompare([]byte(d), []byte(other)) == 1
}

// CookieName returns the name of the cookie of a home. Browsers send a cookie to every port of a
// host, so each home needs its own name.
func CookieName(home string) string { return "afar_" + string(DigestOf(home, "cookie"))[:16] }

// Links are the one-time links that can still be used. The zero value has none.
type Links struct{ open []link }

type link struct {
	digest  Digest
	expires time.Time
}

// Add returns l with a new link, and the time until which it can be used.
func (l Links) Add(d Digest, now time.Time) (Links, time.Time) {
	added := link{digest: d, expires: now.Add(LinkFor)}
	open := append(l.alive(now), added)
	return Links{open: open[max(0, len(open)-mostLinks):]}, added.expires
}

// Use returns l without the link that has a digest. It returns ErrLink if there is none.
func (l Links) Use(d Digest, now time.Time) (Links, error) {
	open := l.alive(now)
	i := slices.IndexFunc(open, func(k link) bool { return k.digest.Equal(d) })
	if i < 0 {
		return Links{open: open}, ErrLink
	}
	return Links{open: slices.Delete(open, i, i+1)}, nil
}

// alive returns a copy of the links that have not expired.
func (l Links) alive(now time.Time) (out []link) {
	for _, k := range l.open {
		if now.Before(k.expires) {
			out = append(out, k)
		}
	}
	return out
}

// An ID names the sign-in of a browser. It is no secret.
type ID string

// A Browser is a browser that a one-time link signed in.
type Browser struct {
	ID       ID        `json:"id"`
	Digest   Digest    `json:"digest"` // of the cookie
	Agent    string    `json:"agent"`  // what it calls itself, without secrets
	Since    time.Time `json:"since"`
	LastSeen time.Time `json:"last_seen"` // noted once in SeenEvery
	Expires  time.Time `json:"expires"`   // unless it is used before
	EndedAt  time.Time `json:"ended_at,omitzero"`
	How      string    `json:"how,omitempty"` // how it ended
}

// Start returns the sign-in of a browser at now. agent is what the browser calls itself.
func Start(id ID, d Digest, agent string, now time.Time) Browser {
	b := Browser{ID: id, Digest: d, Agent: clean(agent), Since: now}
	return see(b, now)
}

func clean(agent string) string {
	// The cut comes last: a secret that is cut in two would not be masked.
	agent = text.Clip(redact.Clean(text.Fold(agent)), agentMost)
	if agent == "" {
		return "a browser without a name"
	}
	return agent
}

// Active reports whether b is signed in at now.
func (b Browser) Active(now time.Time) bool { return b.EndedAt.IsZero() && now.Before(b.Expires) }

// Seen returns b after a use at now. changed is false if the use need not be noted.
func Seen(b Browser, now time.Time) (next Browser, changed bool) {
	if now.Sub(b.LastSeen) < SeenEvery {
		return b, false
	}
	return see(b, now), true
}

func see(b Browser, now time.Time) Browser {
	b.LastSeen, b.Expires = now, now.Add(For)
	return b
}

// End returns b as signed out at now.
func End(b Browser, how string, now time.Time) (Browser, error) {
	if !b.EndedAt.IsZero() {
		return b, ErrEnded
	}
	b.EndedAt, b.How = now, how
	return b, nil
}
