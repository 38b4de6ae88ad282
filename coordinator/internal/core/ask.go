package core

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sort"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/channel"
	"github.com/afar-sh/afar/coordinator/internal/event"
	"github.com/afar-sh/afar/coordinator/internal/grant"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/store"
	"github.com/afar-sh/afar/coordinator/internal/table"
	"github.com/afar-sh/afar/coordinator/internal/wake"
)

// Errors of calls that name an ask.
var (
	ErrNotFound = errors.New("not found")                  // nothing has the given id
	ErrBound    = errors.New("it belongs to another call") // a decision counts for the exact input that was asked for
)

// An askTable holds the asks.
type askTable struct {
	*table.Table[ask.ID, ask.Ask]
	byNonce   *table.Index[ask.ID, ask.Ask]
	byCard    *table.Index[ask.ID, ask.Ask]
	bySession *table.Index[ask.ID, ask.Ask] // see Of
	byWait    *table.Index[ask.ID, ask.Ask] // those that can still have an effect, under waits
	ByMachine *table.Index[ask.ID, ask.Ask] // those of other machines that wait
}

// The asks of this machine that can still have an effect, and those of other machines that the person can answer.
const (
	waits    = "waits"
	mirrored = "mirrored"
)

func newAskTable(s *State) askTable {
	t := Register(s, store.Asks, table.Traits[ask.Ask]{
		Due: s.askDue, Expire: Expiry(s, (*Draft).expireAsk), Touches: askParts,
	})
	return askTable{
		Table:     t,
		byNonce:   t.IndexBy(func(a ask.Ask) string { return a.Nonce }),
		byCard:    t.IndexBy(func(a ask.Ask) string { return string(a.CardID()) }),
		bySession: t.IndexBy(askSession),
		byWait:    t.IndexBy(askWaits),
		ByMachine: t.IndexBy(func(a ask.Ask) string {
			if !a.Mirrored() || !a.Waiting() {
				return ""
			}
			return a.From.Machine
		}),
	}
}

// askWaits returns waits for an ask that is not settled, whose answer is not confirmed, or
// whose lease was not used.
func askWaits(a ask.Ask) string {
	if a.Mirrored() {
		return table.KeyIf(a.Waiting(), mirrored)
	}
	return table.KeyIf(a.Waiting() || a.Unconfirmed() || a.Lease.Unused(), waits)
}

// askSession returns the session of an ask, "" where nothing can happen to the ask any more: its call has
// run, and the answer was neither late nor lost.
func askSession(a ask.Ask) string {
	if a.Mirrored() {
		return ""
	}
	over := a.Run != nil && a.Lease == nil && askWaits(a) == ""
	return table.KeyIf(!over, string(a.Session))
}

func askParts(_, after ask.Ask) []wake.Part {
	return []wake.Part{ofAsk(after.ID), OfSession(after.Session)}
}

// Of returns the asks of a session to which something can happen, in no order.
func (t askTable) Of(id session.ID) []ask.Ask { return t.bySession.All(string(id)) }

// Waiting returns the asks of this machine that can still have an effect, in no order.
func (t askTable) Waiting() []ask.Ask { return t.byWait.All(waits) }

// everywhere returns what waiting does, and the asks of other machines that the person can answer.
func (t askTable) everywhere() []ask.Ask { return append(t.Waiting(), t.byWait.All(mirrored)...) }

