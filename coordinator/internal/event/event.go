// Package event defines the entries of the journal, a chain of events from which every
// page, report and audit is made.
package event

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/session"
)

// A Kind says what happened, in the form noun.verb.
type Kind string

// The kinds of events. The comment after each kind says what its Subject is.
const (
	SessionStarted     Kind = "session.started"     // session token
	SessionEnded       Kind = "session.ended"       // session token
	SessionUnprotected Kind = "session.unprotected" // session token
	AskOpened          Kind = "ask.opened"          // ask id
	AskAnswered        Kind = "ask.answered"        // ask id
	AskDelivered       Kind = "ask.delivered"       // ask id; its hook has printed the answer, see core.AskPrinted
	AskEnded           Kind = "ask.ended"           // ask id
	AskEntered         Kind = "ask.entered"         // ask id: a program of a session is at its dialog
	AskRan             Kind = "ask.ran"             // ask id
	GrantGiven         Kind = "grant.given"         // grant id
	GrantEnded         Kind = "grant.ended"         // grant id
	GuardSpoke         Kind = "guard.spoke"         // rule id
	GuardDenied        Kind = "guard.denied"        // rule id: the call does not run
	GuardLoop          Kind = "guard.loop"          // rule id: denied again and again
	PolicyBroken       Kind = "policy.broken"       // session token
	PolicyTrusted      Kind = "policy.trusted"      // the file
	PolicyForgotten    Kind = "policy.forgotten"    // the file
	TurnStopped        Kind = "turn.stopped"        // session token: its person wants it to end, or it ended so
	LoopStarted        Kind = "loop.started"        // session token
	LoopStepped        Kind = "loop.stepped"        // session token
	LoopEdited         Kind = "loop.edited"         // session token
	LoopChecking       Kind = "loop.checking"       // session token; what the check prints
	LoopChecked        Kind = "loop.checked"        // session token
	LoopEnded          Kind = "loop.ended"          // session token
	LoopIssue          Kind = "loop.issue"          // the issue's id
	IssueLanding       Kind = "issue.landing"       // the full hash of a commit that is about to land
	IssueLanded        Kind = "issue.landed"        // the issue's id
	IssuePaused        Kind = "issue.paused"        // the issue's id: a loop released it
	RunStarted         Kind = "run.started"         // the run's name
	RunEnded           Kind = "run.ended"           // the run's name: a turn of it
	RunStopped         Kind = "run.stopped"         // the run's name: by a person
	RunMode            Kind = "run.mode"            // the run's name: it works in another mode from now on
	RunWidened         Kind = "run.widened"         // the run's name: it can write one more path behind its wall
	RunRemoved         Kind = "run.removed"         // the run's name
	RunTaken           Kind = "run.taken"           // the run's name: a person has its conversation in a terminal
	RunGiven           Kind = "run.given"           // the run's name: that person gave it back
	RunAdopted         Kind = "run.adopted"         // the run's name
	TaskCreated        Kind = "task.created"        // the task's name: by a person
	TaskStarted        Kind = "task.started"        // the task's name
	TaskStopped        Kind = "task.stopped"        // the task's name: by a person
	TaskTold           Kind = "task.told"           // the task's name: what the person was told of it
	TaskChanged        Kind = "task.changed"        // the task's name: a person has set its status
	SuggestionDecided  Kind = "suggestion.decided"  // the suggestion's name: by a person
	EventSorted        Kind = "event.sorted"        // message id: what triage made of it
	BackgroundAsked    Kind = "background.asked"    // what the question was about
	BackgroundFailed   Kind = "background.failed"   // what the question was about
	MemoryKept         Kind = "memory.kept"         // the fact's name: added or changed
	MemoryForgotten    Kind = "memory.forgotten"    // the fact's name: deleted by the person, or archived
	TriggerOn          Kind = "trigger.on"          // the trigger's name: a person has approved its file
	TriggerOff         Kind = "trigger.off"         // the trigger's name: by a person, or because its file has changed
	TriggerChanged     Kind = "trigger.changed"     // the trigger's name: by a person, or its file was changed back
	TriggerRemoved     Kind = "trigger.removed"     // the trigger's name: by a person
	ModuleEnabled      Kind = "module.enabled"      // the module's name: by a person
	ModuleDisabled     Kind = "module.disabled"     // the module's name: by a person, or because its folder has changed
	FleetChanged       Kind = "fleet.changed"       // a machine's name: it joined, was renamed or left, or this one did
	FleetSent          Kind = "fleet.sent"          // a machine's name: an order for it
	FleetRefused       Kind = "fleet.refused"       // a machine's name or fingerprint: what it said does not count
	FleetPutBack       Kind = "fleet.put-back"      // a machine's name: its database is an earlier copy
	ModuleChanged      Kind = "module.changed"      // the module's name: its folder was changed back
	ModuleStarted      Kind = "module.started"      // the module's name: its source runs
	ModuleEnded        Kind = "module.ended"        // the module's name: its source has ended by itself
	ModuleGarbled      Kind = "module.garbled"      // the module's name: its source printed a line that is no event
	MessageAdded       Kind = "message.added"       // message id
	MessageDelivered   Kind = "message.delivered"   // message id
	TopicPosted        Kind = "topic.posted"        // topic
	ReviewMade         Kind = "review.made"         // the issue's id: a fresh model's verdict on a commit
	ConsultAnswered    Kind = "consult.answered"    // agent id; empty for the session itself or a person
	ConsultFailed      Kind = "consult.failed"      // as for consult.answered: no other model could be asked
	GateBlocked        Kind = "gate.blocked"        // agent id of a reviewer who was sent back
	GateOpened         Kind = "gate.opened"         // agent id of a reviewer who ended
	GateGivenUp        Kind = "gate.given-up"       // agent id of a reviewer who was allowed to stop without a review
	ReviewSet          Kind = "review.set"          // session token: its review gate is on or off
	ReviewHeld         Kind = "review.held"         // session token: sent back for a review
	ReviewMissing      Kind = "review.missing"      // session token: stopped without a review
	AwaySet            Kind = "away.set"            // session token or "all"
	PauseSet           Kind = "pause.set"
	AnswersFrom        Kind = "answers-from.set"
	TelegramConnected  Kind = "telegram.connected" // bot name
	TelegramPaired     Kind = "telegram.paired"    // user id
	TelegramPairing    Kind = "telegram.pairing"   // a code was made, or killed
	TelegramStranger   Kind = "telegram.stranger"  // user id
	TelegramFailing    Kind = "telegram.failing"
	BrowserSignedIn    Kind = "browser.signed-in"  // browser id
	BrowserSignedOut   Kind = "browser.signed-out" // browser id
	UndoTaken          Kind = "undo.taken"         // snapshot id
	UndoRestored       Kind = "undo.restored"      // snapshot id
	UndoDropped        Kind = "undo.dropped"       // snapshot id
	UndoRefused        Kind = "undo.refused"       // snapshot id: newer work is in the way, or it failed
	Refused            Kind = "refused"            // the operation: a decision from inside a session
	Redirected         Kind = "redirected"         // the variable: a project tried to move Afar
	GuardOverridden    Kind = "guard.overridden"   // session token: a call that the guard denied, or never saw, ran
	SettingsSet        Kind = "settings.set"       // by a person, in config.toml
	SettingsRefused    Kind = "settings.refused"   // session token: a change that would switch the guard off
	Started            Kind = "coordinator.started"
	Stopped            Kind = "coordinator.stopped"
	Told               Kind = "told"          // the action that told it: a notice to the person, as the page shows it
	Damaged            Kind = "store.damaged" // table and row
	WritesAgain        Kind = "store.writes"  // the disk accepted no writes for a while
	Repaired           Kind = "store.repaired"
)

// An Event is one entry of the journal. Text is one line for people, without
// secrets.
type Event struct {
	Seq     int64
	At      time.Time
	Kind    Kind
	Session session.ID
	Subject string
	Text    string
	Hash    string
}

// Chain returns the hash that e has after an entry with the hash prev. Each field is
// hashed with its length, so that two different entries never give the same input.
func (e Event) Chain(prev string) string {
	h := sha256.New()
	fmt.Fprintf(h, "%s|%d|%d|", prev, e.Seq, e.At.UnixMilli())
	for _, s := range []string{string(e.Kind), string(e.Session), e.Subject, e.Text} {
		fmt.Fprintf(h, "%d:%s|", len(s), s)
	}
	return hex.EncodeToString(h.Sum(nil))
}
