package e2e

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/fleet"
	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/store"
	"github.com/afar-sh/afar/coordinator/standin/botapi"
	"github.com/afar-sh/afar/coordinator/standin/long"
	"github.com/afar-sh/afar/coordinator/wire"
)

// What happened in the week in which a member was away: questions that were answered at their terminals, notices, and
// turns of runs.
const (
	weekAsks    = 5000
	weekNotices = 4000
	weekTurns   = 1000
)

// TestFleetWeek checks that a member which was away for a week with 10,000 changes is soon whole again, and that the person
// gets one message about it.
func TestFleetWeek(t *testing.T) {
	long.InCI(t)
	t.Parallel()
	r := newFleetRig(t)
	build := r.join("build")
	build.stopped()
	r.is("build", wire.MachineAway)
	fillWeek(build)
	before := len(r.bot.Messages(annID))

	began := time.Now()
	hook, _ := build.requests("s", "make after")
	summary := r.await("what happened meanwhile", func(m botapi.Message) bool { return strings.Contains(m.Text, "5000 at once") })
	card := r.current("make after")[0]
	for ; ; time.Sleep(50 * time.Millisecond) {
		waits, _ := build.tryAlone("doctor") // other checks fail
		if strings.Contains(waits, "connected to the hub") && !strings.Contains(waits, "waiting for it") {
			break
		}
		if time.Since(began) > 2*patience {
			t.Fatalf("what waits does not get away:\n%s", waits)
		}
	}
	took := time.Since(began)
	t.Logf("whole after %.1f s", took.Seconds())
	if took > 90*time.Second { // a third of that on a machine with nothing else to do
		t.Errorf("it took %.1f s", took.Seconds())
	}
	if !strings.Contains(summary.Text, "build · run night-999") || !strings.Contains(summary.Text, "afar --machine build log") {
		t.Errorf("the summary:\n%s", summary.Text)
	}
	for _, m := range r.bot.Messages(annID)[before:] {
		if m.ID != summary.ID && m.ID != card.ID {
			t.Errorf("another message: %s", m.Text)
		}
	}
	if _, err := r.ann.Tap(card.ID, "Allow"); err != nil {
		t.Fatal(err)
	}
	if out, err := hook.wait(); err != nil || !strings.Contains(out, `"allow"`) {
		t.Errorf("the hook printed %q, %v", out, err)
	}
}

// fillWeek writes what a member has left of a week without its hub into its database.
func fillWeek(p *phone) {
	p.t.Helper()
	db, err := store.Open(p.dirs.Database())
	if err != nil {
		p.t.Fatal(err)
	}
	defer db.Close()
	var b store.Batch
	now := time.Now()
	at := func(n, of int) time.Time {
		return now.Add(-7 * 24 * time.Hour * time.Duration(of-n) / time.Duration(of))
	}
	act := func(key, kind string, data any, at time.Time) {
		text, is := data.(string)
		if !is {
			raw, err := json.Marshal(data)
			if err != nil {
				p.t.Fatal(err)
			}
			text = string(raw)
		}
		b.Actions = append(b.Actions, store.Action{Key: fleet.Channel + "/" + key, Lane: fleet.Channel, Kind: kind, Data: text, Due: at})
	}
	for n := range weekAsks {
		a := ask.Ask{ID: ask.ID(fmt.Sprintf("ask_week%08d", n)), Kind: ask.Permission, State: ask.Delivered, Session: session.ID(fmt.Sprint("week-", n/50)),
			Tool: "Bash", Text: "make it", Hash: fmt.Sprintf("%064x", n), Cwd: "/home/ann/shop", Nonce: fmt.Sprintf("%016x", n), Shown: true,
			OpenedAt: at(n, weekAsks), ExpiresAt: at(n, weekAsks).Add(time.Hour), CardAt: at(n, weekAsks), SettledAt: at(n, weekAsks),
			Decision: &ask.Decision{Allow: true, By: "Ann", Channel: "terminal", At: at(n, weekAsks)}, Run: &ask.Run{OK: true, At: at(n, weekAsks)}}
		store.Asks.Put(&b, a)
		act("card:"+string(a.ID), "card", string(a.ID), a.OpenedAt)
	}
	for n := range weekNotices {
		news := channel.News{Text: fmt.Sprint("The loop of shop ended for the time ", n)}
		act(fmt.Sprint("notice:loop:", n), "notice", channel.Notice{News: []channel.News{news}}, at(n, weekNotices))
	}
	for n := range weekTurns {
		act(fmt.Sprint("ended:", n), "run-ended", run.TurnEnd{Name: fmt.Sprint("night-", n)}, at(n, weekTurns))
	}
	if err := db.Commit(&b); err != nil {
		p.t.Fatal(err)
	}
}
