// Package ask holds the life of one question to the person. An ask is opened and
// then ends exactly once. The package is pure: the caller stores each returned Ask
// durably before it acts on it.
package ask

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/session"
)

// ID names an ask. The hook mints it before it dials, so that a coordinator
// that died and came back finds the same ask.
type ID string

// A Kind says what kind of question an ask is.
type Kind string

// The kinds of asks.
const (
	Permission Kind = "permission" // a question of the host
	Guard      Kind = "guard"      // a question of Afar's guard, for which the host opens no dialog
)

// A State is the stage that an ask has reached.
type State string

// The states of an ask. Answered becomes Delivered when the hook takes the answer.
// Every state except Open and Answered is final.
const (
	Open      State = "open"
	Answered  State = "answered"  // the person decided; the hook has not taken it yet
	Delivered State = "delivered" // the hook took the answer to the host
	Withdrawn State = "withdrawn" // settled elsewhere, or no hook waits for it any more
	Expired   State = "expired"
	Cancelled State = "cancelled" // the host ended the hook: Esc, No, a closed terminal
)

// Errors of a step that is not possible for an ask. The ask stays unchanged.
var (
	ErrSettled = errors.New("already settled")    // an answer came too late; Ask.How says how it ended
	ErrState   = errors.New("no such transition") // leaves the state of the ask
)

// refuseStep returns a unchanged, with the error of a step that its state does not allow.
func (a Ask) refuseStep(step string) (Ask, error) {
	return a, fmt.Errorf("cannot %s an ask that is %s: %w", step, a.State, ErrState)
}

// A Decision is the answer to an ask.
type Decision struct {
	Allow   bool   `json:"allow"`
	Message string `json:"message,omitempty"` // for the model, when the call is refused
	// AcceptEdits lets the session edit without asking. It is used for an approved plan.
	AcceptEdits bool `json:"accept_edits,omitempty"`
	// Interrupt ends the turn that the call belongs to. It is used for a refusal.
	Interrupt bool      `json:"interrupt,omitempty"`
	By        string    `json:"by"`              // who answered, as shown to people
	Channel   string    `json:"channel"`         // the name of a channel, or terminal, grant, lease
	Scope     Scope     `json:"scope,omitempty"` // how much an allow covers: only this call, or more
	At        time.Time `json:"at"`
}

// A Run is the result of the tool call.
type Run struct {
	OK   bool          `json:"ok"`
	Took time.Duration `json:"took"`
	At   time.Time     `json:"at"`
}

