package core_test

import (
	"database/sql"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/feature"
	"github.com/afar-sh/afar/coordinator/internal/signin"
)

// signIn signs a browser in with a new link.
func (r *rig) signIn(agent string) (token string, v signin.Browser) {
	r.t.Helper()
	code, expires, err := r.NewLink()
	r.ok(err)
	if want := r.time().Add(time.Minute); !expires.Equal(want) || len(code) < 32 {
		r.t.Errorf("the link %q expires at %s, want %s", code, expires, want)
	}
	token, v, err = r.SignIn(code, agent)
	r.ok(err)
	return token, v
}

// notSignedIn fails unless a token is refused.
func (r *rig) notSignedIn(what, token string) {
	r.t.Helper()
	if v, ok := r.SignedIn(token); ok {
		r.t.Errorf("%s: signed in as %+v", what, v)
	}
}

func TestSignIn(t *testing.T) {
	r := newRig(t)
	head := r.head()
	code, _, err := r.NewLink()
	r.ok(err)
	for _, wrong := range []string{"", "x", code + "0", code[1:], strings.ToUpper(code) + " "} {
		if token, _, err := r.SignIn(wrong, "Firefox"); !errors.Is(err, signin.ErrLink) || token != "" {
			t.Errorf("code %q: %q, %v", wrong, token, err)
		}
	}
	token, v, err := r.SignIn(code, "Firefox")
	r.ok(err)
	if _, _, err := r.SignIn(code, "Thief"); !errors.Is(err, signin.ErrLink) {
		t.Errorf("the link works twice: %v", err)
	}
	if len(token) < 64 {
		t.Errorf("the token %q is too short", token)
	}
	if got, ok := r.SignedIn(token); !ok || got.ID != v.ID || got.Agent != "Firefox" || !got.Since.Equal(r.time()) {
		t.Errorf("have %+v, %t", got, ok)
	}
	for what, wrong := range map[string]string{
		"no token":   "",
		"the code":   code,
		"the id":     string(v.ID),
		"the digest": string(v.Digest),
		"a part":     token[1:],
		"more":       token + "0",
	} {
		r.notSignedIn(what, wrong)
	}
	r.same("journal", []string{"browser.signed-in " + string(v.ID)}, r.kinds(head))
	r.restart()
	if got, ok := r.SignedIn(token); !ok || got.ID != v.ID {
		t.Errorf("after a restart: %+v, %t", got, ok)
	}
	r.holdsNot(code, token)
}

// holdsNot fails if a secret is in the files of the database.
func (r *rig) holdsNot(secrets ...string) {
	r.t.Helper()
	for _, suffix := range []string{"", "-wal"} {
		data, _ := os.ReadFile(r.path + suffix)
		for _, secret := range secrets {
			if strings.Contains(string(data), secret) {
				r.t.Errorf("the database%s holds %q", suffix, secret)
			}
		}
	}
}

func TestLinkExpires(t *testing.T) {
	r := newRig(t)
	code, expires, err := r.NewLink()
	r.ok(err)
	r.pass(expires.Sub(r.time()))
	if _, _, err := r.SignIn(code, ""); !errors.Is(err, signin.ErrLink) {
		t.Errorf("an expired link: %v", err)
	}
	code, _, err = r.NewLink()
	r.ok(err)
	r.restart()
	if _, _, err := r.SignIn(code, ""); !errors.Is(err, signin.ErrLink) {
		t.Errorf("a link of before the restart: %v", err)
	}
}

// TestAnotherHome copies the database into another home: its cookies are worth nothing there.
func TestAnotherHome(t *testing.T) {
	r := newRig(t)
	r.home = "/home/ada"
	r.restart()
	token, _ := r.signIn("Firefox")
	r.home = "/home/bob"
	r.restart()
	r.notSignedIn("in another home", token)
	if n := len(r.Browsers()); n != 1 {
		t.Errorf("%d browsers are listed; the person may want to end one", n)
	}
	r.home = "/home/ada"
	r.restart()
	if _, ok := r.SignedIn(token); !ok {
		t.Error("the browser is not signed in to its own home")
	}
}