// OpenCovered registers a question for which a hook waits, and what its call needs, if
// that is known. A grant that covers the call, or a lease for the exact call, answers
// it at once. If the id is known, OpenCovered attaches to that ask, whatever its state.
func (c *Core) OpenCovered(a ask.Ask, need grant.Need) (ask.Ask, error) {
	err := c.Do(func(s *Draft) error {
		if old, ok := s.Asks.Rows[a.ID]; ok {
			if !old.Same(a) {
				return fmt.Errorf("ask %q: %w", a.ID, ErrBound)
			}
			a = ask.Attach(old)
			s.Asks.Put(s.Batch, a)
			return nil
		}
		a.Nonce = c.cfg.Secret()
		a = s.timed(a)
		a = ask.Start(a, s.Mode(a.Session, s.Now), s.Now)
		text := fmt.Sprintf("%s asks for %s (sha256 %s)", s.Token(a.Session), a.Line(), Short(a.Hash))
		s.Record(event.AskOpened, a.Session, string(a.ID), text)
		if answered, ok := s.answerAtOnce(a, need); ok {
			a = answered
			return nil
		}
		if refused, ok := s.refuseSecond(a, s.Now); ok {
			a = refused
			s.drop() // the question was never there
			return nil
		}
		if !s.answersElsewhere(a.Session, s.Now) {
			if handed, err := ask.Hand(a, "asked at the terminal", s.Now); err == nil {
				a = handed // a form, whose dialog opens when its hook ends
			}
		}
		a = ask.Tick(s.join(a), s.Now)
		s.PutAsk(a)
		s.waiting(a.Session)
		return nil
	})
	return a, err
}

// answersElsewhere reports whether the person may answer an ask of a session on a channel.
// A person who is not away answers there only if a channel rings.
func (s *State) answersElsewhere(id session.ID, now time.Time) bool {
	switch s.Mode(id, now) {
	case session.On:
		return s.Reachable()
	case session.Off:
		return false
	}
	return s.rings()
}

// AwaitAsk waits until the ask is no longer open, at most until ctx ends, and returns
// the ask.
func (c *Core) AwaitAsk(ctx context.Context, id ask.ID) (ask.Ask, error) {
	var a ask.Ask
	var ok bool
	c.Until(ctx, func(s *State) bool {
		a, ok = s.Asks.Rows[id]
		return !ok || a.State != ask.Open
	}, ofAsk(id))
	if !ok {
		return a, fmt.Errorf("ask %s: %w", id, ErrNotFound)
	}
	return a, nil
}

// ClaimAsk takes the answer for the hook that is about to print it. With a receipt, the
// answer counts as delivered only when the hook has printed it; see AskPrinted.
func (c *Core) ClaimAsk(id ask.ID, receipt bool) (ask.Ask, error) {
	if err := c.checkAnswer(id); err != nil {
		return ask.Ask{}, err
	}
	claim := ask.Claim
	if receipt {
		claim = ask.Claimed
	}
	a, err := c.changeAsk(id, func(a ask.Ask, _ time.Time) (ask.Ask, event.Kind, error) {
		next, err := claim(a)
		return next, delivery(next), err
	})
	if err == nil && a.Interrupts() {
		_, err = c.Halted(a.Session, true)
	}
	return a, err
}

// delivery returns the journal's entry for an ask whose answer was claimed or printed.
// There is none while the hook may still be killed.
func delivery(a ask.Ask) event.Kind {
	if a.Arrived() {
		return event.AskDelivered
	}
	return ""
}

// CancelAsk ends an ask whose hook the host has ended.
func (c *Core) CancelAsk(id ask.ID, note string) (ask.Ask, error) {
	return c.changeAsk(id, func(a ask.Ask, now time.Time) (ask.Ask, event.Kind, error) {
		next, err := ask.Cancel(a, note, now)
		return next, event.AskEnded, err
	})
}

// AttachAsk notes that a hook waits for the ask.
func (c *Core) AttachAsk(id ask.ID) (ask.Ask, error) {
	return c.changeAsk(id, func(a ask.Ask, _ time.Time) (ask.Ask, event.Kind, error) { return ask.Attach(a), "", nil })
}

// LoseAsk notes that the connection of the waiting hook broke.
func (c *Core) LoseAsk(id ask.ID) (ask.Ask, error) {
	return c.changeAsk(id, func(a ask.Ask, now time.Time) (ask.Ask, event.Kind, error) {
		next, err := ask.Lose(a, now)
		return next, "", err
	})
}

