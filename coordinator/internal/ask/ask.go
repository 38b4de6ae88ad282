// Package ask holds the life of one question to the person: open, then exactly
// one end. It is pure; the caller makes each returned Ask durable before it
// acts on it.
package ask

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/session"
)

// ID names an ask. The hook mints it before it dials, so that a coordinator
// that died and came back finds the same ask.
type ID string

// A Kind is what is asked.
type Kind string

// The kinds of asks.
const (
	Permission Kind = "permission" // the host's own question
	Guard      Kind = "guard"      // our guard's, where the host opens no dialog
)

// A State is how an ask stands.
type State string

// The states of an ask. Answered becomes Delivered when the hook takes the
// answer; all others but Open are final.
const (
	Open      State = "open"
	Answered  State = "answered"  // the person decided; the hook has not taken it yet
	Delivered State = "delivered" // the hook took the answer to the host
	Withdrawn State = "withdrawn" // settled elsewhere, or nobody waits for it any more
	Expired   State = "expired"
	Cancelled State = "cancelled" // the host ended the hook: Esc, No, a closed terminal
)

// Errors of a step that an ask does not take. The ask stays as it was.
var (
	ErrSettled = errors.New("already settled")    // an answer came too late; Ask.How says how it ended
	ErrState   = errors.New("no such transition") // leaves the state of the ask
)

// unfit returns a with the error of a step that does not fit it.
func (a Ask) unfit(step string) (Ask, error) {
	return a, fmt.Errorf("cannot %s an ask that is %s: %w", step, a.State, ErrState)
}

// A Decision is what somebody answered.
type Decision struct {
	Allow   bool   `json:"allow"`
	Message string `json:"message,omitempty"` // of a refusal, for the model
	// AcceptEdits, of an approved plan, lets the session edit without asking.
	AcceptEdits bool `json:"accept_edits,omitempty"`
	// Interrupt, of a refusal, ends the turn that the call belongs to.
	Interrupt bool      `json:"interrupt,omitempty"`
	By        string    `json:"by"`              // who, for people
	Channel   string    `json:"channel"`         // the name of a channel, or terminal, grant, lease
	Scope     Scope     `json:"scope,omitempty"` // of an allow: this call alone, or more
	At        time.Time `json:"at"`
}

// A Run is how the tool call turned out.
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
	Form      *Form      `json:"form,omitempty"` // of the kind Questions
	Hash      string     `json:"hash"`           // of the exact input
	Cwd       string     `json:"cwd"`
	Why       string     `json:"why,omitempty"`   // what is risky, in the guard's words
	Does      string     `json:"does,omitempty"`  // what the guard understands of it, in words
	Says      string     `json:"says,omitempty"`  // what the session says that it is for
	Asked     string     `json:"asked,omitempty"` // its person's last prompt, in one line
	Said      string     `json:"said,omitempty"`  // the last line that the model wrote since
	Attended  bool       `json:"attended"`
	Nonce     string     `json:"nonce"`        // unguessable; binds a button to this ask
	On        ID         `json:"on,omitempty"` // the ask on whose card this one stands; "" is its own
	OpenedAt  time.Time  `json:"opened_at"`
	ExpiresAt time.Time  `json:"expires_at"`
	CardAt    time.Time  `json:"card_at,omitzero"` // when it leaves the terminal
	Shown     bool       `json:"shown,omitempty"`  // it has left the terminal
	Reminded  bool       `json:"reminded,omitempty"`
	Perhaps   bool       `json:"perhaps,omitempty"` // it may have been settled at the terminal
	Twice     bool       `json:"twice,omitempty"`   // its card may be there twice: the first sending was cut off
	LostAt    time.Time  `json:"lost_at,omitzero"`  // the hook's connection broke
	Decision  *Decision  `json:"decision,omitempty"`
	// Taker is the process of the hook that waits for the answer. Unproven is true from
	// its claim until it has said that it printed the answer.
	Taker     session.Process `json:"taker,omitzero"`
	Unproven  bool            `json:"unproven,omitempty"`
	SettledAt time.Time       `json:"settled_at,omitzero"`
	Note      string          `json:"note,omitempty"` // how it ended, for people
	Run       *Run            `json:"run,omitempty"`

	// Background is a session that runs in the host's background service: its
	// dialogs are open, and nobody watches them.
	Background bool `json:"background,omitempty"`

	Offer  *Offer `json:"offer,omitempty"`  // what an allow may cover besides this call
	Parked bool   `json:"parked,omitempty"` // refused for want of an answer, and answerable still
	Lease  *Lease `json:"lease,omitempty"`  // the answer that came after
	Undo   *Undo  `json:"undo,omitempty"`   // of the snapshot that was taken before
	Times  Times  `json:"times,omitzero"`   // that hold for it
}

