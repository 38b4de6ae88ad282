package signin_test

import (
	"errors"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/afar-sh/afar/coordinator/internal/signin"
)

var t0 = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func digest(secret string) signin.Digest { return signin.DigestOf("/home", secret) }

func TestDigest(t *testing.T) {
	d := signin.DigestOf("/home/ada", "secret")
	for name, other := range map[string]signin.Digest{
		"another home":    signin.DigestOf("/home/bob", "secret"),
		"another secret":  signin.DigestOf("/home/ada", "secret2"),
		"a moved border":  signin.DigestOf("/home/ad", "asecret"),
		"a zero in front": signin.DigestOf("/home/ada\x00", "secret"),
		"none":            "",
	} {
		if d.Equal(other) {
			t.Errorf("%s has the same digest", name)
		}
	}
	if !d.Equal(signin.DigestOf("/home/ada", "secret")) || len(d) != 64 || strings.Contains(string(d), "secret") {
		t.Errorf("have %q", d)
	}
	if name := signin.CookieName("/home/ada"); name == signin.CookieName("/home/bob") || len(name) != 21 {
		t.Errorf("the cookie is called %q", name)
	}
}

func TestLinks(t *testing.T) {
	add := func(l signin.Links, secret string, at time.Duration) signin.Links {
		l, expires := l.Add(digest(secret), t0.Add(at))
		if want := t0.Add(at + signin.LinkFor); !expires.Equal(want) {
			t.Errorf("%s expires at %s, want %s", secret, expires, want)
		}
		return l
	}
	one := add(signin.Links{}, "a", 0)
	many := one
	for _, secret := range []string{"b", "c", "d", "e"} {
		many = add(many, secret, time.Second)
	}
	used, err := one.Use(digest("a"), t0)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		links  signin.Links
		secret string
		at     time.Duration
		want   error
	}{
		{"at once", one, "a", 0, nil},
		{"in its last second", one, "a", signin.LinkFor - 1, nil},
		{"too late", one, "a", signin.LinkFor, signin.ErrLink},
		{"used before", used, "a", 0, signin.ErrLink},
		{"unknown", one, "b", 0, signin.ErrLink},
		{"empty", one, "", 0, signin.ErrLink},
		{"none", signin.Links{}, "a", 0, signin.ErrLink},
		{"replaced by newer ones", many, "a", 0, signin.ErrLink},
		{"the oldest that is left", many, "b", 0, nil},
		{"the newest", many, "e", 0, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			left, err := c.links.Use(digest(c.secret), t0.Add(c.at))
			if !errors.Is(err, c.want) {
				t.Errorf("have %v, want %v", err, c.want)
			}
			if _, err := left.Use(digest(c.secret), t0.Add(c.at)); !errors.Is(err, signin.ErrLink) {
				t.Errorf("a second time: %v", err)
			}
		})
	}
}

func TestBrowser(t *testing.T) {
	b := signin.Start("browser_1", digest("x"), "Firefox", t0)
	if !b.Active(t0) || !b.Active(t0.Add(signin.For-1)) || b.Active(t0.Add(signin.For)) {
		t.Errorf("it is active until %s", b.Expires)
	}
	if _, changed := signin.Seen(b, t0.Add(signin.SeenEvery-1)); changed {
		t.Error("a use is noted too soon")
	}
	seen, changed := signin.Seen(b, t0.Add(signin.SeenEvery))
	if !changed || !seen.Active(t0.Add(signin.For)) || !seen.LastSeen.Equal(t0.Add(signin.SeenEvery)) ||
		!seen.Since.Equal(t0) {
		t.Errorf("have %+v", seen)
	}
	ended, err := signin.End(b, "signed out by Ada", t0)
	if err != nil || ended.Active(t0) {
		t.Errorf("have %+v, %v", ended, err)
	}
	if _, err := signin.End(ended, "again", t0); !errors.Is(err, signin.ErrEnded) {
		t.Errorf("ended twice: %v", err)
	}
}

func TestAgent(t *testing.T) {
	for agent, want := range map[string]string{
		"Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0": "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0",
		"":         "a browser without a name",
		" \t\r\n":  "a browser without a name",
		"a\r\n\tb": "a b",
		"Tool ghp_0123456789abcdefghijklmnopqrstuvwxyz": "Tool ghp_•••",
		"evil\x1b[2J":             "evil⟨U+001B⟩[2J",
		"\u202egnihton":           "⟨U+202E⟩gnihton",
		strings.Repeat("x", 1000): strings.Repeat("x", 119) + "…",
	} {
		if got := signin.Start("b", "", agent, t0).Agent; got != want {
			t.Errorf("%q: have %q, want %q", agent, got, want)
		}
	}
	for _, agent := range []string{strings.Repeat("\x00", 500), strings.Repeat("ä", 500), "\xff\xfe"} {
		if got := signin.Start("b", "", agent, t0).Agent; utf8.RuneCountInString(got) > 120 || !utf8.ValidString(got) {
			t.Errorf("%q: have %q", agent, got)
		}
	}
}
