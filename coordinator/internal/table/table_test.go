package table_test

import (
	"fmt"
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

// TestOrder: ids stand in the order of their ranks, and of themselves among equals, whatever is put and taken away.
func TestOrder(t *testing.T) {
	asks := table.New(store.Asks, table.Traits[ask.Ask]{})
	byTime := table.OrderBy(asks, func(a ask.Ask) (time.Time, bool) { return a.OpenedAt, a.State == ask.Open },
		time.Time.Compare)
	hold := func(id ask.ID, state ask.State, minute int) {
		asks.Hold(ask.Ask{ID: id, State: state, OpenedAt: time.Time{}.Add(time.Duration(minute) * time.Minute)}, time.Time{})
	}
	hold("b", ask.Open, 1)
	hold("a", ask.Open, 1)
	hold("late", ask.Open, 9)
	hold("moved", ask.Open, 0)
	hold("gone", ask.Open, 5)
	hold("never", ask.Answered, 0)
	hold("moved", ask.Open, 3)
	hold("gone", ask.Answered, 5)
	var got []string
	for id, at := range byTime.All() {
		got = append(got, fmt.Sprint(id, at.Minute()))
	}
	if want := "[a1 b1 moved3 late9]"; fmt.Sprint(got) != want || byTime.Len() != 4 {
		t.Errorf("%d in order: %v, want %s", byTime.Len(), got, want)
	}
}
