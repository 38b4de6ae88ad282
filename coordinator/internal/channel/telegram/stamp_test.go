package telegram

import "testing"

// TestStampAfter checks that a text counts for a card only if it was certainly sent after it.
func TestStampAfter(t *testing.T) {
	card := stamp{chat: 1, id: 50, at: 1000}
	old := stamp{chat: 1, id: 50} // sent before its time was kept
	for _, c := range []struct {
		name string
		text stamp
		card stamp
		want bool
	}{
		{"later", stamp{chat: 1, id: 51, at: 1001}, card, true},
		{"earlier", stamp{chat: 1, id: 49, at: 999}, card, false},
		{"an hour earlier", stamp{chat: 1, id: 7, at: 1000 - 3600}, card, false},
		{"earlier, with a greater id", stamp{chat: 1, id: 60, at: 999}, card, false},
		{"the same second, behind it", stamp{chat: 1, id: 51, at: 1000}, card, true},
		{"the same second, before it", stamp{chat: 1, id: 49, at: 1000}, card, false},
		{"the card itself", card, card, false},
		{"the same second in another chat", stamp{chat: 2, id: 99, at: 1000}, card, false},
		{"later in another chat", stamp{chat: 2, id: 1, at: 1001}, card, true},
		{"an old card, a greater id", stamp{chat: 1, id: 51, at: 1001}, old, true},
		{"an old card, a smaller id", stamp{chat: 1, id: 49, at: 1001}, old, false},
		{"an old card in another chat", stamp{chat: 2, id: 51, at: 1001}, old, false},
		{"a text without a time", stamp{chat: 1, id: 51}, card, true},
		{"no card at all", stamp{chat: 1, id: 51, at: 1001}, stamp{chat: 1}, false},
		{"nothing", stamp{}, stamp{}, false},
	} {
		if got := c.text.after(c.card); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}