// EnterAsk notes that a program of a session is attached to the terminal of the ask's
// dialog, and tells the person.
func (c *Core) EnterAsk(id ask.ID, program string) error {
	return c.Do(func(s *Draft) (err error) {
		a, ok := s.Asks.Rows[id]
		if !ok || a.Entered != "" {
			return nil
		}
		if a, err = ask.Enter(a, program); err != nil {
			return nil //nolint:nilerr // it was answered in the meantime
		}
		s.PutAsk(a)
		text := fmt.Sprintf("a program of a session (%s) is attached to the background session that asks “%s”. It can "+
			"answer there in your place.", program, a.Line())
		s.Record(event.AskEntered, a.Session, string(id), text)
		s.Notify("entered", a.Session, channel.News{Kind: channel.Entered, Of: s.Label(a.Session), What: text})
		return nil
	})
}

// changeAsk applies one transition to one ask, even if the ask is no longer in memory.
// It returns the ask afterwards, and the transition's error. A step that no longer fits
// is not an error, because a hook cannot know that its ask has changed; the hook sees
// that in the reply.
func (c *Core) changeAsk(
	id ask.ID, f func(ask.Ask, time.Time) (ask.Ask, event.Kind, error),
) (after ask.Ask, err error) {
	if err := c.Recall(id); err != nil {
		return after, err
	}
	err = c.Do(func(s *Draft) (err error) {
		before := s.Asks.Rows[id]
		next, kind, err := f(before, s.Now)
		after = next
		if errors.Is(err, ask.ErrState) {
			return nil
		}
		if err != nil || next == before {
			return err
		}
		s.PutAsk(next)
		s.Batch.MayWait = next.Unproven && !before.Unproven // a hook that has printed what it claimed says so
		if changed := next.State != before.State || next.Arrived() != before.Arrived(); changed && kind != "" {
			s.Record(kind, next.Session, string(id), s.askLine(next))
		}
		if before.State == ask.Answered && next.State == ask.Delivered {
			s.beside.AnswerTaken(s, next)
		}
		return nil
	})
	return after, err
}

// Recall loads an old ask into memory, so that a late answer to it gets an accurate
// reply.
func (c *Core) Recall(id ask.ID) error {
	known := false
	c.View(func(s *State, _ time.Time) { _, known = s.Asks.Rows[id] })
	if known {
		return nil
	}
	a, ok, err := store.Asks.Get(c.cfg.Store, id)
	var bad store.Bad
	if errors.As(err, &bad) {
		return errors.Join(fmt.Errorf("ask %q: %w: its record is damaged", id, ErrNotFound), c.ReportBad([]store.Bad{bad}))
	}
	if err != nil {
		return err
	}
	if !ok {
		return fmt.Errorf("ask %q: %w", id, ErrNotFound)
	}
	c.lock()
	defer c.unlock()
	if _, known := c.state.Asks.Rows[id]; !known { // another call may have changed it meanwhile
		c.state.Asks.Hold(a, c.cfg.Now())
		c.bell.Ring(due)
	}
	return nil
}

// Ran notes how a tool call turned out. It counts as progress of a loop and ends the
// ask about the call.
func (c *Core) Ran(o ask.Outcome) error {
	return c.Do(func(s *Draft) error {
		if v, ok := s.Sessions.Rows[o.Session]; ok {
			v.Tools++
			s.Sessions.Put(s.Batch, session.To(v, session.Working, s.Now))
		}
		s.touchLoop(o.Session)
		s.ranLate(o)
		s.ranAfterAll(o)
		if a, ok := o.Of(s.Asks.Of(o.Session), s.Now); ok {
			o.Run.At = s.Now
			next, err := ask.Ran(a, o.Run, s.Now)
			if err != nil {
				return err
			}
			s.PutAsk(next)
			s.doubt(next, a.State == ask.Open)
			s.provenByRun(a, next)
			s.Record(event.AskRan, a.Session, string(a.ID), s.askLine(next)+", "+next.Outcome())
		}
		s.beside.CallRan(s, o)
		return nil
	})
}