func TestSignOut(t *testing.T) {
	r := newRig(t)
	token, v := r.signIn("Firefox")
	other, w := r.signIn("Chromium")
	sub := r.Subscribe(feature.Browsers)
	defer sub.Close()
	head := r.head()
	r.ok(r.SignOut(v.ID, "Ada"))
	select {
	case <-sub.C:
	default:
		t.Error("nobody was woken")
	}
	for _, again := range []bool{false, true} {
		if again {
			r.restart()
		}
		r.notSignedIn("signed out", token)
		if _, ok := r.SignedIn(other); !ok {
			t.Error("the other browser is signed out too")
		}
		r.same("browsers", []signin.Browser{w}, r.Browsers())
		if err := r.SignOut(v.ID, "Ada"); !errors.Is(err, core.ErrNotFound) {
			t.Errorf("a second time: %v", err)
		}
	}
	if err := r.SignOut("browser_x", "Ada"); !errors.Is(err, core.ErrNotFound) {
		t.Errorf("an unknown browser: %v", err)
	}
	r.same("journal", []string{"browser.signed-out " + string(v.ID)}, r.kinds(head)[:1])
}

// TestBrowserExpires: a browser stays signed in as long as it is used, and 30 days more. A
// use is written once an hour.
func TestBrowserExpires(t *testing.T) {
	r := newRig(t)
	token, v := r.signIn("Firefox")
	seen := func() time.Time { return r.Browsers()[0].LastSeen }
	r.pass(59 * time.Minute)
	if _, ok := r.SignedIn(token); !ok || !seen().Equal(v.LastSeen) {
		t.Errorf("last seen %s", seen())
	}
	r.pass(time.Minute)
	if got, ok := r.SignedIn(token); !ok || !seen().Equal(r.time()) || !got.Expires.Equal(r.time().Add(signin.For)) {
		t.Errorf("last seen %s, %+v", seen(), got)
	}
	r.pass(29 * 24 * time.Hour)
	if _, ok := r.SignedIn(token); !ok {
		t.Error("signed out too early")
	}
	r.restart()
	head := r.head()
	r.pass(signin.For - 1)
	if len(r.Browsers()) != 1 {
		t.Error("signed out too early, after a restart")
	}
	r.pass(1)
	r.notSignedIn("unused for 30 days", token)
	r.same("browsers", 0, len(r.Browsers()))
	r.same("journal", []string{"browser.signed-out " + string(v.ID)}, r.kinds(head))
}

func TestMostBrowsers(t *testing.T) {
	r := newRig(t)
	first, _ := r.signIn("first")
	second, _ := r.signIn("second")
	r.pass(signin.SeenEvery)
	if _, ok := r.SignedIn(first); !ok { // now the second is unused the longest
		t.Fatal("not signed in")
	}
	for range signin.Most - 1 {
		r.signIn("more")
	}
	r.same("browsers", signin.Most, len(r.Browsers()))
	r.notSignedIn("replaced", second)
	if _, ok := r.SignedIn(first); !ok {
		t.Error("one that was used lately is signed out")
	}
}

// TestSignInUnwritable: a sign-in that could not be written has not happened, and its link is
// used up. A browser that is signed in can still read.
func TestSignInUnwritable(t *testing.T) {
	r := newRig(t)
	token, _ := r.signIn("Firefox")
	code, _, err := r.NewLink()
	r.ok(err)
	r.raw(`CREATE TRIGGER no BEFORE INSERT ON browsers BEGIN SELECT RAISE(ABORT, 'forced'); END`)
	if token, _, err := r.SignIn(code, ""); err == nil || token != "" {
		t.Errorf("have %q, %v", token, err)
	}
	r.mu.Lock()
	r.now = r.now.Add(2 * signin.SeenEvery)
	r.mu.Unlock()
	if _, ok := r.SignedIn(token); !ok {
		t.Error("the browser cannot read")
	}
	r.raw(`DROP TRIGGER no`)
	if _, _, err := r.SignIn(code, ""); !errors.Is(err, signin.ErrLink) {
		t.Errorf("the link works again: %v", err)
	}
	r.same("browsers", 1, len(r.Browsers()))
}

// TestDamagedBrowser: a damaged row signs one browser out, and no more.
func TestDamagedBrowser(t *testing.T) {
	r := newRig(t)
	token, v := r.signIn("Firefox")
	other, _ := r.signIn("Chromium")
	r.ok(r.store.Close())
	db, err := sql.Open("sqlite", r.path)
	r.ok(err)
	_, err = db.Exec(`UPDATE browsers SET data = '{"id":' WHERE id = ?`, string(v.ID))
	r.ok(errors.Join(err, db.Close()))
	r.open()
	r.notSignedIn("damaged", token)
	if _, ok := r.SignedIn(other); !ok {
		t.Error("the other browser is signed out")
	}
}