// An Ask is one question. Text holds the masked input; the raw input is never
// kept.
type Ask struct {
	ID        ID         `json:"id"`
	Kind      Kind       `json:"kind"`
	State     State      `json:"state"`
	Session   session.ID `json:"session"`
	Prompt    string     `json:"prompt,omitempty"` // the host's prompt_id
	Agent     string     `json:"agent,omitempty"`
	AgentType string     `json:"agent_type,omitempty"`
	Tool      string     `json:"tool"`
	Text      string     `json:"text"`
	Form      *Form      `json:"form,omitempty"` // for the kinds Questions and Elicitation
	Hash      string     `json:"hash"`           // of the exact input
	Cwd       string     `json:"cwd"`
	Why       string     `json:"why,omitempty"`   // the risk, in the guard's words
	Part      string     `json:"part,omitempty"`  // the part of the call that Why is about, in one line, masked
	Does      string     `json:"does,omitempty"`  // what the call does, as far as the guard understands it
	Says      string     `json:"says,omitempty"`  // the purpose that the session gives
	Asked     string     `json:"asked,omitempty"` // the person's last prompt, in one line
	Said      string     `json:"said,omitempty"`  // the last line that the model wrote after that prompt
	Attended  bool       `json:"attended"`
	Nonce     string     `json:"nonce"`        // unguessable; binds a button to this ask
	On        ID         `json:"on,omitempty"` // the ask whose card also shows this one; "" for a card of its own
	OpenedAt  time.Time  `json:"opened_at"`
	ExpiresAt time.Time  `json:"expires_at"`
	CardAt    time.Time  `json:"card_at,omitzero"` // when its card is sent to the channels
	Shown     bool       `json:"shown,omitempty"`  // the time of CardAt has come
	Silent    bool       `json:"silent,omitempty"` // its card does not ring: something about it has just rung
	Reminded  bool       `json:"reminded,omitempty"`
	Perhaps   bool       `json:"perhaps,omitempty"` // it may have been settled at the terminal
	Twice     bool       `json:"twice,omitempty"`   // its card may exist twice: the first sending was cut off
	LostAt    time.Time  `json:"lost_at,omitzero"`  // when the hook's connection broke
	// Entered is the program of a session that was attached to the dialog's terminal while
	// the ask was open, "" for none. It can press the keys of the dialog.
	Entered  string    `json:"entered,omitempty"`
	Decision *Decision `json:"decision,omitempty"`
	// Taker is the process of the hook that waits for the answer. Unproven is true from
	// its claim until it has said that it printed the answer.
	Taker     session.Process `json:"taker,omitzero"`
	Unproven  bool            `json:"unproven,omitempty"`
	SettledAt time.Time       `json:"settled_at,omitzero"`
	Note      string          `json:"note,omitempty"` // how it ended, for people
	Run       *Run            `json:"run,omitempty"`

	// Background is true when the session runs in the host's background service. Its
	// dialogs are open, but nobody watches them.
	Background bool `json:"background,omitempty"`

	Offer  *Offer `json:"offer,omitempty"`  // what an allow may cover in addition to this call
	Parked bool   `json:"parked,omitempty"` // the call was refused without an answer; an answer is still accepted
	Lease  *Lease `json:"lease,omitempty"`  // an answer that came late or was not delivered
	Undo   *Undo  `json:"undo,omitempty"`   // describes the snapshot that was taken before the call
	Times  Times  `json:"times,omitzero"`   // the time limits of this ask

	// InRun is true for the ask of a run. It stays answerable when the process that waits for
	// it ends: a later answer starts the run's next turn.
	InRun    bool   `json:"in_run,omitempty"`
	Call     string `json:"call,omitempty"`     // the host's id of the call, "" if it is unknown
	Deferred bool   `json:"deferred,omitempty"` // the host makes the call again in the next turn
	// Outward names the programs and the tool through which the call reaches others, with
	// spaces between them.
	Outward string `json:"outward,omitempty"`
	// Task is the task of a checkpoint.
	Task string `json:"task,omitempty"`
	// Proposed is the run of a proposal, and what a run wants to write.
	Proposed *Proposed `json:"proposed,omitempty"`
	// Suggested is the task of a suggestion.
	Suggested *Suggested `json:"suggested,omitempty"`
	// About is the trigger of a wake-up and of a missed time.
	About *About `json:"about,omitempty"`
	// From is set for an ask of another machine.
	From *From `json:"from,omitempty"`
}

// AsOpened returns a as its first card showed it: without an answer, an end or a doubt.
func (a Ask) AsOpened() Ask {
	a.State, a.Decision, a.Note, a.Entered, a.SettledAt = Open, nil, "", "", time.Time{}
	a.Parked, a.Lease, a.Run, a.Twice, a.Perhaps = false, nil, nil, false, false
	return a
}

// Dialog reports whether the host also shows a dialog of its own for a.
func (a Ask) Dialog() bool {
	return (a.Attended || a.Background) && a.Agent == "" && slices.Contains(dialogs, a.Kind)
}

// atTerminal reports whether a person at the terminal sees the question of a. If so,
// its card waits for the grace period.
func (a Ask) atTerminal() bool {
	return a.Attended && (a.Dialog() && !a.Parked || a.Kind == Denied)
}

// dialogs are the kinds for which the host has a dialog.
var dialogs = []Kind{Permission, Questions, Plan, Terminal}

// live returns how long a stays open.
func (a Ask) live() time.Duration {
	switch {
	case a.Kind == CheckIn:
		return CheckInFor
	case a.Kind == Terminal:
		return terminalFor
	case a.Kind == Proposal, a.Kind == Widen:
		return proposalFor
	case a.Kind == Checkpoint:
		return CheckpointFor
	case a.Kind == Suggestion:
		return SuggestionFor
	case a.Kind == WakeUp, a.Kind == Missed:
		return WakeUpFor
	case !a.Attended:
		return a.Times.unattended()
	case a.hookFirst(), a.Agent != "":
		return a.Times.subagent()
	}
	return a.Times.attended()
}

