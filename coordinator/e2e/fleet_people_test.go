//go:build unix

package e2e

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/standin/botapi"
	"github.com/afar-sh/afar/coordinator/standin/long"
	"github.com/afar-sh/afar/coordinator/wire"
)

// asked returns the question about a command as the hub lists it.
func (r *fleetRig) asked(command string) (q wire.Ask) {
	r.t.Helper()
	var all wire.AsksReply
	if err := json.Unmarshal([]byte(r.afar("asks", "--json")), &all); err != nil {
		r.t.Fatal(err)
	}
	for _, one := range all.Asks {
		if one.Input == command {
			return one
		}
	}
	r.t.Fatalf("the hub lists no question about %q: %+v", command, all.Asks)
	return q
}

// shows waits until the hub lists a session of a machine. What a member shows comes about a second after it is so there.
func (r *fleetRig) shows(machine, token string) {
	r.t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		var got wire.StatusReply
		if err := json.Unmarshal([]byte(r.afar("status", "--json")), &got); err != nil {
			r.t.Fatal(err)
		}
		shown := func(s wire.Session) bool { return s.Machine == machine && s.Token == token }
		switch {
		case slices.ContainsFunc(got.Sessions, shown):
			return
		case time.Now().After(deadline):
			r.t.Fatalf("the hub does not list the session %s of %s: %+v\n%s", token, machine, got, r.trail())
		}
	}
}

// clicks answers the question about a command on the page of the hub, and returns what the page says then.
func (r *fleetRig) clicks(s *site, command, do string) string {
	r.t.Helper()
	card := pageCard.FindStringSubmatch(bodyOf(s.send(request{path: "/question/" + url.PathEscape(r.asked(command).ID)})))
	if card == nil {
		r.t.Fatalf("the page has no buttons for %q", command)
	}
	s.send(request{path: card[1], form: url.Values{"do": {do}, "nonce": {card[2]}, "back": {"/machines"}}})
	_, said, _ := strings.Cut(bodyOf(s.send(request{path: "/machines"})), `id="said"`)
	said, _, _ = strings.Cut(said, "</div>")
	return said
}

// denied waits for a hook that prints a denial with these words.
func (p *phone) denied(h *hookRun, words string) {
	p.t.Helper()
	out, err := h.wait()
	if err != nil || !strings.Contains(out, `"deny"`) || !strings.Contains(out, words) {
		p.t.Errorf("the hook printed %q, %v; want a denial with %q\n%s", out, err, words, p.trail())
	}
}

// TestFleetPeople checks that the hub's terminal and page show what is on a member, and answer its questions.
func TestFleetPeople(t *testing.T) {
	long.InCI(t)
	t.Parallel()
	r := newFleetRigOn(t, pagedNest(t))
	build, lab := r.join("build"), r.join("lab", "--no-decide")
	web := r.browser()

	first, _ := build.requests("s", "make one")
	r.current("make one")
	if q := r.asked("make one"); q.Machine != "build" || !strings.HasSuffix(q.Token, "@build") || q.AwayAt != 0 {
		t.Errorf("the hub lists %+v", q)
	}
	if said := r.clicks(web, "make one", "deny"); !strings.Contains(said, "Denied.") {
		t.Errorf("the page says %q", said)
	}
	build.denied(first, "at the page")

	second, _ := build.requests("s", "make two")
	r.current("make two")
	if out := r.afar("deny", r.asked("make two").Short, "-m", "not today"); !strings.Contains(out, "@build: Bash make two") {
		t.Errorf("afar deny says %q", out)
	}
	build.denied(second, "not today")

	third, _ := build.requests("s", "make three")
	r.current("make three")
	one := bodyOf(web.send(request{path: "/session/" + url.PathEscape(r.asked("make three").Token)}))
	if !strings.Contains(one, `%40build/send"`) || !strings.Contains(one, "make three") {
		t.Errorf("the page of build's session:\n%s", one)
	}
	r.shows("build", r.asked("make three").Token)
	r.ann.Say(annID, "/status")
	r.await("how things are on build", func(m botapi.Message) bool {
		return strings.Contains(m.Text, "\n\nbuild\n"+r.asked("make three").Token+": ") && strings.Contains(m.Text, "\n\nlab")
	})
	c := build.aim()
	if err := c.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	r.is("build", wire.MachineAway)
	if q := r.asked("make three"); q.AwayAt == 0 {
		t.Errorf("the hub lists the question of a machine that is away as %+v", q)
	}
	if said := r.clicks(web, "make three", "deny"); !strings.Contains(said, "Denied, on its way to build.") {
		t.Errorf("the page says %q", said)
	}
	body := bodyOf(web.send(request{path: "/sessions?machine=build"}))
	if !strings.Contains(body, "%40build") || !strings.Contains(body, "away since") {
		t.Errorf("the sessions of build:\n%s", body)
	}
	if body := bodyOf(web.send(request{path: "/sessions?machine=desk"})); strings.Contains(body, "%40build") {
		t.Error("the page shows build's sessions among those of desk")
	}
	if err := c.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	build.denied(third, "at the page")

	fourth, _ := lab.requests("s", "make four")
	card := r.await("the card of lab", func(m botapi.Message) bool { return strings.Contains(m.Text, "make four") })
	if len(card.Keyboard) > 0 || !strings.Contains(card.Text, "--no-decide") {
		t.Errorf("the card of a machine that decides by itself: %q, %v", card.Text, card.Keyboard)
	}
	q := r.asked("make four")
	body = bodyOf(web.send(request{path: "/question/" + url.PathEscape(q.ID)}))
	if strings.Contains(body, `action="/ask/`) || !strings.Contains(body, "--no-decide") {
		t.Errorf("the page of the question:\n%s", body)
	}
	if out, err := r.tryAlone("deny", q.ID); err == nil || !strings.Contains(out, "--no-decide") {
		t.Errorf("afar deny says %q, %v", out, err)
	}
	lab.alone("deny", q.ID[:strings.IndexByte(q.ID, '@')])
	lab.denied(fourth, "")
}

