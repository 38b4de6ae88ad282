package config

import (
	"errors"
	"fmt"
	"time"
)

// Asks is the table [asks]: how long questions wait, and where.
type Asks struct {
	// Grace is how long a question waits for an answer at the terminal before it
	// goes to the phone, with away auto.
	Grace Duration `toml:"grace"`
	// Attended is how long it is open where somebody sits at the terminal: then
	// the dialog there alone is left.
	Attended Duration `toml:"attended"`
	// Unattended is how long an unattended session waits for an answer:
	// then it is refused.
	Unattended Duration `toml:"unattended"`
	// Subagent is how long a subagent's question is held before its dialog opens
	// at the terminal.
	Subagent Duration `toml:"subagent"`
	// Grant is how long an allow for the session lasts.
	Grant Duration `toml:"grant"`
}

// AsksByDefault are the values without a file.
var AsksByDefault = Asks{
	Grace: Duration(20 * time.Second), Attended: Duration(30 * time.Minute), Unattended: Duration(10 * time.Minute),
	Subagent: Duration(45 * time.Second), Grant: Duration(time.Hour),
}

// MaxWait is the longest that a hook waits for an answer. The host ends a hook
// after 24 hours, and would then let the call run.
const MaxWait = Duration(23 * time.Hour)

func (a Asks) check() error {
	var all []error
	for _, t := range []struct {
		key            string
		d, least, most Duration
	}{
		{"asks.grace", a.Grace, Duration(time.Second), Duration(10 * time.Minute)},
		{"asks.attended", a.Attended, Duration(time.Minute), MaxWait},
		{"asks.unattended", a.Unattended, Duration(10 * time.Second), MaxWait},
		{"asks.subagent", a.Subagent, Duration(5 * time.Second), Duration(10 * time.Minute)},
		{"asks.grant", a.Grant, Duration(time.Minute), Duration(24 * time.Hour)},
	} {
		if t.d < t.least || t.d > t.most {
			all = append(all, fmt.Errorf("%s must be between %s and %s, not %s",
				t.key, time.Duration(t.least), time.Duration(t.most), time.Duration(t.d)))
		}
	}
	return errors.Join(all...)
}