// Start opens a. The caller has filled in the question. The away mode decides when
// the card is sent.
func Start(a Ask, mode session.Mode, now time.Time) Ask {
	a.State, a.OpenedAt = Open, now
	a.ExpiresAt = now.Add(a.live())
	if a.hookFirst() && mode == session.On {
		a.ExpiresAt = now.Add(a.Times.attended()) // gives a person who is away time to answer
	}
	a.CardAt = session.CardAt(mode, a.atTerminal(), a.Times.grace(), now)
	return a
}

// Attach records that a hook waits for a, or waits for it again.
func Attach(a Ask) Ask {
	a.LostAt = time.Time{}
	return a
}

// Lose records that the connection of the hook that waits for a broke. It refuses an ask for
// which no hook waits.
func Lose(a Ask, now time.Time) (Ask, error) {
	if a.Hookless() || !a.undelivered() {
		return a.refuseStep("lose the hook of")
	}
	a.LostAt = now
	return a, nil
}

// Waiting reports whether the person can still answer a.
func (a Ask) Waiting() bool { return a.State == Open || a.Parked }

// undelivered reports whether a still waits for an answer, or for a hook to take the answer.
func (a Ask) undelivered() bool { return a.State == Open || a.State == Answered }

// Decided reports whether a person has answered a, in time or late.
func (a Ask) Decided() bool { return a.Decision != nil || a.Lease != nil }

// DeniedWith reports whether a was denied in time with this text, which is not empty.
func (a Ask) DeniedWith(text string) bool {
	d := a.Decision
	return d != nil && !d.Allow && text != "" && d.Message == text
}

// pending reports whether a can still end without its answer: it is undelivered, and it is
// not a check-in with a reply, which is kept until its session takes it.
func (a Ask) pending() bool { return a.undelivered() && !a.Replied() }

// Unconfirmed reports whether a was answered, but its session is not known to have the answer.
func (a Ask) Unconfirmed() bool { return a.State == Answered || a.Unproven }

// Remode applies a changed away mode to a. It refuses an ask that waits for no answer
// or that has been shown on the channels already.
func Remode(a Ask, mode session.Mode, now time.Time) (Ask, error) {
	if !a.Waiting() || a.Shown {
		return a.refuseStep("change the away mode of")
	}
	a.CardAt = session.CardAt(mode, a.atTerminal(), a.Times.grace(), now)
	return a, nil
}

// Answer records the decision on a. The first answer wins; every later one gets ErrSettled.
func Answer(a Ask, d Decision) (Ask, error) {
	if err := a.checkScope(d); err != nil {
		return a, err
	}
	if a.Kind == Terminal && a.State == Open {
		return a, ErrTerminal
	}
	if a.Parked {
		return addLease(a, d), nil
	}
	if a.State != Open {
		return a, fmt.Errorf("%w: %s", ErrSettled, a.Ending())
	}
	if a.unanswered() && (d.Allow || a.Kind == Checkpoint) {
		return a, ErrWords
	}
	a.State, a.Decision, a.SettledAt = Answered, &d, d.At
	if a.Hookless() && !a.Replied() {
		a.State = Delivered // no hook has anything to take
	}
	return a, nil
}

// Claim records that the hook is about to print the answer. An ask becomes Delivered only
// by a claim, so an ask that was settled at the terminal in the meantime does not. A hook
// that did not receive the reply may claim again.
func Claim(a Ask) (Ask, error) {
	if a.State != Answered && a.State != Delivered {
		return a.refuseStep("claim")
	}
	a.State = Delivered
	return a, nil
}

// AtTerminal says that a was answered in its dialog, and whether the person is known to
// have done so.
func (a Ask) AtTerminal() string {
	if a.Entered == "" {
		return "answered at the terminal"
	}
	return EnteredNote + " (" + a.Entered + ")"
}

// EnteredNote begins AtTerminal of an ask whose dialog a session could answer.
const EnteredNote = "answered while a program of a session was attached, so perhaps not by you"

// Enter records that a program of a session is attached to the terminal of the dialog.
func Enter(a Ask, program string) (Ask, error) {
	if !a.pending() {
		return a.refuseStep("note a program at")
	}
	a.Entered = program
	return a, nil
}

