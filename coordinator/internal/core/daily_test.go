package core_test

import (
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/trigger"
)

// TestDaily: the morning message is due once a day by the clock of its zone, also where that clock skips its time
// or shows it twice, and once after days without a coordinator. It is no trigger of the person's, and ends with
// its setting.
func TestDaily(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	for _, from := range []time.Time{
		time.Date(2026, 3, 26, 12, 0, 0, 0, berlin), time.Date(2026, 10, 22, 12, 0, 0, 0, berlin),
	} {
		r, now := newRig(t), from
		r.clock = func() time.Time { return now }
		due := func() (at []string) {
			t.Helper()
			r.ok(r.Tick())
			for _, f := range r.DueFirings() {
				at = append(at, f.At.In(berlin).Format("2 15:04"))
				r.ok(r.EndFiring(f.ID, trigger.Fired, ""))
			}
			return at
		}
		r.rules.Daily = trigger.DailyRule(2*time.Hour+30*time.Minute, "Europe/Berlin")
		r.restart()
		days := map[string]bool{}
		for ; now.Before(from.AddDate(0, 0, 5)); now = now.Add(30 * time.Minute) {
			for _, at := range due() {
				if day := at[:2]; days[day] {
					t.Errorf("twice on %s", at)
				} else {
					days[day] = true
				}
			}
			if now.Minute() == 0 && now.Hour()%7 == 3 { // also between the two times of a clock that is set back
				r.restart()
			}
		}
		if len(days) != 5 {
			t.Errorf("due on %v, want 5 days", days)
		}
		now = now.AddDate(0, 0, 3)
		r.restart()
		if at := due(); len(at) != 1 {
			t.Errorf("after days without a coordinator it is due at %q", at)
		}
		if len(r.Triggers()) != 0 {
			t.Errorf("it is among the triggers: %+v", r.Triggers())
		}
		r.rules.Daily = ""
		r.restart()
		now = now.AddDate(0, 0, 2)
		if at := due(); len(at) != 0 {
			t.Errorf("without the setting it is due at %q", at)
		}
		r.store.Close()
	}
}

// TestUse: other rules hold at once: quiet hours, a budget, and the time of the morning message.
func TestUse(t *testing.T) {
	r := newRig(t) // it is noon
	r.pair()
	r.see("s1", "/one")
	r.told()
	r.ok(r.Use(core.Rules{
		Quiet: session.Quiet{From: 11 * time.Hour, To: 13 * time.Hour, Zone: time.UTC},
		Daily: trigger.DailyRule(14*time.Hour, "UTC"), Background: 2,
	}))
	r.trouble("s1", "first")
	r.expect("in the quiet hours")
	if _, most := r.Background(); r.QuietFor() != time.Hour || most != 2 {
		t.Errorf("quiet for %v, a budget of %v", r.QuietFor(), most)
	}
	r.pass(2 * time.Hour)
	if due := r.DueFirings(); len(due) != 1 || due[0].Trigger != trigger.Daily {
		t.Errorf("due are %+v", due)
	}
	r.ok(r.Use(core.Rules{}))
	if _, known := r.Trigger(trigger.Daily); known || r.QuietFor() != 0 {
		t.Error("the old rules hold")
	}
}
