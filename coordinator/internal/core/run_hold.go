package core

import (
	"slices"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/message"
	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/internal/session"
	"github.com/afar-sh/afar/coordinator/internal/store"
)

// timed returns a with the time limits that hold for its session. A run is held for
// a time of its own, and nobody sits at it, whatever its hooks say, unless a person has taken it.
func (s *state) timed(a ask.Ask) ask.Ask {
	a.Times = s.cfg.Rules.Times
	if r, isRun := s.runs.byConversation.One(string(a.Session)); isRun && r.State != run.Taken {
		a.InRun, a.Attended, a.Background = true, false, false
		a.Times.Unattended = s.cfg.Rules.HoldRuns
	}
	return a
}

// oneAtATime is the note of a question that is refused because another call of its turn
// waits already.
const oneAtATime = "another call waits for the person first; make this call again after it"

// refuseSecond refuses a question of a turn that ends with another call.
func (s *state) refuseSecond(a ask.Ask, now time.Time) (ask.Ask, bool) {
	r, isRun := s.runs.byConversation.One(string(a.Session))
	if !isRun || !r.KeepsOther(a.Call) {
		return a, false
	}
	a.State, a.SettledAt, a.Note = ask.Expired, now, oneAtATime
	return a, true
}

// DeferAsk notes that the host keeps the call of a parked ask for the next turn of its run.
// kept is false if it cannot: a turn keeps one call.
func (c *Core) DeferAsk(id ask.ID) (kept bool, err error) {
	err = c.do(func(s *state, now time.Time) (b store.Batch, _ error) {
		a := s.asks.Rows[id]
		r, isRun := s.runOf(&b, a.Session)
		next, failed := ask.Defer(a)
		if !isRun || failed != nil || a.OpenedAt.Before(r.Turn.Begun) {
			return b, nil
		}
		if r, failed = run.Defer(r, a.Call); failed != nil {
			return b, nil
		}
		kept = true
		s.runs.Put(&b, r)
		s.putAsk(&b, next, now)
		return b, nil
	})
	return kept, err
}

// holdRun decides what a run does whose turn has ended: it waits for a question that can
// still be answered, or goes on with an answer or a text that has come.
func (s *state) holdRun(b *store.Batch, r run.Run, e run.End, now time.Time) run.Run {
	s.runs.Put(b, r)
	switch r.State {
	case run.Failed, run.Stopped:
		s.dropAsks(b, r, "the run has ended", now)
		return r
	case run.Taken:
		s.dropAsks(b, r, takenNote, now)
		return r
	}
	s.undefer(b, r, e.Deferred)
	s.endAsks(b, session.ID(r.Conversation), ask.Cancel, "the turn ended", now)
	parked, waits := ask.Oldest(s.parkedAsks(b, r))
	answered := s.answeredRun(b, r)
	texts := len(message.Waiting(s.textsAfter(b, r), session.ID(r.Conversation))) > 0
	switch {
	case waits && (parked.Deferred || !answered):
		r, _ = run.Park(r, string(parked.ID), now) // it is idle, or queued for a restart
	case r.State == run.Idle && (texts || answered || r.Resume):
		r, _ = run.Queue(r, now)
	}
	return r
}

// undefer takes back the deferral of the calls that the agent did not keep.
func (s *state) undefer(b *store.Batch, r run.Run, kept string) {
	for _, a := range s.asksAfter(b, r) {
		if a.Call == kept {
			continue
		}
		if next, err := ask.Undefer(a); err == nil {
			s.asks.Put(b, next)
		}
	}
}

// dropAsks ends the questions of a run that is over.
func (s *state) dropAsks(b *store.Batch, r run.Run, note string, now time.Time) {
	for _, a := range s.asksAfter(b, r) {
		s.endAsk(b, a, ask.Drop, note, now)
	}
}

// asksAfter returns the asks of a run as a batch leaves them.
func (s *state) asksAfter(b *store.Batch, r run.Run) []ask.Ask {
	return s.asks.bySession.After(b, r.Conversation)
}

