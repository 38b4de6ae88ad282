// Package turn decides whether a session that wants to stop may stop. It is pure: facts
// in, one outcome out. Its rules are one table, in the order of the product.
package turn

import (
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/loop"
	"github.com/afar-sh/afar/coordinator/internal/session"
)

// A Rule names the rule that decided.
type Rule string

// The rules, in their order.
const (
	KillSwitch Rule = "kill switch"
	Cancelled  Rule = "cancelled"
	Background Rule = "background work"
	Loop       Rule = "loop"
	Text       Rule = "text"
	Review     Rule = "review gate"
	News       Rule = "news"
	Parked     Rule = "parked calls"
	CheckIn    Rule = "check-in"
	Nothing    Rule = "nothing" // nothing keeps the session from stopping
)

// order is the order of the product: the first rule that applies decides. A rule that
// does not apply may still note what it found.
var order = []struct {
	rule    Rule
	applies func(*decision) bool
}{
	{KillSwitch, (*decision).switchedOff},
	{Cancelled, (*decision).cancelled},
	{Background, (*decision).awaitsBackground},
	{Loop, (*decision).loops},
	{Text, (*decision).hasTexts},
	{Review, (*decision).needsReview},
	{News, (*decision).hasNews},
	{Parked, (*decision).awaitsAnswers},
	{CheckIn, (*decision).checksIn},
}

// Facts are everything that a decision depends on.
type Facts struct {
	Session session.Session // as its Stop hook shows it
	Off     bool            // the kill switch: Afar is paused, or off for the session or its project
	Agents  bool            // subagents run on
	Shells  []string        // ids of the background shells that run
	RestFor time.Duration   // how long a loop may wait for a shell that is new

	Loop     loop.Stack
	Page     string        // the session's loop.md, in which the person may have changed a goal
	Stopping loop.Stopping // what the loop needs to know; Tools is taken from Session

	Texts    int           // messages that wait for the session
	Submits  bool          // the session's mod submits one of them as soon as it has stopped
	Work     string        // digest of what the session works on; empty: unknown
	Delivery string        // names the hook that takes the news
	Answers  string        // the news of answers that came late, one a line
	Room     int           // bytes left for other news
	Parked   time.Duration // how long answers to its parked calls may be waited for
	Terminal bool          // its client runs in a terminal, so it can be held
	Away     bool          // the person is away, and a check-in reaches them
	Hold     time.Duration // how long a check-in holds a session
}

// An Outcome is what follows from a decision. The caller makes it durable before it
// answers the hook.
type Outcome struct {
	Rule    Rule            // that decided
	Session session.Session // as it is from now on

	// At most one of these fields is set. It says what the hook does. If none is set,
	// the session stops.
	Block  string        // the session goes on, for this reason
	Texts  int           // the session goes on, with the texts that wait
	Check  *loop.Check   // the hook runs this check and asks again with its result
	Errand string        // the hook waits for this errand of the loop and asks again
	Parked time.Duration // the hook waits at most so long for an answer and asks again
	Hold   time.Duration // the hook waits so long for a reply to the check-in

	Notice string // for the person at the terminal, who sees it when the hook ends

	Halted     bool          // the turn that the person stopped is over
	Rests      *loop.Stack   // the loop, which lets the session wait for a shell
	Edited     []string      // frames of the loop whose goals the person changed
	Step       *loop.Outcome // of the loop; nil: it made none
	Reviewed   bool          // the review gate was asked
	Unreviewed bool          // the review gate gave up
	Told       bool          // the delivery told the news
	CheckIn    bool          // the person is told that the session stopped
}

// Decide applies the first rule that fits the facts.
func Decide(f Facts, now time.Time) Outcome {
	d := begin(f, now)
	d.out.Rule = Nothing
	for _, r := range order {
		if r.applies(d) {
			d.out.Rule = r.rule
			break
		}
	}
	return d.end()
}

// A decision is the state of one call of Decide.
type decision struct {
	Facts
	now   time.Time
	state session.State // of the session afterwards
	out   Outcome
}

