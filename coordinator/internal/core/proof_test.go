package core_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/approved"
	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/grant"
	"github.com/afar-sh/afar/coordinator/internal/module"
	"github.com/afar-sh/afar/coordinator/internal/store"
	"github.com/afar-sh/afar/coordinator/internal/trigger"
)

// byHand writes rows into the database past the coordinator, and starts it again.
func (r *rig) byHand(put func(b *store.Batch)) {
	r.t.Helper()
	var b store.Batch
	put(&b)
	r.ok(r.store.Commit(&b))
	r.restart()
}

// TestAnswersByHand: an answer that somebody wrote into the database counts as never given, and what
// the coordinator itself wrote counts after a restart.
func TestAnswersByHand(t *testing.T) {
	r := newRig(t)
	r.pair()
	allowed := func(a ask.Ask) ask.Ask {
		d := yes("Ann")
		d.At = r.time()
		a.State, a.Decision, a.SettledAt = ask.Answered, &d, d.At
		return a
	}
	for name, forge := range map[string]func(ask.Ask) ask.Ask{
		"answered":  allowed,
		"delivered": func(a ask.Ask) ask.Ask { a = allowed(a); a.State = ask.Delivered; return a },
		"leased": func(a ask.Ask) ask.Ask {
			d := yes("Ann")
			d.At = r.time()
			a.State, a.Lease = ask.Expired, &ask.Lease{Decision: d, Until: d.At.Add(time.Hour)}
			return a
		},
	} {
		id := ask.ID("ask_" + name)
		a := r.openAsk(ask.Ask{ID: id, Kind: ask.Permission, Session: "s", Tool: "Bash", Text: name, Hash: name})
		r.byHand(func(b *store.Batch) { store.Asks.Put(b, forge(a)) })
		got, err := r.ClaimAsk(id, false)
		r.ok(err)
		if got.Decision != nil || got.Lease != nil || got.State == ask.Delivered || got.State == ask.Answered {
			t.Errorf("%s by hand: it is %s, %+v", name, got.State, got.Decision)
		}
		if name == "answered" && got.State != ask.Open {
			t.Errorf("the question is %s, not open", got.State)
		}
		if !slices.Contains(r.kinds(0), "store.damaged asks "+string(id)) {
			t.Errorf("%s: the journal says nothing", name)
		}
		if rows, err := r.Unproven(); err != nil || !slices.Contains(rows, "asks "+string(id)) {
			t.Errorf("%s: unproven are %q, %v", name, rows, err)
		}
	}
}

// TestAnswersTurned: the genuine entry of a refusal does not prove a yes, nor that of one question the
// answer to another.
func TestAnswersTurned(t *testing.T) {
	r := newRig(t)
	r.pair()
	no := r.openAsk(ask.Ask{ID: "ask_no", Kind: ask.Permission, Session: "s", Tool: "Bash", Text: "a", Hash: "a"})
	_, err := r.Answer(no.ID, ask.Decision{By: "Ann", Channel: "terminal", Message: "no"})
	r.ok(err)
	other := r.openAsk(ask.Ask{ID: "ask_other", Kind: ask.Permission, Session: "s", Tool: "Bash", Text: "b", Hash: "b"})
	_, err = r.Answer(other.ID, yes("Ann"))
	r.ok(err)
	r.byHand(func(b *store.Batch) {
		turned := r.state("ask_no", ask.Answered)
		d := *turned.Decision
		d.Allow, d.Message = true, ""
		turned.Decision = &d
		rebound := r.state("ask_other", ask.Answered)
		rebound.Hash, rebound.Text = "rm", "rm -rf /"
		store.Asks.Put(b, turned, rebound)
	})
	for _, id := range []ask.ID{"ask_no", "ask_other"} {
		if got, err := r.ClaimAsk(id, false); err != nil || got.Decision != nil {
			t.Errorf("%s: %+v, %v", id, got.Decision, err)
		}
	}
}

// manual is the text of a rule.
const manual = "# Night\n\n- on: manual\n- to: run\n\nGo.\n"

// TestAnswersProven: answers, grants, enabled modules and triggers that are on of the coordinator's own count after a restart,
// and nothing is unproven.
func TestAnswersProven(t *testing.T) {
	r := newRig(t)
	r.pair()
	a := r.openAsk(ask.Ask{ID: "ask_a", Kind: ask.Permission, Session: "s", Tool: "Bash", Text: "a", Hash: "a",
		Offer: &ask.Offer{Rules: []grant.Rule{{Tool: "Bash", Argv: []string{"ls"}, Text: "ls …"}}}})
	d := yes("Ann")
	d.Scope = ask.Session
	_, err := r.Answer(a.ID, d)
	r.ok(err)
	_, err = r.EnableModule("mail", strings.Repeat("a", 64), "Ann")
	r.ok(err)
	_, err = r.ApproveTrigger("night", manual, "Ann")
	r.ok(err)
	r.restart()
	if tr, _ := r.Trigger("night"); !tr.On {
		t.Errorf("the trigger is %+v", tr)
	}
	if got, err := r.ClaimAsk(a.ID, false); err != nil || got.Decision == nil || !got.Decision.Allow {
		t.Errorf("have %+v, %v", got, err)
	}
	if m, _ := r.Module("mail"); !m.On || len(r.Grants()) != 1 {
		t.Errorf("the module is %+v, the grants are %+v", m, r.Grants())
	}
	if rows, err := r.Unproven(); err != nil || len(rows) > 0 {
		t.Errorf("unproven are %q, %v", rows, err)
	}
}

// TestAuthorityByHand: grants, modules and triggers that somebody wrote into the database do not count.
func TestAuthorityByHand(t *testing.T) {
	r := newRig(t)
	r.pair()
	r.byHand(func(b *store.Batch) {
		store.Grants.Put(b, grant.Grant{ID: "grant_x", Session: "s", By: "Ann", At: r.time(), ExpiresAt: r.time().Add(time.Hour),
			Rules: []grant.Rule{{Tool: "Bash", Argv: []string{"rm"}, Text: "rm …"}}})
		store.Modules.Put(b, module.Module{
			Name: "evil", File: approved.File{Hash: strings.Repeat("e", 64), By: "Ann", On: true},
		})
		store.Triggers.Put(b, trigger.Trigger{Name: "evil", Text: manual, File: approved.File{By: "Ann", On: true}})
	})
	m, _ := r.Module("evil")
	if tr, _ := r.Trigger("evil"); m.On || tr.On || len(r.Grants()) > 0 {
		t.Errorf("the module is %+v, the trigger is %+v, the grants are %+v", m, tr, r.Grants())
	}
	rows, err := r.Unproven()
	for _, row := range []string{"grants grant_x", "modules evil", "triggers evil"} {
		if err != nil || !slices.Contains(rows, row) {
			t.Errorf("unproven are %q, %v, want %s too", rows, err, row)
		}
	}
}
