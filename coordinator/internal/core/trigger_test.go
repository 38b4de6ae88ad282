package core_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/feature"
	"github.com/afar-sh/afar/coordinator/internal/message"
	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/internal/task"
	"github.com/afar-sh/afar/coordinator/internal/trigger"
)

const keyedRule = "# Keyed\n\n- on: manual\n- to: run:{{payload.k}}\n\nGo.\n"

// shoot fires a rule, and sends the text to a run of its own.
func (r *rig) shoot(key string, gone run.ID) trigger.Firing {
	r.t.Helper()
	f, _, _, err := r.Shoot(feature.Shot{Trigger: "ci", Key: key, By: "Ann", Anyway: true})
	r.ok(err)
	in := feature.Sending{
		Firing: f.ID,
		Hash:   trigger.Hash(keyedRule),
		To:     message.Address{Kind: message.ToRun, Name: "ci/one"},
		Text:   "next " + key,
		First:  "first " + key,
		Run:    run.Run{ID: run.ID("run_" + key), Dir: "/w", Conversation: "c-" + key},
		Gone:   gone,
	}
	for range 2 { // the second one is a worker that died before it knew of the first
		_, err = r.SendFiring(in)
		r.ok(err)
	}
	log, err := r.FiringLog("ci", 1)
	r.ok(err)
	return log[0]
}

// TestKeyedRun: the texts of one key are one conversation, also after a restart. One that is gone
// is replaced by a new one under the same name, and a run of somebody else is never used.
func TestKeyedRun(t *testing.T) {
	r := newRig(t)
	r.pair()
	_, err := r.ApproveTrigger("ci", keyedRule, "Ann")
	r.ok(err)
	if f := r.shoot("a", ""); f.State != trigger.Fired || f.To != "run:ci/one" {
		t.Fatalf("%+v", f)
	}
	first, err := r.RunNamed("ci/one")
	r.ok(err)
	r.same("its prompt and owner", []string{"first a", "ci"}, []string{first.Turn.Prompt, first.Trigger})
	r.endTurn(first.ID, "done")
	r.restart()
	r.shoot("b", "")
	again, err := r.RunNamed("ci/one")
	r.ok(err)
	if again.ID != first.ID || again.Turn.Prompt != "next b" || again.Fence != 2 {
		t.Errorf("the same key: %+v", again)
	}
	r.endTurn(again.ID, "done")
	r.expect("of the conversation that goes on")
	r.shoot("c", again.ID)
	r.expect("of the new conversation",
		"c-c|🆕 run ci/one: its agent cannot resume the conversation any more, so a new one "+
			"begins. It is told the newest texts and results. All of the earlier one: afar run log ci/one.run_a")
	anew, err := r.RunNamed("ci/one")
	r.ok(err)
	old, err := r.RunByID(first.ID)
	r.ok(err)
	if anew.ID == first.ID || anew.Turn.Prompt != "first c" || old.Name == "ci/one" ||
		!strings.HasPrefix(old.Name, "ci/one.") {
		t.Errorf("a conversation that is gone: %+v, and the old one is %s", anew, old.Name)
	}
	if n := len(r.Messages()); n != 3 {
		t.Errorf("%d texts for 3 firings", n)
	}
}

// TestForeignRun: a key that names a run of somebody else sends nothing there.
func TestForeignRun(t *testing.T) {
	r := newRig(t)
	_, err := r.ApproveTrigger("ci", keyedRule, "Ann")
	r.ok(err)
	_, err = r.StartRun(run.Run{ID: "run_x", Name: "ci/one", Dir: "/w", Conversation: "c-x", By: "Ann"},
		message.Message{Key: "k", Text: "mine"})
	r.ok(err)
	if f := r.shoot("a", ""); f.State != trigger.Failed || !strings.Contains(f.Why, "did not start") {
		t.Errorf("%+v", f)
	}
	if n := len(r.Messages()); n != 1 {
		t.Errorf("%d texts", n)
	}
}

