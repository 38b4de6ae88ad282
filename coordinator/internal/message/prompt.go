package message

import (
	"cmp"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/session"
)

// slashLead precedes a text that begins with a slash. The host refuses to submit such a text,
// because it could be a command.
const slashLead = "(written from afar) "

// Prompt returns the text of m as the prompt that a mod submits.
func (m Message) Prompt() string {
	text := strings.TrimSpace(m.Text)
	if strings.HasPrefix(text, "/") {
		return slashLead + text
	}
	return text
}

// Submittable reports whether a mod may submit m as a prompt of the person: it is theirs, and
// nothing of it may have arrived.
func (m Message) Submittable() bool {
	return m.State == Pending && !m.Data && !m.Again && m.Prompt() != ""
}

// Submit gives m to the mod of its session. The process taker reports when it has printed m.
func Submit(m Message, delivery string, taker session.Process, now time.Time) Message {
	m.State, m.Delivery, m.DeliveredAt = Delivered, delivery, now
	m.Taker, m.Unproven, m.Submitted = taker, true, true
	return m
}

// ShowPrompt ends the oldest submitted text of a session that a prompt consists of. own is true if
// our mod submitted the prompt; then the text may also be one that was taken back meanwhile.
// ok is false if there is no such text. delivery names the hook of the prompt; the next hook proves that the
// text has arrived, see Finish.
func ShowPrompt(
	all []Message, id session.ID, prompt, delivery string, own bool, now time.Time,
) (shown Message, ok bool) {
	prompt = strings.TrimSpace(prompt)
	for _, m := range ordered(all, id) {
		handed := m.State == Delivered && m.Submitted || own && m.State == Pending && !m.Data
		if handed && m.Prompt() == prompt {
			m.State, m.DoneAt, m.Unproven, m.Again = Done, now, false, false
			m.Delivery = cmp.Or(delivery, m.Delivery)
			return m, true
		}
	}
	return shown, false
}

// shown reports whether a prompt showed m, and nothing has proved yet that its conversation has it.
func (m Message) shown() bool { return m.State == Done && m.Submitted }

// Doubt returns the texts that are only shown, marked as delivered: their client may have died before it wrote
// them down.
func Doubt(all []Message) (out []Message) {
	for _, m := range all {
		if m.shown() {
			m.State, m.DoneAt = Delivered, time.Time{}
			out = append(out, m)
		}
	}
	return out
}
