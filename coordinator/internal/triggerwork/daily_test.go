package triggerwork

import (
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/core"
	"github.com/afar-sh/afar/coordinator/internal/feature"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/store"
	"github.com/afar-sh/afar/coordinator/internal/trigger"
)

// TestDaily: the morning message waits for the end of the quiet hours, is about the day before, and is not sent
// where there is nothing to say.
func TestDaily(t *testing.T) {
	db, err := store.Open(filepath.Join(t.TempDir(), "afar.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	today := time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
	now := today.Add(7 * time.Hour)
	c, err := feature.New(core.Config{
		Store: db, Log: slog.New(slog.DiscardHandler), Now: func() time.Time { return now },
		Secret: func() string { return "5ec" },
		Rules: core.Rules{
			Daily: trigger.DailyRule(8*time.Hour, "UTC"),
			Quiet: session.Quiet{From: 6 * time.Hour, To: 9 * time.Hour, Zone: time.UTC},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	var asked []time.Time
	w := New(Config{Core: c, Daily: func(since time.Time) (string, error) {
		asked = append(asked, since)
		return "", nil
	}})
	for _, at := range []struct {
		clock time.Duration
		waits bool
	}{{8*time.Hour + time.Second, true}, {9*time.Hour - time.Second, true}, {9 * time.Hour, false}} {
		now = today.Add(at.clock)
		if err := c.Tick(); err != nil {
			t.Fatal(err)
		}
		due := c.DueFirings()
		if len(due) != 1 {
			t.Fatalf("at %v: %d are due", at.clock, len(due))
		}
		wait, err := w.fire(t.Context(), due[0])
		if err != nil || (wait > 0) != at.waits || wait > quietGlance {
			t.Errorf("at %v: it waits %v, %v", at.clock, wait, err)
		}
	}
	if want := today.Add(-16 * time.Hour); len(asked) != 1 || !asked[0].Equal(want) {
		t.Errorf("asked for what happened since %v, want %v once", asked, want)
	}
	log, err := c.FiringLog(trigger.Daily, 5)
	if err != nil || len(log) != 1 || log[0].State != trigger.Dropped || log[0].Why != "there was nothing to say" {
		t.Errorf("the ledger: %+v, %v", log, err)
	}
}
