package session_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/afar-sh/afar/coordinator/internal/session"
)

var t0 = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func free(string) bool { return false }

func TestToken(t *testing.T) {
	for cwd, slug := range map[string]string{
		"/home/ada/my-project":             "my-project",
		"/home/ada/My Project!":            "my-project",
		"/srv/a__b..c":                     "a-b-c",
		"/home/ada/--x--":                  "x",
		`C:\Users\Ada\Repo`:                "repo",
		"/home/ada/проект":                 "session",
		"/home/ada/проект 7":               "7",
		"/":                                "session",
		"":                                 "session",
		"/x/\u202egpj":                     "gpj",
		"/x/\x00\x1b[31m":                  "31m",
		"/x/" + strings.Repeat("long", 20): strings.Repeat("long", 6),
		"/x/" + strings.Repeat("a-", 20):   strings.Repeat("a-", 11) + "a",
	} {
		token := session.NewToken(cwd, "0198c0de-aaaa", free)
		if !strings.HasPrefix(token, slug+"-") || len(token) != len(slug)+5 {
			t.Errorf("%q: have %s, want %s-4hex", cwd, token, slug)
		}
	}
}

func TestTokenIsStable(t *testing.T) {
	one := session.NewToken("/a/b", "one", free)
	if again := session.NewToken("/a/b", "one", free); again != one {
		t.Errorf("the same session is %s and %s", one, again)
	}
	if other := session.NewToken("/a/b", "two", free); other == one {
		t.Errorf("two sessions are both %s", one)
	}
}

func TestTokenTaken(t *testing.T) {
	taken := map[string]bool{}
	for range 300 {
		token := session.NewToken("/a/b", "one", func(s string) bool { return taken[s] })
		if taken[token] || !regexp.MustCompile(`^b-[0-9a-f]{4}$`).MatchString(token) {
			t.Fatalf("have %s", token)
		}
		taken[token] = true
	}
}

