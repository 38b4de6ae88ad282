package core_test

import (
	"errors"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/core"
)

// TestDamageIsReported checks that rows that are found damaged while the coordinator runs are
// named in the journal once, and that no other rows are.
func TestDamageIsReported(t *testing.T) {
	r := newRig(t)
	r.see("s", "/p")
	r.openAsk(newAsk("a", "x"))
	r.raw(`INSERT INTO past_loops VALUES ('s/r', 1, '{"schema":1,"session":"s","run_id":"r"}')`)
	r.raw(`INSERT INTO asks VALUES ('other', 'expired', 9e12, '{"id":"a","state":"open"}')`)
	r.raw(`INSERT INTO asks VALUES ('newer', 'snoozed', 9e12, '{"id":"newer","state":"snoozed"}')`)
	head := r.head()
	for range 2 {
		if past, err := r.AllLoops(); err != nil || len(past) != 0 {
			t.Errorf("loops: %+v, %v", past, err)
		}
		for _, id := range []string{"other", "newer"} {
			if a, err := r.Answer(ask.ID(id), yes("Ada")); !errors.Is(err, core.ErrNotFound) {
				t.Errorf("ask %s was answered: %+v, %v", id, a, err)
			}
		}
		report, err := r.Report(t0.Add(-time.Hour))
		if err != nil || len(report.Asks) != 1 {
			t.Errorf("report: %+v, %v", report.Asks, err)
		}
	}
	r.same("journal", []string{"store.damaged past_loops s/r", "store.damaged asks other", "store.damaged asks newer"},
		r.kinds(head))
}
