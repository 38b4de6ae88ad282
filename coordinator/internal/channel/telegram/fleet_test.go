package telegram

import (
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/internal/ask"
)

// fleetFrom are the states in which a question of another machine is, by the names of their captures.
func fleetFrom() map[string]ask.From {
	from := ask.From{
		Machine: "1f2e3d4c5b6a7988", Name: "build", Session: "shop", Token: "shop-a3f8", Project: "/home/ci/shop", Decides: true,
	}
	away, sent, both, shows := from, from, from, from
	away.Away, sent.Sent, both.Away, both.Sent, shows.Decides = "14:02", "Allowed", "14:02", "Allowed", false
	return map[string]ask.From{
		"fleet": from, "fleet away": away, "fleet sent": sent, "fleet sent away": both, "fleet shows": shows,
	}
}

// TestFleetCards checks what a person sees of the question of another machine: it is named first, so that a locked
// phone shows it, and the card says what is known of it.
func TestFleetCards(t *testing.T) {
	t.Parallel()
	r := newStillRig(t)
	l, err := r.ch.newLink(r.api.Token(), r.api.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer l.close()
	r.ann.Say(r.ann.ID, "/start")
	for name, from := range fleetFrom() {
		card := of("Bash", `{"command":"npm test"}`, in("/home/ci/shop"))
		card[0].From = &from
		text := l.draw(card)
		m, err := l.send(t.Context(), room{chat: r.ann.ID}, text)
		if err != nil {
			t.Fatalf("Telegram refuses it: %v\n%s", err, text.html)
		}
		shownNow, _ := r.api.Message(m.ID)
		compare(t, name, shown(shownNow, text, card))
		if !strings.HasPrefix(shownNow.Text, "❓ shop on build: npm test\n") {
			t.Errorf("%s: a locked phone shows %q", name, shownNow.Text)
		}
	}
}
