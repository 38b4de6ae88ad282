package telegram

import (
	"strings"
	"testing"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/core"
)

// remindRig returns a rig whose person is reminded after ten minutes.
func remindRig(t *testing.T, chat int64) *rig {
	r := newRig(t)
	r.rules, r.remindChat = core.Rules{RemindAfter: 10 * time.Minute}, chat
	r.restart()
	return r
}

// wake advances the clock to the time of the reminder.
func (r *rig) wake() {
	r.Helper()
	r.later.Store(int64(11 * time.Minute))
	if err := r.core.Tick(); err != nil {
		r.Fatal(err)
	}
}

// TestReminder checks that the reminder replies to the card, says who waits, how long and for what,
// and comes once. A reply to it is the answer.
func TestReminder(t *testing.T) {
	t.Parallel()
	r := remindRig(t, 0)
	r.pair()
	a, card := r.card("a1", "git push")
	r.wake()
	m := r.await("still waits (")
	want := "⏰ shop still waits (11 min): git push"
	if m.Text != want || m.ReplyTo != card.ID || len(m.Labels()) != 0 {
		t.Errorf("have %q, answering %d", m.Text, m.ReplyTo)
	}
	r.restart()
	if _, err := r.ann.Reply(m.ID, "yes"); err != nil {
		t.Fatal(err)
	}
	r.await("Allowed.")
	if got := r.state(a.ID).Decision; got == nil || !got.Allow {
		t.Errorf("decision %+v", got)
	}
	r.eventually("the card is settled", func() bool {
		now, _ := r.api.Message(card.ID)
		return strings.Contains(now.Text, "Allowed by Ann")
	})
	if now, _ := r.api.Message(m.ID); len(now.Edits) != 0 {
		t.Errorf("the reminder was edited: %+v", now.Edits)
	}
}

// TestReminderInAnotherChat checks that another chat is told that somebody waits, and that
// nothing can be answered there.
func TestReminderInAnotherChat(t *testing.T) {
	t.Parallel()
	r := remindRig(t, -77)
	team := r.api.Group(77, "Team")
	r.pair()
	a, _ := r.card("a1", "git push --force")
	r.wake()
	m := r.await("waits for Ann: permission")
	if m.Chat != team.ID || len(m.Labels()) != 0 || strings.Contains(m.Text, "git") {
		t.Errorf("have %+v", m)
	}
	r.await("still waits (")
	r.quietly("answers of others", func() {
		eve := r.api.User(66, "Eve")
		eve.Say(team.ID, "yes")
		r.ann.Say(team.ID, "yes")
	})
	if _, err := r.ann.Reply(m.ID, "yes"); err != nil { // hers, but not where she is paired
		t.Fatal(err)
	}
	r.await("We talk in another chat now")
	if got := r.state(a.ID); got.Decision != nil {
		t.Errorf("decided: %+v", got.Decision)
	}
}

// TestReminderChatAway checks that the person is reminded even if the bot may not write to the
// other chat.
func TestReminderChatAway(t *testing.T) {
	t.Parallel()
	r := remindRig(t, -404)
	r.pair()
	r.card("a1", "git push")
	r.wake()
	r.await("still waits (")
	if !strings.Contains(r.log.String(), "remind another chat") {
		t.Errorf("nothing in the log:\n%s", r.log)
	}
}
