package config

import (
	"errors"
	"time"
)

// Escalation is the table [escalation]: what happens when no answer comes.
type Escalation struct {
	// After is how long a question waits on the phone before the person is
	// reminded of it, once; "0s" means never.
	After Duration `toml:"after"`
	// Chat is the Telegram id of another chat that also learns that a question
	// waits. Only the paired chat shows the question and its buttons.
	Chat int64 `toml:"chat"`
}

// The bounds of escalation.after. A reminder that comes sooner is only a second ring; one
// that comes later finds the question closed.
const (
	minAfter = Duration(time.Minute)
	maxAfter = Duration(24 * time.Hour)
)

func (e Escalation) check() error {
	if e.After != 0 {
		return e.After.checkRange("escalation.after", minAfter, maxAfter)
	}
	if e.Chat != 0 {
		return errors.New("escalation.chat needs escalation.after, which says when the chat is told")
	}
	return nil
}
