package store_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/store"
)

// TestSince reads what happened since every moment of a short journal, also of one with a gap.
func TestSince(t *testing.T) {
	path := newPath(t)
	s := open(t, path)
	if got, err := s.Tally(1); len(got) != 0 || err != nil {
		t.Errorf("an empty journal: %v, %v", got, err)
	}
	for i := range 9 {
		at := t0.Add(time.Duration(i/2) * time.Minute) // two at each minute
		b := store.Batch{
			Events: []event.Event{{At: at, Kind: event.Kind([]string{"a", "b"}[i%2]), Subject: fmt.Sprint(i)}},
		}
		commit(t, s, with(b, ask.Ask{ID: ask.ID(fmt.Sprint(i)), State: ask.Open, OpenedAt: at}))
	}
	raw(t, path, `DELETE FROM journal WHERE seq IN (1, 5)`)
	for since := -1; since < 6; since++ {
		at, want := t0.Add(time.Duration(since)*time.Minute), map[event.Kind]int{}
		newest, asks := []string{}, 0
		for i := range 9 {
			if i/2 < since {
				continue
			}
			if asks++; i != 0 && i != 4 {
				want[event.Kind([]string{"a", "b"}[i%2])]++
				if i%2 == 0 {
					newest = append(newest, fmt.Sprint(i))
				}
			}
		}
		first, err := s.FirstSince(at)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := s.Tally(first); fmt.Sprint(got) != fmt.Sprint(want) || err != nil {
			t.Errorf("since minute %d: have %v, want %v, %v", since, got, want, err)
		}
		events, err := s.Newest([]event.Kind{"a"}, first, 0, 2)
		var got []string
		for _, e := range events {
			got = append(got, e.Subject)
		}
		if want := newest[max(0, len(newest)-2):]; fmt.Sprint(got) != fmt.Sprint(want) || err != nil {
			t.Errorf("since minute %d: have %v, want %v, %v", since, got, want, err)
		}
		if got, _, err := s.AsksSince(at); len(got) != asks || err != nil {
			t.Errorf("since minute %d: %d asks, want %d, %v", since, len(got), asks, err)
		}
	}
}