// TestTriggerTells: the result of a run that a rule began goes to the person, who can go on with it.
func TestTriggerTells(t *testing.T) {
	r := newRig(t)
	r.pair()
	const rule = "# Brief\n\n- on: manual\n- to: run\n\nSum up the day.\n"
	_, err := r.ApproveTrigger("brief", rule, "Ann")
	r.ok(err)
	f, _, _, err := r.Shoot(feature.Shot{Trigger: "brief", Key: "k", By: "Ann"})
	r.ok(err)
	_, err = r.SendFiring(feature.Sending{
		Firing: f.ID,
		Hash:   trigger.Hash(rule),
		To:     message.Address{Kind: message.ToRun},
		First:  "Sum up the day.",
		Run:    run.Run{ID: "run_b", Dir: "/w", Conversation: "c-b", Ephemeral: true},
	})
	r.ok(err)
	end := func(turn int64, result string) {
		t.Helper()
		_, err := r.HearTurn("run_b", turn, 1, []run.Event{{Kind: run.Init}, {Kind: run.Result, Text: result}})
		r.ok(err)
		r.ok(r.EndTurn("run_b", turn, run.End{Result: true}))
		v, err := r.RunByID("run_b")
		r.ok(err)
		if told := r.ended(); len(told) != 1 || told[0].Result != result || v.State != run.Done {
			t.Errorf("turn %d is %s, told %+v", turn, v.State, told)
		}
	}
	end(1, "All is well.")
	_, _, err = r.Send(message.Message{Key: "more", Session: "c-b", Text: "and the mail?", By: "Ann"}, "")
	r.ok(err)
	end(2, "No mail.")
}

// TestTriggerOtherZone: a rule that names no zone goes by the zone in which the coordinator starts.
func TestTriggerOtherZone(t *testing.T) {
	r := newRig(t)
	zone := time.UTC
	r.zones = func(string) (*time.Location, error) { return zone, nil }
	r.restart()
	const rule = "# Evening\n\n- on: cron 0 20 * * *\n- to: person\n\nDone.\n"
	v, err := r.ApproveTrigger("evening", rule, "Ann")
	r.ok(err)
	before := v.Next
	for hours, want := range map[int]time.Duration{1: -time.Hour, -5: 5 * time.Hour, 0: 0} {
		zone = time.FixedZone("there", hours*3600)
		r.restart()
		if v, _ = r.Trigger("evening"); v.Next.Sub(before) != want {
			t.Errorf("%d hours east: next on %v, it was %v", hours, v.Next, before)
		}
	}
}

// TestTriggerSetBack: what fired before the last start does not fire again after the clock is set
// back by days, and what is due later fires.
func TestTriggerSetBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var ahead atomic.Int64 // of the clock, in hours
		r := newRig(t)
		r.clock = func() time.Time { return time.Now().Add(time.Duration(ahead.Load()) * time.Hour) }
		const hourly = "# Hourly\n\n- on: cron 0 * * * * UTC\n- to: person\n- missed: each\n\nGo.\n"
		_, err := r.ApproveTrigger("hourly", hourly, "Ann")
		r.ok(err)
		fires := func() (n int64) {
			for _, f := range r.DueFirings() {
				r.ok(r.EndFiring(f.ID, trigger.Fired, ""))
				n++
			}
			return n
		}
		ahead.Store(72)
		r.ok(r.Tick())
		fires()
		r.restart()
		ctx, cancel := context.WithCancel(t.Context())
		go r.Run(ctx)
		time.Sleep(time.Minute)
		for _, c := range []struct{ ahead, fires int64 }{{12, 0}, {60, 0}, {12, 0}, {71, 0}, {74, 2}} {
			ahead.Store(c.ahead)
			time.Sleep(time.Minute) // it looks at the clock
			synctest.Wait()
			if n := fires(); n != c.fires {
				t.Errorf("%d hours ahead %d instants fire, want %d", c.ahead, n, c.fires)
			}
		}
		cancel()
		synctest.Wait()
		r.store.Close()
	})
}

// TestTriggerToTriage: a rule whose target is triage makes one event of each firing, once.
func TestTriggerToTriage(t *testing.T) {
	r := newRig(t)
	f := r.sendRule("- to: triage", message.Address{Kind: message.ToTriage})
	events := r.Events()
	if len(events) != 1 || events[0].Text != "Look." || events[0].From != "trigger ci" {
		t.Fatalf("events %+v", events)
	}
	if f.State != trigger.Fired || f.To != "triage" || f.Message != events[0].ID {
		t.Errorf("ledger %+v", f)
	}
}

