package channel_test

import (
	"testing"

	"github.com/afar-sh/afar/coordinator/internal/channel"
)

// TestStampAfter: a text counts for a card only when it certainly came after it.
func TestStampAfter(t *testing.T) {
	card := channel.Stamp{Chat: 1, ID: 50, At: 1000}
	old := channel.Stamp{Chat: 1, ID: 50} // sent before its time was kept
	for _, c := range []struct {
		name string
		text channel.Stamp
		card channel.Stamp
		want bool
	}{
		{"later", channel.Stamp{Chat: 1, ID: 51, At: 1001}, card, true},
		{"earlier", channel.Stamp{Chat: 1, ID: 49, At: 999}, card, false},
		{"an hour earlier", channel.Stamp{Chat: 1, ID: 7, At: 1000 - 3600}, card, false},
		{"earlier, with a greater id", channel.Stamp{Chat: 1, ID: 60, At: 999}, card, false},
		{"the same second, behind it", channel.Stamp{Chat: 1, ID: 51, At: 1000}, card, true},
		{"the same second, before it", channel.Stamp{Chat: 1, ID: 49, At: 1000}, card, false},
		{"the card itself", card, card, false},
		{"the same second in another chat", channel.Stamp{Chat: 2, ID: 99, At: 1000}, card, false},
		{"later in another chat", channel.Stamp{Chat: 2, ID: 1, At: 1001}, card, true},
		{"an old card, a greater id", channel.Stamp{Chat: 1, ID: 51, At: 1001}, old, true},
		{"an old card, a smaller id", channel.Stamp{Chat: 1, ID: 49, At: 1001}, old, false},
		{"an old card in another chat", channel.Stamp{Chat: 2, ID: 51, At: 1001}, old, false},
		{"a text without a time", channel.Stamp{Chat: 1, ID: 51}, card, true},
		{"no card at all", channel.Stamp{Chat: 1, ID: 51, At: 1001}, channel.Stamp{Chat: 1}, false},
		{"nothing", channel.Stamp{}, channel.Stamp{}, false},
	} {
		if got := c.text.After(c.card); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}