// TestFleetStatus checks what `afar status` says of the fleet on both machines, as text and as JSON, and that the doctor
// says the same. What each row can say is tested beside the rows.
func TestFleetStatus(t *testing.T) {
	long.InCI(t)
	t.Parallel()
	r := newFleetRig(t)
	build, between := r.joinThrough("build")
	today := time.Now().Format("Jan 2")
	r.saysOfFleet("ok", "this machine is desk, the hub", "")
	r.saysOfFleet("ok", "build is connected since "+today, "")
	build.saysOfFleet("ok", "this machine is build, connected to the hub desk since "+today, "")

	between.Refuse(true)
	between.Cut()
	r.is("build", wire.MachineAway)
	hook, _ := build.requests("s", "make it wait")
	r.saysOfFleet("off", "build is not reachable; what is shown of it is of "+today, "see that it is on")
	build.saysOfFleet("bad", "the hub desk is not reached", "is reached from here")
	build.saysOfFleet("bad", "1 waiting for it", "is reached from here")
	between.Refuse(false)
	r.tapAllow("make it wait")
	r.allowed(build, hook)
	build.saysOfFleet("ok", "connected to the hub desk since "+today, "")

	lab := newPhone(t) // it has a bot already
	if out := lab.afar("fleet", "join", wordOf(r.afar("fleet", "invite", "--name", "lab"))); !strings.Contains(out, "afar telegram disconnect") {
		t.Errorf("who joins with a bot reads %s", out)
	}
	if out := lab.alone("status"); !strings.Contains(out, "telegram  ready") || !strings.Contains(out, "hub") {
		t.Errorf("the status of a member with a bot says %s", out)
	}
	build.alone("fleet", "leave")
	if out := build.alone("status", "--json"); strings.Contains(out, `"fleet"`) {
		t.Errorf("a machine without a fleet says %s", out)
	}
}

// saysOfFleet waits until the status of a machine has a row about the fleet, and checks that the text and the doctor
// have it, too.
func (p *phone) saysOfFleet(state, text, fix string) {
	p.t.Helper()
	isRow := func(c wire.Check) bool {
		return c.State == state && strings.Contains(c.Text, text) && strings.Contains(c.Fix, fix)
	}
	var s wire.StatusReply
	for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		s = wire.StatusReply{}
		if err := json.Unmarshal([]byte(p.alone("status", "--json")), &s); err != nil {
			p.t.Fatal(err)
		}
		if slices.ContainsFunc(s.Fleet, isRow) {
			break
		}
		if time.Now().After(deadline) {
			p.t.Fatalf("the status has %+v, want %s, %q and %q", s.Fleet, state, text, fix)
		}
	}
	doctor, _ := p.tryAlone("doctor") // it may find more
	for _, out := range []string{p.alone("status"), doctor} {
		if !strings.Contains(out, text) || !strings.Contains(out, fix) {
			p.t.Errorf("want %q and %q in\n%s", text, fix, out)
		}
	}
}
