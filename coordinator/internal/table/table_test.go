package table_test

import (
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/store"
	"github.com/afar-sh/afar/coordinator/internal/table"
)

// TestAfter: a batch that puts a value several times leaves the last one, under its own key.
func TestAfter(t *testing.T) {
	asks := table.New(store.Asks, table.Traits[ask.Ask]{})
	bySession := asks.IndexBy(func(a ask.Ask) string { return string(a.Session) })
	asks.Hold(ask.Ask{ID: "kept", Session: "s"}, time.Time{})
	asks.Hold(ask.Ask{ID: "moved", Session: "s"}, time.Time{})
	asks.Hold(ask.Ask{ID: "other", Session: "x"}, time.Time{})
	var b store.Batch
	asks.Put(&b, ask.Ask{ID: "twice", Session: "s", Note: "first"}, ask.Ask{ID: "moved", Session: "x"})
	asks.Put(&b, ask.Ask{ID: "twice", Session: "s", Note: "last"})
	left := map[ask.ID]string{}
	for _, a := range bySession.After(&b, "s") {
		if _, again := left[a.ID]; again {
			t.Errorf("%s stands there twice", a.ID)
		}
		left[a.ID] = a.Note
	}
	if len(left) != 2 || left["twice"] != "last" || left["kept"] != "" {
		t.Errorf("left are %v", left)
	}
}
