package core

import (
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/store"
)

// TestAfter: a batch that puts a value several times leaves the last one, under its own key.
func TestAfter(t *testing.T) {
	s := newState(&Config{})
	s.asks.hold(ask.Ask{ID: "kept", Session: "s"}, time.Time{})
	s.asks.hold(ask.Ask{ID: "moved", Session: "s"}, time.Time{})
	s.asks.hold(ask.Ask{ID: "other", Session: "x"}, time.Time{})
	var b store.Batch
	s.asks.put(&b, ask.Ask{ID: "twice", Session: "s", Note: "first"}, ask.Ask{ID: "moved", Session: "x"})
	s.asks.put(&b, ask.Ask{ID: "twice", Session: "s", Note: "last"})
	left := map[ask.ID]string{}
	for _, a := range s.asks.bySession.after(&b, "s") {
		if _, again := left[a.ID]; again {
			t.Errorf("%s stands there twice", a.ID)
		}
		left[a.ID] = a.Note
	}
	if len(left) != 2 || left["twice"] != "last" || left["kept"] != "" {
		t.Errorf("left are %v", left)
	}
}
