package core

import (
	"slices"
	"strings"
	"time"

	"github.com/afar-sh/afar/coordinator/internal/ask"
	"github.com/afar-sh/afar/coordinator/internal/message"
	"github.com/afar-sh/afar/coordinator/internal/run"
	"github.com/afar-sh/afar/coordinator/internal/session"
)

// timed returns a with the time limits that hold for its session. A run is held for
// a time of its own, and nobody sits at it, whatever its hooks say, unless a person has taken it.
func (s *State) timed(a ask.Ask) ask.Ask {
	a.Times = s.Cfg.Rules.Times
	if r, isRun := s.Runs.ByConversation.One(string(a.Session)); isRun && r.State != run.Taken {
		a.InRun, a.Attended, a.Background = true, false, false
		a.Times.Unattended = s.Cfg.Rules.HoldRuns
	}
	return a
}

// oneAtATime is the note of a question that is refused because another call of its turn
// waits already.
const oneAtATime = "another call waits for the person first; make this call again after it"

// refuseSecond refuses a question of a turn that ends with another call.
func (s *State) refuseSecond(a ask.Ask, now time.Time) (ask.Ask, bool) {
	r, isRun := s.Runs.ByConversation.One(string(a.Session))
	if !isRun || !r.KeepsOther(a.Call) {
		return a, false
	}
	a.State, a.SettledAt, a.Note = ask.Expired, now, oneAtATime
	return a, true
}

// DeferAsk notes that the host keeps the call of a parked ask for the next turn of its run.
// kept is false if it cannot: a turn keeps one call.
func (c *Core) DeferAsk(id ask.ID) (kept bool, err error) {
	err = c.Do(func(s *Draft) error {
		a := s.Asks.Rows[id]
		r, isRun := s.RunOf(a.Session)
		next, failed := ask.Defer(a)
		if !isRun || failed != nil || a.OpenedAt.Before(r.Turn.Begun) {
			return nil
		}
		if r, failed = run.Defer(r, a.Call); failed != nil {
			return nil
		}
		kept = true
		s.Runs.Put(s.Batch, r)
		s.PutAsk(next)
		return nil
	})
	return kept, err
}

// holdRun decides what a run does whose turn has ended: it waits for a question that can
// still be answered, or goes on with an answer or a text that has come.
func (s *Draft) holdRun(r run.Run, e run.End) run.Run {
	s.Runs.Put(s.Batch, r)
	switch r.State {
	case run.Failed, run.Stopped:
		s.dropAsks(r, "the run has ended")
		return r
	case run.Taken:
		s.dropAsks(r, takenNote)
		return r
	}
	s.undefer(r, e.Deferred)
	s.endAsks(session.ID(r.Conversation), ask.Cancel, "the turn ended")
	parked, waits := ask.Oldest(s.parkedAsks(r))
	answered := s.answeredRun(r)
	texts := len(message.Waiting(s.textsAfter(r), session.ID(r.Conversation))) > 0
	switch {
	case waits && (parked.Deferred || !answered):
		r, _ = run.Park(r, string(parked.ID), s.Now) // it is idle, or queued for a restart
	case r.State == run.Idle && (texts || answered || r.Resume):
		r, _ = run.Queue(r, s.Now)
	}
	return r
}

// undefer takes back the deferral of the calls that the agent did not keep.
func (s *Draft) undefer(r run.Run, kept string) {
	for _, a := range s.asksAfter(r) {
		if a.Call == kept {
			continue
		}
		if next, err := ask.Undefer(a); err == nil {
			s.Asks.Put(s.Batch, next)
		}
	}
}

// dropAsks ends the questions of a run that is over.
func (s *Draft) dropAsks(r run.Run, note string) {
	for _, a := range s.asksAfter(r) {
		s.EndAsk(a, ask.Drop, note)
	}
}

// asksAfter returns the asks of a run as the draft leaves them.
func (s *Draft) asksAfter(r run.Run) []ask.Ask {
	return s.Asks.bySession.After(s.Batch, r.Conversation)
}

