package text_test

import (
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/text"
)

func TestCount(t *testing.T) {
	for _, c := range []struct {
		n    int
		noun string
		want string
	}{
		{1, "file", "1 file"},
		{0, "file", "0 files"},
		{2, "stash", "2 stashes"},
		{3, "entry", "3 entries"},
		{2, "key", "2 keys"},
		{4, "guess", "4 guesses"},
	} {
		if got := text.Count(c.n, c.noun); got != c.want {
			t.Errorf("have %q, want %q", got, c.want)
		}
	}
}

func TestSome(t *testing.T) {
	for want, names := range map[string][]string{
		"":                nil,
		"a":               {"a"},
		"a, b":            {"a", "b"},
		"a, b and 2 more": {"a", "b", "c", "d"},
	} {
		if got := text.Some(names, 2); got != want {
			t.Errorf("have %q, want %q", got, want)
		}
	}
}

func TestShort(t *testing.T) {
	for _, c := range []struct{ name, got, want string }{
		{"fold", text.Fold(" a\t\n b "), "a b"},
		{"clip what fits", text.Clip("äöü", 3), "äöü"},
		{"clip", text.Clip("äöüß", 3), "äö…"},
		{"clip bytes that fit", text.ClipBytes("äö", 4), "äö"},
		{"clip bytes within a character", text.ClipBytes("äöü", 3), "ä…"},
		{"quote", text.ShellQuote("a $b; 'c'"), `'a $b; '\''c'\'''`},
	} {
		if c.got != c.want {
			t.Errorf("%s: have %q, want %q", c.name, c.got, c.want)
		}
	}
}

func TestLength(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", -time.Hour: "0s", 5 * time.Second: "5s", 10 * time.Minute: "10m", 2 * time.Hour: "2h",
		10 * time.Hour:          "10h",
		time.Hour + time.Second: "1h0m1s", 90 * time.Minute: "1h30m", 100*time.Minute + 10*time.Second: "1h40m10s",
	} {
		if got := text.Length(d); got != want {
			t.Errorf("text.Length(%s) = %q, want %q", d, got, want)
		}
	}
}

func TestNear(t *testing.T) {
	for path, want := range map[string]string{
		"/home/ann/shop/src/a.go": "src/a.go", "/home/ann/shop": "~/shop", "/home/ann/other/x": "~/other/x",
		"/home/annika/x": "/home/annika/x", "/etc/hosts": "/etc/hosts", "/home/ann": "~", "a.go": "a.go", "": "",
	} {
		if got := text.Near(path, "/home/ann/shop", "/home/ann"); got != want {
			t.Errorf("%q is shown as %q, want %q", path, got, want)
		}
	}
	if got := text.Near("/x", "", ""); got != "/x" {
		t.Errorf("%q", got)
	}
}
