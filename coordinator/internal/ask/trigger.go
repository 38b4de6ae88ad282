package ask

import (
	"crypto/sha256"
	"encoding/hex"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/session"
)

const (
	// WakeUp is the kind of ask in which a session wants to be woken as soon as a command
	// succeeds. An allow makes the trigger that runs it.
	WakeUp Kind = "wake-up"
	// Missed is the kind of ask about a time of a trigger at which nothing ran. An allow has the
	// trigger fire for it.
	Missed Kind = "missed"
)

// WakeUpFor is how long the ask about a wake-up accepts an answer. That about a missed time ends
// when its trigger is due again.
const WakeUpFor = 24 * time.Hour

// An About is the trigger that an ask is about.
type About struct {
	Trigger string `json:"trigger"`
	Rule    string `json:"rule,omitempty"`   // the text of the file, for a wake-up
	Firing  string `json:"firing,omitempty"` // the line of the ledger, for a missed time
	Runs    string `json:"runs,omitempty"`   // digest of the files that the check of a wake-up runs
	Risk    string `json:"risk,omitempty"`   // why the guard would ask about that check
	Again   bool   `json:"again,omitempty"`  // the files or the risk have changed since the person allowed the check
}

// NewWakeUp returns the ask in which a session wants to be woken by a rule whose check is command.
// says is what it wants to be told then. The ask about a check that was allowed before has an id for
// each digest and risk.
func NewWakeUp(by session.ID, about About, command, says, cwd string) Ask {
	key := about.Trigger
	if about.Again {
		key += " " + about.Runs + " " + about.Risk
	}
	return Ask{
		ID:      idOf("ask_w", key),
		Kind:    WakeUp,
		Session: by,
		Tool:    "Bash",
		Text:    keep(command),
		Hash:    hashOf(about.Rule + about.Runs),
		Cwd:     cwd,
		Says:    keep(says),
		About:   &about,
	}
}

// NewMissed returns the ask about a missed time of a trigger, which would send prompt. The same
// time has the same id.
func NewMissed(about About, prompt, does string) Ask {
	return Ask{
		ID:    idOf("ask_m", about.Firing),
		Kind:  Missed,
		Tool:  about.Trigger,
		Text:  keep(prompt),
		Hash:  hashOf(prompt),
		Does:  does,
		About: &about,
	}
}

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// idOf returns the id of an ask about something with a key.
func idOf(prefix, key string) ID { return ID(prefix + hashOf(key)[:20]) }

// Declined reports whether a has ended and was not allowed.
func (a Ask) Declined() bool {
	return a.State != Open && (a.Decision == nil || !a.Decision.Allow)
}

// outcomeTrigger returns the result of Outcome for an ask about a trigger.
func (a Ask) outcomeTrigger() string {
	switch yes := !a.Declined(); {
	case a.Decision == nil:
		return ""
	case a.Kind == Missed && yes:
		return "the trigger fires"
	case a.Kind == Missed:
		return "it does not fire"
	case yes:
		return "trigger " + a.About.Trigger
	}
	return "the session is told"
}
