package telegram

import (
	"strings"
	"testing"

	"github.com/afar-sh/afar/coordinator/standin/botapi"
)

// TestFirstCopyIsSettled checks that a card which was sent twice, because the coordinator died before it noted the
// first copy, is settled in both copies, and that no other message is changed.
func TestFirstCopyIsSettled(t *testing.T) {
	t.Parallel()
	for name, lose := range map[string]func(r *rig, crash func()){
		"the answer was lost":        func(r *rig, crash func()) { r.api.DropReply("sendMessage"); r.ask("a1", "git push") },
		"killed before it was noted": func(r *rig, crash func()) { r.card("a1", "git push"); crash() },
		"killed twice":               func(r *rig, crash func()) { r.card("a1", "git push"); crash(); crash() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			r.pair()
			r.card("a0", "make all")
			r.ann.Say(r.ann.ID, "/status")
			r.await("Open questions: 1")
			r.idle()
			before := len(r.api.Messages(r.ann.ID))
			shown := func() (cards []botapi.Message) {
				for _, m := range r.api.Messages(r.ann.ID)[before:] {
					if strings.Contains(m.Text, "git push") {
						cards = append(cards, m)
					}
				}
				return cards
			}
			crashes := 0
			lose(r, func() {
				r.idle()
				r.close()
				r.sql(`DELETE FROM copies WHERE ask = 'a1'`)
				r.sql(`UPDATE actions SET done = gen - 1 WHERE data = 'a1'`)
				crashes++
				r.open()
				r.run()
				r.eventually("another copy", func() bool { return len(shown()) == crashes+1 })
			})
			r.eventually("all copies", func() bool { return len(shown()) >= 2 })
			r.idle()
			if _, err := r.core.CancelAsk("a1", "Esc"); err != nil {
				t.Fatal(err)
			}
			r.eventually("all copies are settled", func() bool {
				for _, m := range shown() {
					if len(m.Labels()) > 0 || !strings.Contains(m.Text, "Cancelled: Esc") {
						return false
					}
				}
				return true
			})
			for _, m := range r.api.Messages(r.ann.ID)[:before] {
				if len(m.Edits) > 0 {
					t.Errorf("changed: %q", m.Text)
				}
			}
		})
	}
}