// Dialog reports whether the host shows a dialog of its own beside the ask.
func (a Ask) Dialog() bool {
	return (a.Attended || a.Background) && a.Agent == "" && slices.Contains(dialogs, a.Kind)
}

// atTerminal reports whether a person at the terminal sees what a is about: its
// card then waits for the grace.
func (a Ask) atTerminal() bool {
	return a.Attended && (a.Dialog() && !a.Parked || a.Kind == Denied)
}

// dialogs are the kinds for which the host has a dialog.
var dialogs = []Kind{Permission, Questions, Plan}

// Live is how long an ask of this shape stays open.
func (a Ask) Live() time.Duration {
	switch {
	case a.Kind == CheckIn:
		return CheckInFor
	case a.hookFirst():
		return a.Times.subagent()
	case a.Attended && a.Agent != "":
		return a.Times.subagent()
	case a.Attended:
		return a.Times.attended()
	}
	return a.Times.unattended()
}

// Start opens a. The caller has filled in what is asked; mode says when the
// card leaves the terminal.
func Start(a Ask, mode session.Mode, now time.Time) Ask {
	a.State, a.OpenedAt = Open, now
	a.ExpiresAt = now.Add(a.Live())
	if a.hookFirst() && mode == session.On {
		a.ExpiresAt = now.Add(a.Times.attended()) // who is away is not locked out
	}
	a.CardAt = session.CardAt(mode, a.atTerminal(), a.Times.grace(), now)
	return a
}

// Attach says that a hook waits for a (again).
func Attach(a Ask) Ask {
	a.LostAt = time.Time{}
	return a
}

// Lose says that the connection of the hook broke that waits for a. No hook waits for a
// check-in.
func Lose(a Ask, now time.Time) (Ask, error) {
	if a.Kind == CheckIn || !a.undelivered() {
		return a.unfit("lose the hook of")
	}
	a.LostAt = now
	return a, nil
}

// undelivered reports whether a waits for its answer, or for a hook to take it.
func (a Ask) undelivered() bool { return a.State == Open || a.State == Answered }

// Remode applies a changed away mode to a, which waits for its answer and has not left
// the terminal yet.
func Remode(a Ask, mode session.Mode, now time.Time) (Ask, error) {
	waits := a.State == Open || a.Parked
	if !waits || a.Shown {
		return a.unfit("change the away mode of")
	}
	a.CardAt = session.CardAt(mode, a.atTerminal(), a.Times.grace(), now)
	return a, nil
}

// Answer decides a. The first answer wins: any other gets ErrSettled.
func Answer(a Ask, d Decision) (Ask, error) {
	if err := a.offers(d); err != nil {
		return a, err
	}
	if a.Parked {
		return lend(a, d), nil
	}
	if a.State != Open {
		return a, fmt.Errorf("%w: %s", ErrSettled, a.How())
	}
	if d.Allow && a.unanswered() {
		return a, ErrWords
	}
	a.State, a.Decision, a.SettledAt = Answered, &d, d.At
	if a.Kind == CheckIn && !a.Replied() {
		a.State = Delivered // there is nothing to take
	}
	return a, nil
}

// Claim says that the hook is about to print the answer. Only the claim makes it count: an
// ask that was settled at the terminal meanwhile is not Delivered. A hook that lost our
// reply claims again.
func Claim(a Ask) (Ask, error) {
	if a.State != Answered && a.State != Delivered {
		return a.unfit("claim")
	}
	a.State = Delivered
	return a, nil
}

// Local says that the person settled a at the terminal.
func Local(a Ask, note string, now time.Time) (Ask, error) {
	if a.Replied() || !a.undelivered() {
		return a.unfit("settle at the terminal")
	}
	return a.withdrawn(note, now), nil
}

func (a Ask) withdrawn(note string, now time.Time) Ask {
	a.State, a.SettledAt, a.Note, a.Decision = Withdrawn, now, note, nil
	return a
}

// Cancel says that the host ended the waiting hook, or the session ended.
func Cancel(a Ask, note string, now time.Time) (Ask, error) {
	waits := a.undelivered() || a.State == Delivered && a.Unproven
	if a.Replied() || !waits {
		return a.unfit("cancel")
	}
	a.State, a.SettledAt, a.Note, a.Decision, a.Unproven = Cancelled, now, note, nil, false
	return a, nil
}

// Ran appends how the tool call turned out, which is known once. An open ask whose tool
// ran was settled at the terminal, and so was one that was answered when the tool ran
// already.
func Ran(a Ask, r Run, now time.Time) (Ask, error) {
	if a.Run != nil {
		return a.unfit("note a second run of")
	}
	a.Unproven = false // a call that ran had its answer
	if a.Overtaken(r, now) || a.undelivered() && !a.Replied() {
		a = a.withdrawn("answered at the terminal", now)
	}
	a.Run = &r
	return a, nil
}