func begin(f Facts, now time.Time) *decision {
	d := &decision{Facts: f, now: now, state: session.Idle}
	if f.Session.Halting() && !f.Agents { // the halt also ends subagents
		d.Session = session.EndHalt(f.Session, now)
		d.out.Halted = true
	}
	return d
}

// end completes the outcome.
func (d *decision) end() Outcome {
	if d.out.final() {
		d.notice(strings.Join(d.Session.Notices, "\n"))
		d.Session.Notices = nil
	}
	if d.Session.State != session.Ended {
		d.Session = session.To(d.Session, d.state, d.now)
	}
	d.out.Session = d.Session
	return d.out
}

// final reports whether the hook ends with this outcome and can print a notice.
func (o Outcome) final() bool {
	switch {
	case o.Texts > 0, o.Check != nil, o.Errand != "", o.Parked > 0, o.Hold > 0:
		return false
	}
	return true
}

func (d *decision) notice(text string) { d.out.Notice = strings.Trim(d.out.Notice+"\n"+text, "\n") }

// block sends the session on for a reason. It returns whether there is one.
func (d *decision) block(reason string) bool {
	if reason == "" {
		return false
	}
	d.out.Block, d.state = reason, session.Working
	return true
}

func (d *decision) switchedOff() bool { return d.Off }

func (d *decision) cancelled() bool { return d.out.Halted }

// awaitsBackground applies if background work will wake the session: a subagent, or a
// shell that is new since the last stop.
func (d *decision) awaitsBackground() bool {
	fresh := false
	d.Session, fresh = session.SeeShells(d.Session, d.Shells)
	switch {
	case d.Agents:
		return true
	case !d.Loop.Active(), !fresh:
		return fresh
	}
	rested, rests := loop.Rest(d.Loop, d.now.Add(d.RestFor), d.now)
	if rests {
		d.out.Rests = &rested
	}
	return rests
}

// loops applies if the session's loop continues. If the loop ends, the next rules decide.
func (d *decision) loops() bool {
	l, edited := loop.Edit(d.Loop, d.Page, d.now)
	in := d.Stopping
	in.Tools = d.Session.Tools
	if in.Read == 0 { // the transcript was not read
		in.Read = d.Loop.Read
	}
	step, err := loop.Stop(l, in, d.now)
	if err != nil {
		return false // no loop runs
	}
	d.Session.Tools = 0
	d.out.Edited, d.out.Step = edited, &step
	d.out.Check, d.out.Errand = step.Check, step.Wait
	d.notice(step.Notice())
	switch {
	case d.block(step.Block), step.Check != nil, step.Wait != "":
		d.state = session.Working
		return true
	}
	return false
}

func (d *decision) hasTexts() bool {
	switch {
	case d.Submits:
		return true
	case d.Texts == 0:
		return false
	}
	d.out.Texts, d.state = d.Texts, session.Working
	return true
}

// unreviewed is what the terminal shows when the review gate gives up.
const unreviewed = "Afar: stopped without alice's review of the last state; she was asked for three times."

func (d *decision) needsReview() bool {
	if !d.Session.Review.On {
		return false
	}
	next, reason := d.Session.Review.Stop(d.Work)
	d.Session.Review, d.out.Reviewed = next, true
	if reason == "" && !next.Met(d.Work) {
		d.out.Unreviewed = true
		d.notice(unreviewed)
	}
	return d.block(reason)
}

func (d *decision) hasNews() bool {
	next, told := d.Session.Deliver(d.Delivery, d.Room)
	d.Session, d.out.Told = next, true
	return d.block(strings.Trim(d.Answers+"\n"+told, "\n"))
}

func (d *decision) awaitsAnswers() bool {
	if d.Session.Interactive() || d.Parked <= 0 {
		return false
	}
	d.out.Parked, d.state = d.Parked, session.Waiting
	return true
}

// awayFromTerminal reports whether the session is at a terminal and its person is away.
func (d *decision) awayFromTerminal() bool { return d.Session.Interactive() && d.Terminal && d.Away }

func (d *decision) checksIn() bool {
	if !d.awayFromTerminal() || session.Silent(d.Stopping.Message) {
		return false
	}
	d.out.CheckIn = true
	if d.Hold > 0 {
		d.out.Hold, d.state = d.Hold, session.Waiting
	}
	return true
}
