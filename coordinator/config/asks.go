package config

import (
	"errors"
	"time"
)

// Asks is the table [asks]: how long questions wait, and where.
type Asks struct {
	// Grace is how long a question waits for an answer at the terminal before it
	// goes to the phone, with away auto.
	Grace Duration `toml:"grace"`
	// Attended is how long a question stays open if a person sits at the terminal.
	// After that only the dialog there is left.
	Attended Duration `toml:"attended"`
	// Unattended is how long an unattended session waits for an answer before its
	// call is refused.
	Unattended Duration `toml:"unattended"`
	// Subagent is how long a subagent's question is held before its dialog opens
	// at the terminal.
	Subagent Duration `toml:"subagent"`
	// Grant is how long an allow for the session lasts.
	Grant Duration `toml:"grant"`
}

// AsksByDefault is the default of the table [asks].
var AsksByDefault = Asks{
	Grace:      Duration(20 * time.Second),
	Attended:   Duration(30 * time.Minute),
	Unattended: Duration(10 * time.Minute),
	Subagent:   Duration(45 * time.Second),
	Grant:      Duration(time.Hour),
}

// MaxWait is the longest that a hook waits for an answer. The host ends a hook
// after 24 hours, and would then let the call run.
const MaxWait = Duration(23 * time.Hour)

func (a Asks) check() error {
	return errors.Join(
		a.Grace.checkRange("asks.grace", Duration(time.Second), Duration(10*time.Minute)),
		a.Attended.checkRange("asks.attended", Duration(time.Minute), MaxWait),
		a.Unattended.checkRange("asks.unattended", Duration(10*time.Second), MaxWait),
		a.Subagent.checkRange("asks.subagent", Duration(5*time.Second), Duration(10*time.Minute)),
		a.Grant.checkRange("asks.grant", Duration(time.Minute), Duration(24*time.Hour)),
	)
}