// AskOf returns the ask about a call that has run, until Ran is told of it.
func (c *Core) AskOf(o ask.Outcome) (a ask.Ask, ok bool) {
	c.View(func(s *State, now time.Time) { a, ok = o.Of(s.Asks.Of(o.Session), now) })
	return a, ok
}

// together is the longest time between the openings of the asks of parallel calls. The
// host shows their dialogs in any order.
const together = 2 * time.Second

// doubt marks the asks whose dialogs the host may have shown before one that was settled
// at the terminal. The host shows dialogs one after the other and does not say which of
// them are left. The last one is not in doubt, because the session's file then tells.
func (s *Draft) doubt(settled ask.Ask, local bool) {
	var left []ask.Ask
	for _, a := range s.Asks.Of(settled.Session) {
		if !s.Asks.Changes(s.Batch, a.ID) && a.State == ask.Open && a.Dialog() {
			left = append(left, a)
		}
	}
	var shownBefore time.Time
	if local && settled.Dialog() {
		shownBefore = settled.OpenedAt.Add(together)
	}
	for _, a := range left {
		passed := a.Perhaps || a.OpenedAt.Before(shownBefore)
		if next, _ := ask.Doubt(a, passed && len(left) > 1); next != a {
			s.PutAsk(next)
		}
	}
}

// LocallySettled ends the open asks of a session's main agent when the client no longer
// shows a dialog. The person's decision is not known yet; the outcome of the call will
// show it.
func (c *Core) LocallySettled(id session.ID, before time.Time) error {
	return c.Do(func(s *Draft) error {
		s.settledLocally(id, before)
		return nil
	})
}

func (s *Draft) settledLocally(id session.ID, before time.Time) {
	for _, a := range s.Asks.Of(id) {
		if !a.Dialog() || !a.OpenedAt.Before(before) {
			continue
		}
		if next, err := ask.Overruled(a); err == nil {
			s.PutAsk(next)
		}
		next, err := ask.Local(a, a.AtTerminal(), s.Now)
		if err != nil || a.State != ask.Open {
			continue // if it has an answer, only the run of its call tells which came first
		}
		s.PutAsk(next)
		s.noteEnd(next)
	}
}

// An ending is one of the ways in which an ask ends without an answer.
type ending func(a ask.Ask, note string, now time.Time) (ask.Ask, error)

// endAsks ends all open asks of a session.
func (s *Draft) endAsks(id session.ID, end ending, note string) {
	_, runs := s.RunOf(id)
	for _, a := range s.Asks.Of(id) {
		if runs && a.Aside() { // the run goes on in another turn
			continue
		}
		s.EndAsk(a, end, note)
	}
}

// EndAsk ends an ask without an answer. It reports false if the ask has ended before.
func (s *Draft) EndAsk(a ask.Ask, end ending, note string) bool {
	next, err := end(a, note, s.Now)
	if err != nil {
		return false
	}
	s.PutAsk(next)
	s.noteEnd(next)
	return true
}

func (s *Draft) noteEnd(a ask.Ask) {
	s.Record(event.AskEnded, a.Session, string(a.ID), s.askLine(a))
}

// loseAsks gives the hooks of all open asks time to connect again.
func (s *Draft) loseAsks() {
	for _, a := range s.Asks.Waiting() {
		if next, err := ask.Lose(a, s.Now); err == nil {
			s.Asks.Put(s.Batch, next)
		}
	}
}

// askDue returns when an ask changes by itself: when it expires, when an away mode ends,
// or when a reminder is due.
func (s *State) askDue(a ask.Ask, now time.Time) time.Time {
	if a.Mirrored() {
		return time.Time{} // its own machine knows its time
	}
	at := first(a.Next(), s.releaseAt(a, now))
	if s.Settings.Paused {
		return at
	}
	return first(at, a.RemindAt(s.Cfg.Rules.RemindAfter))
}

