package config

import (
	"errors"
	"fmt"
	"time"
)

// Escalation is the table [escalation]: what happens when no answer comes.
type Escalation struct {
	// After is how long a question waits on the phone before the person is
	// reminded of it, once; "0s" is never.
	After Duration `toml:"after"`
	// Chat is the Telegram id of another chat that is told, too, that a question
	// waits; what it is about, and the buttons, stay where the person is paired.
	Chat int64 `toml:"chat"`
}

// The bounds of a reminder: a shorter one is a second ring, a longer one comes
// when nothing can be answered any more.
const (
	minAfter = Duration(time.Minute)
	maxAfter = Duration(24 * time.Hour)
)

func (e Escalation) check() error {
	switch {
	case e.After != 0 && (e.After < minAfter || e.After > maxAfter):
		return fmt.Errorf("escalation.after must be 0s or lie between %s and %s", time.Duration(minAfter),
			time.Duration(maxAfter))
	case e.Chat != 0 && e.After == 0:
		return errors.New("escalation.chat needs escalation.after: when is the chat to be told?")
	}
	return nil
}