// parkedAsks returns the questions that a run waits for without a process. A call that its
// host keeps comes before all others, because the next turn begins with it.
func (s *Draft) parkedAsks(r run.Run) []ask.Ask {
	all := slices.DeleteFunc(s.asksAfter(r), func(a ask.Ask) bool { return !a.Holds() })
	if i := slices.IndexFunc(all, func(a ask.Ask) bool { return a.Deferred }); i >= 0 {
		return all[i : i+1]
	}
	return all
}

// answeredRun reports whether an answer has come that the next turn of a run takes.
func (s *Draft) answeredRun(r run.Run) bool {
	return slices.ContainsFunc(s.asksAfter(r), func(a ask.Ask) bool {
		return a.InRun && a.Lease.Unused() && (a.Lease.Awaited || a.TellIn(""))
	})
}

// retriesRun reports whether a person allowed a call of an idle run that was refused, and
// the run does not know it yet.
func (s *Draft) retriesRun(r run.Run) bool {
	return slices.ContainsFunc(s.asksAfter(r), func(a ask.Ask) bool { return a.Leased(s.Now) && a.TellIn("") })
}

// followParked deals with a run that waits without a process, after one of its questions
// has changed.
func (s *Draft) followParked(r run.Run) {
	parked := s.parkedAsks(r)
	face, waits := ask.Oldest(parked)
	kept := waits && face.Deferred
	next, err := r, error(nil)
	switch {
	case !kept && s.answeredRun(r):
		next, err = run.Answer(r, s.Now)
	case waits:
		next.Ask = string(face.ID)
	default:
		if next, err = run.GiveUp(r, s.Now); err == nil {
			next, err = s.goOn(next)
		}
	}
	if err != nil || next.State == r.State && next.Ask == r.Ask {
		return
	}
	s.putOver(next)
	s.StartTurns()
}

// lateTexts returns what the next turn of a run is told: the answers that came after its
// last turn.
func (s *Draft) lateTexts(r run.Run, delivery string) string {
	var late []ask.Ask
	for _, a := range s.asksAfter(r) {
		if a.TellIn(delivery) {
			late = append(late, a)
		}
	}
	slices.SortFunc(late, func(a, b ask.Ask) int { return a.OpenedAt.Compare(b.OpenedAt) })
	n := ask.TellLate(late, delivery, maxLate, s.Now)
	s.Asks.Put(s.Batch, n.Told...)
	return n.Text
}

// untellRun takes back the answers that a turn was to tell, because its agent never read
// them.
func (s *Draft) untellRun(r run.Run) {
	for _, a := range s.asksAfter(r) {
		if next, err := ask.Untell(a, byTurn(r.ID, r.Fence)); err == nil {
			s.Asks.Put(s.Batch, next)
		}
	}
}

// awaitsCall reports whether the next turn of a run begins with a call that was answered.
func (s *Draft) awaitsCall(r run.Run) bool {
	return slices.ContainsFunc(s.asksAfter(r), func(a ask.Ask) bool { return a.Lease.Unused() && a.Lease.Awaited })
}

// promptOf returns the prompt of the next turn of a run: a notice after a turn that broke
// off, the answers to its questions, or else the texts that wait. It is "" if there is
// nothing to say. by names whose words it is, "" for data.
func (s *Draft) promptOf(r run.Run) (prompt, by string) {
	if !r.Resume && r.Turn.Deferred != "" && s.awaitsCall(r) {
		return "", r.Turn.For // the call takes the answer itself
	}
	delivery := byTurn(r.ID, r.Fence+1)
	first := ""
	answers := s.lateTexts(r, delivery)
	switch {
	case r.Resume:
		first = r.ResumeNotice()
	case answers != "":
		first = run.Answered
	default:
		d := message.Take(s.textsAfter(r), session.ID(r.Conversation), delivery, session.Process{}, s.Now)
		s.Messages.Put(s.Batch, d.Changed...)
		if d.Again {
			d.Text = run.Perhaps + d.Text
		}
		return d.Text, strings.Join(d.By, ", ")
	}
	return strings.TrimSpace(first + "\n\n" + answers), r.Turn.For
}
