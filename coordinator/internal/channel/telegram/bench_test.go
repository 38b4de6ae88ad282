package telegram

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/store"
)

// BenchmarkCard measures the time from the commit of an ask until the Bot API has its card. It
// compares that in the same run with the necessary minimum: one request on a warm connection,
// and the commit that records it.
func BenchmarkCard(b *testing.B) {
	r := newRig(b)
	r.pair()
	link, _ := r.ch.current()
	var card, yard []time.Duration
	n := 0
	for b.Loop() {
		n++
		command := fmt.Sprintf("make target-%06d", n)
		a := r.ask(fmt.Sprintf("a%06d", n), command)
		committed := time.Now()
		sent := r.await(command).Sent
		card = append(card, sent.Sub(committed))
		for r.state(a.ID).Shown {
			if cards, err := r.core.Copies(Name, a.ID); err != nil || len(cards) > 0 {
				break // it is noted: the next one does not wait for that
			}
		}
		begun := time.Now()
		if _, err := link.me(r.ctx); err != nil {
			b.Fatal(err)
		}
		if err := r.store.Commit(&store.Batch{Events: []event.Event{{At: begun, Kind: "bench"}}}); err != nil {
			b.Fatal(err)
		}
		yard = append(yard, time.Since(begun))
	}
	b.ReportMetric(p50(card), "ms-card-p50")
	b.ReportMetric(p50(yard), "ms-yardstick-p50")
}

func p50(all []time.Duration) float64 {
	slices.Sort(all)
	return all[len(all)/2].Seconds() * 1e3
}