// TestTriggerToTask: a rule whose target is a task makes one text for it of each firing. The ledger
// names a task that does not exist.
func TestTriggerToTask(t *testing.T) {
	to := message.Address{Kind: message.ToTask, Name: "tax"}
	r := newRig(t)
	if f := r.sendRule("- to: task:tax", to); f.State != trigger.Failed || f.Why != "there is no task tax" {
		t.Errorf("no task: %+v", f)
	}
	if n := len(r.Messages()); n != 0 {
		t.Errorf("no task: %d texts", n)
	}
	r = newRig(t)
	_, err := r.NewTask(task.Task{Slug: "tax", Key: "k", By: "Ann"})
	r.ok(err)
	f := r.sendRule("- to: task:tax", to)
	all := r.Messages()
	if len(all) != 1 || all[0].Task != "tax" || all[0].Text != "Look." || all[0].State != message.Pending {
		t.Fatalf("texts %+v", all)
	}
	if f.State != trigger.Fired || f.To != "task:tax" || f.Message != string(all[0].ID) {
		t.Errorf("ledger %+v", f)
	}
}

// TestTriggerToSession: a rule whose target is a session makes one text for it of each firing. The
// ledger names a session that does not exist.
func TestTriggerToSession(t *testing.T) {
	to := message.Address{Kind: message.ToSession, Name: "shop-none"}
	r := newRig(t)
	if f := r.sendRule("- to: session:shop-none", to); f.State != trigger.Failed ||
		f.Why != "there is no session shop-none" {
		t.Errorf("no session: %+v", f)
	}
	r = newRig(t)
	v := r.see("s1", "/w/shop")
	to.Name = v.Token
	f := r.sendRule("- to: session:"+v.Token, to)
	all := r.Messages()
	if len(all) != 1 || all[0].Session != "s1" || all[0].Text != "Look." || all[0].State != message.Pending {
		t.Fatalf("texts %+v", all)
	}
	if f.State != trigger.Fired || f.Message != string(all[0].ID) {
		t.Errorf("ledger %+v", f)
	}
}

// TestTriggerToRun: a rule whose target is a run that somebody began goes on with its conversation.
// The ledger names a run that does not exist.
func TestTriggerToRun(t *testing.T) {
	to := message.Address{Kind: message.ToRun, Name: "deps"}
	r := newRig(t)
	if f := r.sendRule("- to: run:deps", to); f.State != trigger.Failed || f.Why != "there is no run deps" {
		t.Errorf("no run: %+v", f)
	}
	r = newRig(t)
	begun, err := r.StartRun(run.Run{ID: "run_d", Name: "deps", Dir: "/w", Conversation: "c-d", By: "Ann"},
		message.Message{Key: "k", Text: "begin"})
	r.ok(err)
	r.endTurn(begun.ID, "done")
	f := r.sendRule("- to: run:deps", to)
	v, err := r.RunNamed("deps")
	r.ok(err)
	if v.ID != begun.ID || v.Fence != 2 || v.Turn.Prompt != "Look." || f.State != trigger.Fired || f.To != "run:deps" {
		t.Errorf("%+v, ledger %+v", v, f)
	}
}

// sendRule fires a rule twice with the same key, sends it twice with a restart in between, and
// returns its line of the ledger.
func (r *rig) sendRule(to string, address message.Address) trigger.Firing {
	r.t.Helper()
	rule := "# Rule\n\n- on: manual\n" + to + "\n\nLook.\n"
	_, err := r.ApproveTrigger("ci", rule, "Ann")
	r.ok(err)
	for range 2 {
		f, _, _, err := r.Shoot(feature.Shot{Trigger: "ci", Key: "k", By: "Ann"})
		r.ok(err)
		_, err = r.SendFiring(feature.Sending{Firing: f.ID, Hash: trigger.Hash(rule), To: address, Text: "Look."})
		r.ok(err)
		r.restart()
	}
	log, err := r.FiringLog("ci", 9)
	r.ok(err)
	if len(log) != 1 {
		r.t.Fatalf("ledger %+v", log)
	}
	return log[0]
}