// How far a run's beginning may be off, as the host's report of its end tells
// it. Of a call that was denied any run by then is another's doing; one that
// was allowed has run in either case.
const (
	unsureOfAllowed = -2 * time.Second
	unsureOfDenied  = time.Second
)

// Overtaken reports that a run which ended at now began before the answer to a
// was given: somebody at the dialog was faster, and the host took no notice of
// the answer.
func (a Ask) Overtaken(r Run, now time.Time) bool {
	if a.Kind != Permission || !a.Dialog() || a.Decision == nil {
		return false
	}
	unsure := unsureOfDenied
	if a.Decision.Allow {
		unsure = unsureOfAllowed
	}
	return now.Add(-r.Took).Before(a.Decision.At.Add(unsure))
}

// Doubt says whether a, still open here, was perhaps settled at the terminal.
func Doubt(a Ask, perhaps bool) (Ask, error) {
	if a.State != Open {
		return a.unfit("doubt")
	}
	a.Perhaps = perhaps
	return a, nil
}

// Next returns when a changes by itself; the zero time is never.
func (a Ask) Next() time.Time {
	if a.Parked {
		return a.cardOr(a.ExpiresAt.Add(ParkedFor))
	}
	if !a.undelivered() || a.Replied() {
		return a.lapses()
	}
	if a.ExpiresAt.IsZero() {
		return time.Unix(0, 0) // no program writes it; it must not stay open for ever
	}
	at := a.ExpiresAt
	if !a.LostAt.IsZero() {
		at = earlier(at, a.LostAt.Add(RedialFor))
	}
	if a.State == Open {
		at = a.cardOr(at)
	}
	return at
}

// cardOr is the time of the card where that is still to come before at.
func (a Ask) cardOr(at time.Time) time.Time {
	if !a.Shown && !a.CardAt.IsZero() {
		return earlier(at, a.CardAt)
	}
	return at
}

// Tick applies what is due at now: the card leaves the terminal, a hook that
// did not dial again takes its ask with it, time runs out.
func Tick(a Ask, now time.Time) Ask {
	switch {
	case a.Parked && !now.Before(a.ExpiresAt.Add(ParkedFor)):
		return unpark(a, "nobody answered")
	case a.Parked:
		return show(a, now)
	case !a.lapses().IsZero() && !now.Before(a.lapses()):
		return miss(a)
	case !a.undelivered(), a.Replied():
		return a
	case !a.LostAt.IsZero() && !now.Before(a.LostAt.Add(RedialFor)):
		return drop(a, now)
	case !now.Before(a.ExpiresAt):
		return expire(a, now)
	}
	if a.State == Open {
		return show(a, now)
	}
	return a
}

// show has the card leave the terminal when its time has come.
func show(a Ask, now time.Time) Ask {
	if !a.CardAt.IsZero() && !now.Before(a.CardAt) {
		a.Shown = true
	}
	return a
}

func drop(a Ask, now time.Time) Ask {
	if a.Decision != nil {
		return a.leased(now)
	}
	return a.withdrawn("the session's hook went away", now)
}

func expire(a Ask, now time.Time) Ask {
	note := "nobody answered in time"
	if a.Kind == CheckIn {
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

// How says in one line how a ended, truthfully: allowed means the tool ran.
func (a Ask) How() string {
	switch {
	case a.State == Open:
		return "open"
	case a.Lease != nil:
		return a.Lease.how()
	case a.Decision == nil && a.Note == "":
		return string(a.State)
	case a.Decision == nil:
		return a.Note
	case a.Kind == CheckIn:
		return a.howCheckIn()
	}
	return fmt.Sprintf("%s by %s at %s%s", a.verb(), a.Decision.By, a.Decision.At.Format("15:04:05"), a.given())
}

// Answered returns when a was settled: by an answer, also one that came after
// the refusal, or otherwise; zero while it waits.
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

// Outcome says how the call turned out, or "" while nobody knows.
func (a Ask) Outcome() string {
	switch {
	case a.Kind == CheckIn:
		return a.outcomeCheckIn()
	case a.Run != nil && a.Run.OK && (a.Kind == Questions || a.Kind == Plan):
		return "the session goes on"
	case a.Run != nil && a.Run.OK:
		return "ran ok, " + took(a.Run.Took)
	case a.Run != nil:
		return "failed, " + took(a.Run.Took)
	case a.State == Delivered && a.Kind == Elicitation && !a.Decision.Allow:
		return "the server was told"
	case a.State == Delivered && a.Kind == Elicitation:
		return "the server has it"
	case a.State == Answered:
		return "waiting for the session to take the answer"
	case a.State == Delivered && a.Kind == Plan && !a.Decision.Allow:
		return "the session has your words"
	case a.State == Delivered && !a.Decision.Allow:
		return "not run"
	}
	return ""
}

// took is how long a call took, as people say it.
func took(d time.Duration) string {
	switch {
	case d < 100*time.Millisecond:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}
