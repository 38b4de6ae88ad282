package telegram

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/grant"
	"github.com/afar-sh/afar/coordinator/internal/session"
)

// TestRenderOffer checks that a button that covers more than the call comes with a line that
// says what it permits.
func TestRenderOffer(t *testing.T) {
	t.Parallel()
	rules := grant.Narrowest(grant.Need{Tool: "Bash", Commands: [][]string{{"git", "commit", "-m", "<x>"}, {"make"}}})
	for _, c := range []struct {
		name          string
		offer         *ask.Offer
		lines, labels []string
	}{
		{"nothing", nil, nil, nil},
		{"session", &ask.Offer{Rules: rules}, []string{"🔁 Allow for session, 1h: git commit … · exactly make"},
			[]string{"Allow for session (1h): git commit … · exactly make"}},
		{"always", &ask.Offer{Always: "Bash(<b>:*)"}, []string{"♾ Always: Bash(&lt;b&gt;:*)"}, []string{"Always: Bash(<b>:*)"}},
		{"both", &ask.Offer{Rules: rules, Always: "x"}, []string{"🔁 Allow for session, 1h: git", "♾ Always: x"},
			[]string{"Allow for session (1h): git commit … · exactly make", "Always: x"}},
	} {
		a := example()
		a.Offer = c.offer
		r := render(ask.Card{a}, place{name: "shop", token: "shop-1", project: "/home/ann/shop", machine: "lab", home: "/home/ann"})
		var labels []string
		for _, row := range r.rows[1:] {
			for _, b := range row {
				labels = append(labels, b.label)
			}
		}
		if diff := cmp.Diff(c.labels, labels); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
		for _, want := range c.lines {
			if !strings.Contains(r.html, "\n"+want) {
				t.Errorf("%s: no %q in\n%s", c.name, want, r.html)
			}
		}
		if len(c.lines) == 0 && strings.Contains(r.html, "session:") {
			t.Errorf("%s: %s", c.name, r.html)
		}
	}
}

// TestAllowForSession checks that the button and the word `all` give the same grant.
func TestAllowForSession(t *testing.T) {
	t.Parallel()
	for _, way := range []string{"tap", "reply"} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			r.pair()
			need := grant.Need{Tool: "Bash", Commands: [][]string{{"npm", "test"}}}
			r.ask("a0", "first") // it makes the session known
			_, err := r.core.OpenCovered(ask.Ask{
				ID: "ask_1", Kind: ask.Permission, Session: "s1", Tool: "Bash", Text: "npm test",
				Hash: "77", Attended: true,
				Offer: &ask.Offer{Rules: grant.Narrowest(need)},
			}, need)
			if err != nil {
				t.Fatal(err)
			}
			m := r.await("Allow for session, 1h: npm test …")
			if way == "tap" {
				r.awaitAnswer(r.tap(r.ann, m.ID, "Allow for session"))
			} else if _, err := r.ann.Reply(m.ID, "all"); err != nil {
				t.Fatal(err)
			}
			r.await("Allowed for the session (npm test …) by Ann")
			if g := r.core.Grants(); len(g) != 1 || g[0].Text() != "npm test …" || g[0].By != "Ann" {
				t.Errorf("have %+v", g)
			}
		})
	}
}

// TestAwayNamesExceptions checks that the answer to /away names the sessions for which it does not hold, and that an
// exception can be taken back.
func TestAwayNamesExceptions(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.pair()
	token := r.session("s1")
	if err := r.core.SetAway("s1", session.Auto, 0); err != nil {
		t.Fatal(err)
	}
	r.ann.Say(r.ann.ID, "/away on")
	r.await("questions come here at once. But " + token + " stays auto")
	if got := r.core.Away("s1"); got != session.Auto {
		t.Errorf("away is %s", got)
	}
	if err := r.core.SetAway("s1", session.Default, 0); err != nil {
		t.Fatal(err)
	}
	if got := r.core.Away("s1"); got != session.On {
		t.Errorf("away is %s after the exception was taken back", got)
	}
}

// TestGrantsCommand checks that each permission has a button that ends it once, and that the
// message then shows the remaining ones.
func TestGrantsCommand(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.pair()
	give := func(id ask.ID, argv ...string) {
		t.Helper()
		a := example()
		a.ID, a.Session, a.Attended, a.Hash = id, "s1", true, string(id)
		a.Offer = &ask.Offer{Rules: grant.Narrowest(grant.Need{Tool: "Bash", Commands: [][]string{argv}})}
		if _, err := r.core.OpenCovered(a, grant.Need{}); err != nil {
			t.Fatal(err)
		}
		if _, err := r.core.Answer(id, ask.Decision{Allow: true, Scope: ask.Session, By: "Ann",
			Channel: "telegram"}); err != nil {
			t.Fatal(err)
		}
	}
	token := r.session("s1")
	give("g1", "git", "commit", "-m", "x")
	give("g2", "mkdir", "-p", "out")
	r.ann.Say(r.ann.ID, "/grants")
	m := r.await("Allowed without asking")
	if got := m.Labels(); len(got) != 2 || got[0] != "Revoke 1 · git commit …" || !strings.Contains(m.Text, token) {
		t.Fatalf("have %q\n%s", got, m.Text)
	}
	eve := r.api.User(66, "Eve")
	if got := r.awaitAnswer(r.tap(eve, m.ID, "Revoke 1")); !strings.Contains(got, "belongs to somebody") {
		t.Errorf("a stranger was told %q", got)
	}
	if n := len(r.core.Grants()); n != 2 {
		t.Fatalf("a stranger left %d grants", n)
	}
	if got := r.awaitAnswer(r.tap(r.ann, m.ID, "Revoke 1")); got != "Revoked. "+token+" asks again: git commit …" {
		t.Errorf("the tap answered %q", got)
	}
	if got := r.awaitAnswer(r.tap(r.ann, m.ID, "Revoke 1 · git commit")); got != "Too late: revoked by Ann." {
		t.Errorf("a second tap answered %q", got)
	}
	if got := r.core.Grants(); len(got) != 1 || got[0].Text() != "mkdir …" {
		t.Errorf("left are %+v", got)
	}
	r.eventually("the list without it", func() bool {
		now, _ := r.api.Message(m.ID)
		return len(now.Labels()) == 1 && !strings.Contains(now.Text, "git commit")
	})
	r.restart()
	if got := r.awaitAnswer(r.tap(r.ann, m.ID, "Revoke 1 · git commit")); got != "This permission has ended already." {
		t.Errorf("after a restart it answered %q", got)
	}
	r.awaitAnswer(r.tap(r.ann, m.ID, "Revoke 1 · mkdir"))
	r.eventually("the empty list", func() bool {
		now, _ := r.api.Message(m.ID)
		return strings.Contains(now.Text, "No standing permissions")
	})
}