// expireAsk applies to an ask what is due at now.
func (s *Draft) expireAsk(a ask.Ask) {
	next := a
	if mode := s.Mode(a.Session, s.Now); a.CardAt.IsZero() && mode != session.Off {
		next, _ = ask.Remode(a, mode, s.Now) // one that has left the terminal stays as it is
	}
	next = ask.Tick(next, s.Now)
	if next == a {
		s.remind(a)
		return
	}
	s.putTicked(a, next)
	if a.Lease != next.Lease {
		s.markRetries()
	}
}

// releaseAt returns when the away mode ends that keeps a at the terminal, zero for
// never.
func (s *State) releaseAt(a ask.Ask, now time.Time) (at time.Time) {
	if !a.Waiting() || a.Shown || !a.CardAt.IsZero() {
		return at
	}
	for _, away := range []session.Away{s.Sessions.Rows[a.Session].Away, s.Settings.Away} {
		if now.Before(away.Until) {
			at = first(at, away.Until)
		}
	}
	return at
}

// putTicked records an ask that has changed by itself.
func (s *Draft) putTicked(before, after ask.Ask) {
	s.PutAsk(after)
	if after.State != before.State {
		s.noteEnd(after)
	}
}

// PutAsk records an ask and updates its card, if the ask has left the terminal.
func (s *Draft) PutAsk(a ask.Ask) {
	a = s.beside.AskChanges(s, a)
	s.Asks.Put(s.Batch, a)
	s.followRun(a.Session)
	if a.Declined() {
		s.beside.Declined(s, a)
	}
	if a.Shown && !a.Unproven { // a card does not tell of a claim
		s.ShowCard(a)
	}
}

// askLine returns the journal line about an ask.
func (s *State) askLine(a ask.Ask) string {
	return fmt.Sprintf("%s: %s (sha256 %s): %s", cmp.Or(s.Token(a.Session), "Afar"), a.Line(),
		Short(a.Hash), a.Ending())
}

// Short returns the part of a hash that people see.
func Short(hash string) string { return hash[:min(8, len(hash))] }

// Asks returns the asks that are open, parked, or answered and not delivered yet,
// oldest first; with all, the settled ones in memory too.
func (c *Core) Asks(all bool) []ask.Ask {
	var out []ask.Ask
	c.View(func(s *State, _ time.Time) {
		if all {
			out = slices.Collect(maps.Values(s.Asks.Rows))
			return
		}
		for _, a := range s.Asks.everywhere() {
			if a.Waiting() || a.State == ask.Answered {
				out = append(out, a)
			}
		}
	})
	sort.Slice(out, func(i, j int) bool { return out[i].OpenedAt.Before(out[j].OpenedAt) })
	return out
}

// Ask returns one ask, even if it is no longer in memory.
func (c *Core) Ask(id ask.ID) (a ask.Ask, err error) {
	if err := c.Recall(id); err != nil {
		return a, err
	}
	c.View(func(s *State, _ time.Time) { a = s.Asks.Rows[id] })
	return a, nil
}

// AskByNonce returns the ask that a button is bound to.
func (c *Core) AskByNonce(nonce string) (found ask.Ask, ok bool) {
	c.View(func(s *State, _ time.Time) { found, ok = s.Asks.byNonce.One(nonce) })
	return found, ok
}

// ActRemind is an action whose data is the id of the ask that a card was made
// for: remind the person of it.
const ActRemind = "remind"

// remind reminds the person, once, of an ask that waits too long. The asks on one card
// share one reminder.
func (s *Draft) remind(a ask.Ask) {
	at := a.RemindAt(s.Cfg.Rules.RemindAfter)
	if at.IsZero() || s.Now.Before(at) || s.Settings.Paused || s.Asks.Changes(s.Batch, a.ID) {
		return
	}
	s.Asks.Put(s.Batch, ask.Remind(a))
	id := string(a.CardID())
	s.OnChannels("remind:"+id, ActRemind, id, s.Now)
}