func FuzzToken(f *testing.F) {
	f.Add("/home/x", "id")
	f.Fuzz(func(t *testing.T, cwd, id string) {
		token := session.NewToken(cwd, session.ID(id), free)
		if !regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,28}$`).MatchString(token) {
			t.Fatalf("%q %q: %q", cwd, id, token)
		}
	})
}

func TestSee(t *testing.T) {
	first := session.Sighting{
		ID: "s", Cwd: "/p", Transcript: "/t", Mode: "auto", Entrypoint: "cli", Terminal: "tty:1", Client: 7,
		Attended: true, KnowAtt: true, Hooked: true, State: session.Idle,
	}
	s := session.See(session.Session{}, first, t0)
	want := session.Session{
		ID: "s", Cwd: "/p", Project: "/p", Transcript: "/t", Mode: "auto", Entrypoint: "cli",
		Terminal: "tty:1", Client: 7,
		Attended: true, Hooked: true, State: session.Idle, Since: t0, SeenAt: t0, StartedAt: t0,
	}
	if diff := cmp.Diff(want, s); diff != "" {
		t.Fatal(diff)
	}
	later := t0.Add(time.Minute)
	s = session.See(s, session.Sighting{ID: "s"}, later)
	want.SeenAt = later
	if diff := cmp.Diff(want, s); diff != "" {
		t.Errorf("empty fields must say nothing: %s", diff)
	}
	s = session.See(
		s,
		session.Sighting{ID: "s", Cwd: "/p/sub", Mode: "plan", KnowAtt: true, State: session.Working},
		later,
	)
	want.Cwd, want.Mode, want.Attended, want.State, want.Since = "/p/sub", "plan", false, session.Working, later
	if diff := cmp.Diff(want, s); diff != "" {
		t.Errorf("the project stays, the rest follows: %s", diff)
	}
}

func TestTo(t *testing.T) {
	s := session.Session{State: session.Working, Since: t0}
	later := t0.Add(time.Hour)
	for state, since := range map[session.State]time.Time{
		"": t0, session.Working: t0, session.Idle: later, session.Ended: later,
	} {
		got := session.To(s, state, later)
		if want := state; want != "" && got.State != want || !got.Since.Equal(since) {
			t.Errorf("%q: %s since %s", state, got.State, got.Since)
		}
	}
}

func TestUnprotected(t *testing.T) {
	for name, c := range map[string]struct {
		s     session.Session
		after time.Duration
		want  bool
	}{
		"settling": {session.Session{StartedAt: t0, State: session.Working}, session.Settle - 1, false},
		"no hook":  {session.Session{StartedAt: t0, State: session.Working}, session.Settle, true},
		"hooked":   {session.Session{StartedAt: t0, State: session.Working, Hooked: true}, time.Hour, false},
		"ended":    {session.Session{StartedAt: t0, State: session.Ended}, time.Hour, false},
	} {
		if got := c.s.Unprotected(t0.Add(c.after)); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// TestSecondLife resumes an ended session without our hooks. The earlier hooks prove nothing
// about this run.
func TestSecondLife(t *testing.T) {
	s := session.See(session.Session{}, session.Sighting{ID: "s", Hooked: true, Starts: true}, t0)
	s = session.To(s, session.Ended, t0)
	late := session.See(s, session.Sighting{ID: "s", Hooked: true, State: session.Working}, t0.Add(time.Second))
	if late.State != session.Ended {
		t.Errorf("a late hook revived the session: %s", late.State)
	}
	again := session.See(late, session.Sighting{ID: "s", Starts: true}, t0.Add(time.Minute))
	if again.Hooked || again.State != session.Idle || !again.Unprotected(t0.Add(time.Minute+session.Settle)) {
		t.Errorf("the second life: %+v", again)
	}
}

// TestCleared checks that the session file of a client that left a session does not revive it.
// A hook of the client does, and so does another client.
func TestCleared(t *testing.T) {
	s := session.See(session.Session{}, session.Sighting{ID: "s", Client: 7, Hooked: true, Starts: true}, t0)
	s = session.To(s, session.Ended, t0)
	for _, c := range []struct {
		in   session.Sighting
		want session.State
	}{
		{session.Sighting{ID: "s", Client: 7, Starts: true, State: session.Working}, session.Ended},
		{session.Sighting{ID: "s", Client: 7, Starts: true, State: session.Idle, Hooked: true}, session.Idle},
		{session.Sighting{ID: "s", Client: 8, Starts: true, State: session.Working}, session.Working},
	} {
		if got := session.See(s, c.in, t0.Add(time.Second)); got.State != c.want {
			t.Errorf("%+v: %s", c.in, got.State)
		}
	}
}

func TestAway(t *testing.T) {
	until := t0.Add(2 * time.Hour)
	ends := func(m session.Mode) session.Away { return session.Away{Mode: m, Until: until} }
	always := func(m session.Mode) session.Away { return session.Away{Mode: m} }
	for _, c := range []struct {
		name        string
		own, global session.Away
		at          time.Time
		want        session.Mode
	}{
		{"nothing said", session.Away{}, session.Away{}, t0, session.Auto},
		{"global", session.Away{}, always(session.On), t0, session.On},
		{"own", always(session.Off), session.Away{}, t0, session.Off},
		{"own wins", always(session.Off), always(session.On), t0, session.Off},
		{"own auto wins", always(session.Auto), always(session.On), t0, session.Auto},
		{"own until its end", ends(session.On), always(session.Off), until.Add(-1), session.On},
		{"then the global one", ends(session.On), always(session.Off), until, session.Off},
		{"global until its end", session.Away{}, ends(session.On), until.Add(-1), session.On},
		{"then auto", session.Away{}, ends(session.On), until, session.Auto},
		{"both over", ends(session.On), ends(session.Off), until.Add(time.Hour), session.Auto},
		{"an end without a mode", session.Away{Until: until}, session.Away{}, t0, session.Auto},
	} {
		if got := session.Effective(c.own, c.global, c.at); got != c.want {
			t.Errorf("%s: have %s, want %s", c.name, got, c.want)
		}
	}
}

func TestCardAt(t *testing.T) {
	for _, c := range []struct {
		mode   session.Mode
		dialog bool
		want   time.Time
	}{
		{session.Off, true, time.Time{}}, {session.Off, false, time.Time{}},
		{session.On, true, t0}, {session.On, false, t0},
		{session.Auto, true, t0.Add(20 * time.Second)}, {session.Auto, false, t0},
	} {
		if got := session.CardAt(c.mode, c.dialog, session.Grace, t0); !got.Equal(c.want) {
			t.Errorf("%s, dialog %t: %s", c.mode, c.dialog, got)
		}
	}
}

func TestParseMode(t *testing.T) {
	for _, s := range []string{"on", "off", "auto"} {
		if m, err := session.ParseMode(s); err != nil || string(m) != s {
			t.Errorf("%s: %s, %v", s, m, err)
		}
	}
	for _, s := range []string{"", "On", " on", "yes", "on off"} {
		if m, err := session.ParseMode(s); err == nil || m != "" || !strings.Contains(err.Error(), "on, off or auto") {
			t.Errorf("%q: %s, %v", s, m, err)
		}
	}
}

// TestStored checks that an away mode without an end has no end after a restart.
func TestStored(t *testing.T) {
	for _, s := range []session.Session{
		{
			ID:     "s",
			State:  session.Idle,
			Since:  t0,
			SeenAt: t0,
			Away:   session.Away{Mode: session.On},
			Shells: []string{"a"},
		},
		{
			ID:       "s",
			State:    session.Idle,
			Since:    t0,
			SeenAt:   t0,
			Away:     session.Away{Mode: session.On, Until: t0},
			Tools:    3,
			Reported: true,
		},
	} {
		text, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		var back session.Session
		if err := json.Unmarshal(text, &back); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(s, back); diff != "" {
			t.Error(diff)
		}
	}
}

func TestLabel(t *testing.T) {
	for want, s := range map[string]session.Session{
		"":                           {Token: "shop-1"},
		"Fix it":                     {Name: "Fix it"},
		"in the background":          {Background: true},
		"Fix it · in the background": {Name: "Fix it", Background: true},
	} {
		if got := s.Label(); got != want {
			t.Errorf("have %q, want %q", got, want)
		}
	}
	s := session.See(session.Session{}, session.Sighting{ID: "a", Background: true, KnowAtt: true}, t0)
	if s = session.See(s, session.Sighting{ID: "a", Name: "Fix it"}, t0); !s.Background || s.Name != "Fix it" {
		t.Errorf("have %+v", s)
	}
}