// Local records that the person settled a at the terminal.
func Local(a Ask, note string, now time.Time) (Ask, error) {
	if !a.pending() {
		return a.refuseStep("settle at the terminal")
	}
	if kept, ok := a.keepInRun(now); ok {
		return kept, nil
	}
	return a.withdrawn(note, now), nil
}

func (a Ask) withdrawn(note string, now time.Time) Ask {
	a.State, a.SettledAt, a.Note, a.Decision = Withdrawn, now, note, nil
	return a
}

// Abandon ends a where it may have been settled, or its answer used: why says why that is not known.
func Abandon(a Ask, why string, now time.Time) (Ask, error) {
	if !a.Waiting() && !a.Unconfirmed() && !a.Lease.Unused() {
		return a.refuseStep("abandon")
	}
	a = a.withdrawn(why, now)
	a.Parked, a.Lease, a.Unproven, a.Deferred = false, nil, false, false
	return a, nil
}

// Cancel records that the host ended the waiting hook, or that the session ended.
func Cancel(a Ask, note string, now time.Time) (Ask, error) {
	if kept, ok := a.keepInRun(now); ok {
		return kept, nil
	}
	if a.Replied() || a.State != Open && !a.Unconfirmed() {
		return a.refuseStep("cancel")
	}
	a.State, a.SettledAt, a.Note, a.Decision, a.Unproven = Cancelled, now, note, nil, false
	return a, nil
}

// Ran records the result of the tool call, once. If the ask was still undelivered, or if
// the tool had started before the answer came, the person must have settled it at the
// terminal: the ask is then withdrawn.
func Ran(a Ask, r Run, now time.Time) (Ask, error) {
	if a.Run != nil {
		return a.refuseStep("note a second run of")
	}
	a.Unproven = false // a call that ran had its answer
	if a.overtaken(r, now) || a.pending() {
		a = a.withdrawn(a.AtTerminal(), now)
	}
	a.Run = &r
	return a, nil
}

// The tolerance for the start time of a run, which is computed from the host's report of
// its end. A denied call must not run at all, so any run that started before or shortly
// after the denial counts as allowed at the terminal. An allowed call runs in any case,
// so only a clearly earlier start counts.
const (
	unsureOfAllowed = -2 * time.Second
	unsureOfDenied  = time.Second
)

// overtaken reports whether a run that ended at now had begun before a was answered. In
// that case somebody answered the dialog first, and the host ignored the answer to a.
func (a Ask) overtaken(r Run, now time.Time) bool {
	if a.Kind != Permission || !a.Dialog() || a.Decision == nil {
		return false
	}
	unsure := unsureOfDenied
	if a.Decision.Allow {
		unsure = unsureOfAllowed
	}
	return now.Add(-r.Took).Before(a.Decision.At.Add(unsure))
}

// Doubt records whether a, which is still open here, may have been settled at the terminal.
func Doubt(a Ask, perhaps bool) (Ask, error) {
	if a.State != Open {
		return a.refuseStep("doubt")
	}
	a.Perhaps = perhaps
	return a, nil
}

// Next returns when a next changes by itself. The zero time means never.
func (a Ask) Next() time.Time {
	if a.Parked {
		return a.cardOr(a.ExpiresAt.Add(ParkedFor))
	}
	if !a.pending() {
		return a.leaseEnd()
	}
	if a.ExpiresAt.IsZero() {
		return time.Unix(0, 0) // no Afar writes such an ask, but it must not stay open forever
	}
	at := earlier(a.ExpiresAt, a.redialEnd())
	if a.State == Open {
		at = a.cardOr(at)
	}
	return at
}

// cardOr returns CardAt if the card is still to be shown before at, else at.
func (a Ask) cardOr(at time.Time) time.Time {
	if a.Shown {
		return at
	}
	return earlier(at, a.CardAt)
}

// redialEnd returns until when the hook of a may reconnect. It is zero while the hook is connected.
func (a Ask) redialEnd() time.Time {
	if a.LostAt.IsZero() {
		return time.Time{}
	}
	return a.LostAt.Add(RedialFor)
}