// parkedAsks returns the questions that a run waits for without a process. A call that its
// host keeps comes before all others, because the next turn begins with it.
func (s *state) parkedAsks(b *store.Batch, r run.Run) []ask.Ask {
	all := slices.DeleteFunc(s.asksAfter(b, r), func(a ask.Ask) bool { return !a.Holds() })
	if i := slices.IndexFunc(all, func(a ask.Ask) bool { return a.Deferred }); i >= 0 {
		return all[i : i+1]
	}
	return all
}

// answeredRun reports whether an answer has come that the next turn of a run takes.
func (s *state) answeredRun(b *store.Batch, r run.Run) bool {
	return slices.ContainsFunc(s.asksAfter(b, r), func(a ask.Ask) bool {
		return a.InRun && a.Lease.Unused() && (a.Lease.Awaited || a.TellIn(""))
	})
}

// retriesRun reports whether a person allowed a call of an idle run that was refused, and
// the run does not know it yet.
func (s *state) retriesRun(b *store.Batch, r run.Run, now time.Time) bool {
	return slices.ContainsFunc(s.asksAfter(b, r), func(a ask.Ask) bool { return a.Leased(now) && a.TellIn("") })
}

// followParked deals with a run that waits without a process, after one of its questions
// has changed.
func (s *state) followParked(b *store.Batch, r run.Run, now time.Time) {
	parked := s.parkedAsks(b, r)
	face, waits := ask.Oldest(parked)
	kept := waits && face.Deferred
	next, err := r, error(nil)
	switch {
	case !kept && s.answeredRun(b, r):
		next, err = run.Answer(r, now)
	case waits:
		next.Ask = string(face.ID)
	default:
		next, err = run.GiveUp(r, now)
	}
	if err != nil || next.State == r.State && next.Ask == r.Ask {
		return
	}
	s.runs.Put(b, next)
	s.startTurns(b, now)
}

// lateTexts returns what the next turn of a run is told: the answers that came after its
// last turn.
func (s *state) lateTexts(b *store.Batch, r run.Run, delivery string, now time.Time) string {
	var late []ask.Ask
	for _, a := range s.asksAfter(b, r) {
		if a.TellIn(delivery) {
			late = append(late, a)
		}
	}
	slices.SortFunc(late, func(a, b ask.Ask) int { return a.OpenedAt.Compare(b.OpenedAt) })
	n := ask.TellLate(late, delivery, maxLate, now)
	s.asks.Put(b, n.Told...)
	return n.Text
}

// untellRun takes back the answers that a turn was to tell, because its agent never read
// them.
func (s *state) untellRun(b *store.Batch, r run.Run) {
	for _, a := range s.asksAfter(b, r) {
		if next, err := ask.Untell(a, byTurn(r.ID, r.Fence)); err == nil {
			s.asks.Put(b, next)
		}
	}
}

// awaitsCall reports whether the next turn of a run begins with a call that was answered.
func (s *state) awaitsCall(b *store.Batch, r run.Run) bool {
	return slices.ContainsFunc(s.asksAfter(b, r), func(a ask.Ask) bool { return a.Lease.Unused() && a.Lease.Awaited })
}

// promptOf returns the prompt of the next turn of a run: a notice after a turn that broke
// off, the answers to its questions, or else the texts that wait. It is "" if there is
// nothing to say. by names whose words it is, "" for data.
func (s *state) promptOf(b *store.Batch, r run.Run, now time.Time) (prompt, by string) {
	if !r.Resume && r.Turn.Deferred != "" && s.awaitsCall(b, r) {
		return "", r.Turn.For // the call takes the answer itself
	}
	delivery := byTurn(r.ID, r.Fence+1)
	first := ""
	answers := s.lateTexts(b, r, delivery, now)
	switch {
	case r.Resume:
		first = r.ResumeNotice()
	case answers != "":
		first = run.Answered
	default:
		d := message.Take(s.textsAfter(b, r), session.ID(r.Conversation), delivery, session.Process{}, now)
		s.messages.Put(b, d.Changed...)
		if d.Again {
			d.Text = run.Perhaps + d.Text
		}
		return d.Text, strings.Join(d.By, ", ")
	}
	return strings.TrimSpace(first + "\n\n" + answers), r.Turn.For
}