// Tick applies the changes that are due at now: the card is shown, the ask of a hook
// that did not reconnect is dropped, or the ask expires.
func Tick(a Ask, now time.Time) Ask {
	switch {
	case a.Parked && due(a.ExpiresAt.Add(ParkedFor), now):
		return unpark(a, "nobody answered")
	case a.Parked:
		return show(a, now)
	case due(a.leaseEnd(), now):
		return markMissed(a)
	case !a.pending():
		return a
	case due(a.redialEnd(), now):
		return drop(a, now)
	case !now.Before(a.ExpiresAt):
		return expire(a, now)
	}
	if a.State == Open {
		return show(a, now)
	}
	return a
}

// show marks a as shown if the time of its card has come.
func show(a Ask, now time.Time) Ask {
	if due(a.CardAt, now) {
		a.Shown = true
	}
	return a
}

func drop(a Ask, now time.Time) Ask {
	if kept, ok := a.keepInRun(now); ok {
		return kept
	}
	if a.Decision != nil {
		return a.leased(now)
	}
	return a.withdrawn("the session's hook went away", now)
}

func expire(a Ask, now time.Time) Ask {
	note := "nobody answered in time"
	if a.Hookless() {
		a.State, a.SettledAt, a.Note = Expired, now, note
		return a
	}
	if a.Decision != nil {
		return a.leased(now)
	}
	switch {
	case a.Attended:
		note += "; the question is now at the terminal alone"
	case a.Kind == Elicitation:
		note += "; the server was told that nobody decided"
	default:
		note += ", so the call was not run"
		a.Parked = true
	}
	a.State, a.SettledAt, a.Note = Expired, now, note
	if a.Parked {
		a = show(a, now)
	}
	return a
}

// Ending says in one line how a ended.
func (a Ask) Ending() string {
	switch {
	case a.State == Open:
		return "open"
	case a.Lease != nil:
		return a.Lease.ending()
	case a.Decision == nil:
		return cmp.Or(a.Note, string(a.State))
	case a.Kind == CheckIn:
		return a.checkInEnding()
	}
	return fmt.Sprintf("%s by %s at %s%s", a.verb(), a.Decision.By, a.Decision.At.Format("15:04:05"), a.scopeText())
}

// Answered returns when a was settled, by an answer or otherwise. A late answer to a
// refused call counts too. The result is zero while a waits.
func (a Ask) Answered() time.Time {
	switch {
	case a.Lease != nil:
		return a.Lease.Decision.At
	case a.Decision != nil:
		return a.Decision.At
	case a.Parked:
		return time.Time{}
	}
	return a.SettledAt
}

// Outcome says how the call turned out. It returns "" while that is unknown.
func (a Ask) Outcome() string {
	switch {
	case a.Kind == CheckIn:
		return a.outcomeCheckIn()
	case a.Kind == Proposal:
		return a.outcomeProposal()
	case a.Kind == Checkpoint && a.Decision != nil:
		return "the task has it"
	case a.Kind == Suggestion:
		return a.outcomeSuggestion()
	case a.About != nil:
		return a.outcomeTrigger()
	case a.Run != nil:
		return a.outcomeOfRun()
	case a.Unconfirmed():
		return "waiting for the session to take the answer"
	case a.State != Delivered:
		return ""
	}
	switch yes := a.Decision.Allow; {
	case yes && a.Kind == Elicitation:
		return "the server has it"
	case yes:
		return ""
	case a.Kind == Elicitation:
		return "the server was told"
	case a.Kind == Plan:
		return "the session has your words"
	}
	return "not run"
}

func (a Ask) outcomeOfRun() string {
	switch {
	case !a.Run.OK:
		return "failed, " + durationText(a.Run.Took)
	case a.Kind == Questions, a.Kind == Plan:
		return "the session goes on"
	}
	return "ran ok, " + durationText(a.Run.Took)
}

// durationText formats how long a call took, for people.
func durationText(d time.Duration) string {
	switch {
	case d < 100*time.Millisecond:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
}

// earlier returns the earlier of a and b. A zero b means never.
func earlier(a, b time.Time) time.Time {
	if b.IsZero() || a.Before(b) {
		return a
	}
	return b
}

// due reports whether at has come. A zero at never comes.
func due(at, now time.Time) bool { return !at.IsZero() && !now.Before(at) }
